"""Shells as users have set them up: no user file is changed, and `run` is exact with all of them."""

import os
import signal

import pytest
from conftest import eventually
from test_shells import RC, SHELLS, Shell, every_shell, home  # noqa: F401

# A prompt shown from a cache while the rest of the rc file still runs. The output of that rest goes into a file until
# the shell is ready; then the prompt is erased, the output shown, and the real prompt drawn.
INSTANT_PROMPT = r"""
print -n -- $'\e[?25l~ \u276f \e[?25h\r' >$TTY
exec {__out}>&1 {__err}>&2 >$HOME/captured 2>&1
instant_over() {
    exec 1>&$__out 2>&$__err {__out}>&- {__err}>&-
    print -n -- $'\r\e[J'
    cat $HOME/captured
    precmd_functions=(${precmd_functions:#instant_over})
}
precmd_functions=(instant_over $precmd_functions)
themed() {
    PROMPT=$'%{\e[1m%}~ \u276f%{\e[0m%} '
    # It wants to be last.
    precmd_functions=(${precmd_functions:#themed} themed)
}
precmd_functions+=(themed)
echo said by the start
"""

SETUPS = {
    "bash": {
        "nothing": "",
        "set -e": "set -e\ntrue\n[[ -n $nothing ]] && false\nset +e\nfalse\n",
        "set -eu that stays": "set -u\nset -E\n",
        "a prompt command": "PROMPT_COMMAND='last=$?; [ \"$last\" = 0 ]'\n",
        "a list of prompt commands": "PROMPT_COMMAND=('true' 'false')\n",
        "an empty prompt command": "PROMPT_COMMAND=\n",
        "a prompt command with a semicolon at its end": "PROMPT_COMMAND='true; '\n",
        "a prompt set each time": "theme() { local code=$?; PS1=$'\\n\\\\[\\e[32m\\\\]in \\\\w '\"[$code]\"$'\\\\[\\e[0m\\\\]\\n\\u276f '; }\nPROMPT_COMMAND=theme\n",
        "a prompt command that is put anew": "reset() { PROMPT_COMMAND=reset; PS1='> '; }\nPROMPT_COMMAND=reset\n",
        "a debug trap": "trap 'previous=$BASH_COMMAND' DEBUG\n",
        "a debug trap that prints": "trap 'printf \"\\e]0;%s\\a\" \"$BASH_COMMAND\"' DEBUG\n",
        "functions before commands, by trap": (
            "before() { :; }; armed=\n"
            "on_debug() { if [[ -n $armed ]]; then armed=; before \"$BASH_COMMAND\"; fi; }\n"
            "install() { PROMPT_COMMAND=\"first; ${PROMPT_COMMAND:-:}\"$'\\n''arm'; trap on_debug DEBUG; }\n"
            "first() { last=$?; return $last; }; arm() { armed=1; }\n"
            "PROMPT_COMMAND='install'\n"
        ),
        "vi mode": "set -o vi\nbind 'set show-mode-in-prompt on'\n",
        "its own PS0": "PS0='\\[\\e[1m\\]'\n",
        "output": "echo hello from the start; echo problem >&2\n",
        "a failure at the end": "nosuchcommand\nfalse\n",
        "history": "HISTCONTROL=ignoreboth\nHISTIGNORE='echo*'\nHISTTIMEFORMAT='%F '\nshopt -u cmdhist\n",
    },
    "zsh": {
        "nothing": "",
        "colours and signs": "PROMPT='%F{green}%n@%m%f %B%~%b %# '\n",
        "two lines": "PROMPT=$'\\n%F{blue}%~%f\\n%(?.%F{green}.%F{red})> %f'\n",
        "a right prompt": "RPROMPT='%F{red}%* right%f'\nPROMPT='%# '\n",
        "a percent sign at the end": "PROMPT='%~ %%'\n",
        "a lone percent sign": "PROMPT='done %'\n",
        "an empty prompt": "PROMPT=\n",
        "substitution": "setopt prompt_subst prompt_bang\nPROMPT='$(echo sub) ${PWD:t} ! $ '\n",
        "no line is made free": "unsetopt prompt_sp prompt_cr\n",
        "no sign": "PROMPT_EOL_MARK=\n",
        "functions emptied": "precmd_functions=()\npreexec_functions=()\n",
        "functions": "precmd() { last=$?; echo before the prompt; }\npreexec() { print -n '\\e[1m'; }\nchpwd() { echo moved }\n",
        "a theme that sets the prompt each time": "theme() { PROMPT=\"[$?] > \" }\nautoload -Uz add-zsh-hook\nadd-zsh-hook precmd theme\n",
        "an instant prompt": INSTANT_PROMPT,
        "strict": "setopt nounset warn_create_global no_unset err_return pipe_fail\n",
        "set -e that ends": "set -e\ntrue\n[[ -n ${nothing-} ]] && false\nset +e\nfalse\n",
        "other arrays and words": "setopt ksh_arrays sh_word_split glob_subst no_nomatch ksh_glob csh_null_glob\nIFS=:\n",
        "aliases of everything": "alias print='echo no' read='echo no' kill='echo no' local='echo no' eval='echo no' -g E='echo no'\n",
        "vi mode": "bindkey -v\nzle-keymap-select() { zle reset-prompt }\nzle -N zle-keymap-select\nzle-line-init() { zle -K viins; zle reset-prompt }\nzle -N zle-line-init\n",
        "output": "echo hello from the start; echo problem >&2; printf unfinished\n",
        "a failure at the end": "nosuchcommand\nfalse\n",
        "history": "HISTFILE=~/.zsh_history\nSAVEHIST=100\nsetopt hist_ignore_space hist_ignore_all_dups share_history inc_append_history\n",
        "no history": "HISTSIZE=0\nunset HISTFILE\n",
        "comments": "setopt interactive_comments\n",
        "widgets around accept-line": "accept-line() { zle .accept-line }\nzle -N accept-line\nautoload -Uz bracketed-paste-magic\nzle -N bracketed-paste bracketed-paste-magic\n",
    },
    "fish": {
        "nothing": "",
        "a prompt": "function fish_prompt\n  set_color green\n  echo -n (prompt_pwd)' > '\n  set_color normal\nend\n",
        "a prompt that ends its line": "function fish_prompt\n  echo '> '\nend\n",
        "two lines": "function fish_prompt\n  echo\n  echo (pwd)\n  echo -n '> '\nend\n",
        "a right prompt": "function fish_right_prompt\n  date\nend\n",
        "an empty prompt": "function fish_prompt\nend\n",
        "statuses": "function fish_prompt\n  set -l codes $pipestatus\n  echo -n \"[$codes] > \"\nend\n",
        "vi": "fish_vi_key_bindings\n",
        "vi with its own sign": "fish_vi_key_bindings\nfunction fish_mode_prompt\n  echo -n \"<$fish_bind_mode> \"\nend\n",
        "output": "echo hello from the start; echo problem >&2; printf unfinished\n",
        "no greeting": "set -g fish_greeting\n",
        "a failure": "nosuchcommand\nfalse\n",
        "events": "function mine --on-event fish_preexec\n  set -g began\nend\nfunction asked --on-event fish_prompt\n  true\nend\n",
        "abbreviations": "abbr -a zz 'echo no'\n",
        "its own Enter": "bind \\r 'commandline -f execute'\n",
    },
}


@pytest.mark.parametrize(("name", "setup"), [(name, setup) for name in SHELLS for setup in SETUPS[name]])
def test_run_works_with_the_users_setup(cotty, home, name, setup):
    marker = {"bash": "alias greet='echo hello'\n", "zsh": "alias greet='echo hello'\n", "fish": "alias greet 'echo hello'\n"}
    home(RC[name], marker[name] + SETUPS[name][setup])
    shell = Shell(cotty, name)
    assert shell.output("greet") == "hello\n"
    assert shell.output("printf 'no end'") == "no end"
    shell.run("sh -c 'exit 42'")
    status = "echo $status" if name == "fish" else "echo $?"
    assert shell.output(status) == "42\n"
    assert shell.output("echo a\necho b") == "a\nb\n"
    assert shell.run("echo )")["exit_code"] != 0
    read = shell.type("echo typed\n")
    assert read["content"].startswith("typed\n"), read
    texts = [c["text"] for c in shell.commands()]
    assert texts[:2] + texts[-1:] == ["greet", "printf 'no end'", "echo typed"]
    assert all(c["directory"] == str(cotty.work) for c in shell.commands())


# After the start


LATER = {
    "zsh": [
        "precmd_functions=()",
        "preexec_functions=()",
        "precmd_functions=() preexec_functions=()",
        "unsetopt prompt_sp prompt_cr; precmd_functions=()",
        "PROMPT='> '",
        "PROMPT_EOL_MARK=x",
        "unset PROMPT_EOL_MARK",
        "source ~/.zshrc",
        "setopt err_return nounset",
        "bindkey -v",
        "mine() { : }; zle -N zle-line-init mine",
        "chpwd_functions=(); cd /",
    ],
    "bash": ["PROMPT_COMMAND=", "PROMPT_COMMAND=true", "source ~/.bashrc", "set -o vi", "set -u"],
    "fish": [
        "function fish_prompt; echo -n '> '; end",
        "functions -c fish_prompt older; function fish_prompt; echo -n new; older; end",
        "functions -e fish_prompt; functions -c older fish_prompt",
        "source ~/.config/fish/config.fish",
        "fish_vi_key_bindings",
        "fish_default_key_bindings",
    ],
}


@every_shell
def test_run_works_after_the_user_changes_the_shells_settings(cotty, home, name):
    home(RC[name], {"bash": "PROMPT_COMMAND='x=1'\nPS1='$ '\n", "zsh": "precmd_functions=()\nPROMPT='%# '\n", "fish": "set x 1\n"}[name])
    shell = Shell(cotty, name)
    for change in LATER[name]:
        ran = shell.run(change)
        assert (ran["outcome"], ran["exit_code"]) == ("done", 0), (change, ran)
        for _ in range(2):
            assert shell.output("echo on") == "on\n", change
            assert shell.output("printf x") == "x", change


@pytest.mark.parametrize(("name", "off"), [("bash", "unset PROMPT_COMMAND; PS1='mine> '"), ("zsh", "zsh_off() { precmd_functions=() preexec_functions=(); zle -D zle-line-init; PROMPT='mine> ' }; zsh_off")])
def test_a_shell_that_lost_its_marks_is_judged_by_its_prompt(cotty, name, off):
    shell = Shell(cotty, name)
    assert shell.type(f"{off}\n")["prompt_detected"]
    read = shell.type("echo on\n")
    assert read["prompt_detected"] and "on\n" in read["content"]


@pytest.mark.parametrize("name", ["bash", "zsh"])
def test_set_x_traces_only_the_users_commands(cotty, name):
    shell = Shell(cotty, name)
    shell.run("PS4='+ '; set -x")
    assert shell.output("echo traced") == "+ echo traced\ntraced\n"
    assert not [line for line in shell.screen().splitlines() if line.startswith("+") and line != "+ echo traced"]


@every_shell
def test_the_users_prompt_still_sees_the_status(cotty, home, name):
    home(RC[name], {
        "bash": "PROMPT_COMMAND='seen=$?; PS1=\"[$seen]> \"'\n",
        "zsh": "precmd() { PROMPT=\"[$?]> \" }\n",
        "fish": "function fish_prompt\n  echo -n \"[$status]> \"\nend\n",
    }[name])
    shell = Shell(cotty, name)
    shell.run("sh -c 'exit 42'")
    assert shell.screen().splitlines()[-1].rstrip() == "[42]>"


@pytest.mark.parametrize("name", ["bash", "zsh"])
def test_run_works_with_errexit(cotty, home, name):
    home(RC[name], "set -e\n")
    shell = Shell(cotty, name)
    assert shell.output("echo on") == "on\n"
    # Not a failure for `set -e`.
    shell.run("! true")
    assert shell.output("echo $?") == "1\n"
    ran = shell.run("false")
    assert (ran["outcome"], ran["exit_code"]) == ("exited", 1)


def test_a_users_fish_binding_for_enter_is_kept(cotty, home):
    home(RC["fish"], "bind \\r 'set -g pressed yes; commandline -f execute'\n")
    assert Shell(cotty, "fish", actor="person").output("echo $pressed") == "yes\n"
    assert Shell(cotty, "fish").output("echo pressed $pressed") == "pressed\n"


# The users' own files


def test_zsh_reads_its_users_files_with_their_own_zdotdir(cotty, home):
    for file in (".zshenv", ".zprofile", ".zshrc", ".zlogin"):
        home(file, f'seen+=({file}:${{ZDOTDIR-unset}})\n')
    shell = Shell(cotty, "zsh")
    assert shell.output("echo $seen") == ".zshenv:unset .zshrc:unset\n"
    assert shell.output("echo ${ZDOTDIR-unset}; env | grep -c ZDOTDIR", 1) == "unset\n0\n"
    login = Shell(cotty, "zsh", "-l")
    assert login.output("echo $seen") == ".zshenv:unset .zprofile:unset .zshrc:unset .zlogin:unset\n"
    assert login.output("[[ -o login ]] && echo ${ZDOTDIR-unset}") == "unset\n"
    # A nested zsh has only the user's files.
    assert shell.output("zsh -ic 'echo $seen; typeset -f' | grep -v '^$' | grep -c cotty", 1) == "0\n"


@pytest.mark.parametrize("how", ["environment", "zshenv", "zshenv, exported"])
def test_zsh_uses_the_users_zdotdir(cotty, home, how):
    home("dots/.zshrc", "seen=dots:$ZDOTDIR\n")
    home("dots/.zlogin", "seen+=:login\n")
    home(".zshrc", "seen=wrong\n")
    dots = f"{cotty.work}/dots"
    env = {}
    if how == "environment":
        env = {"ZDOTDIR": dots}
    else:
        home(".zshenv", f"{'export ' if 'exported' in how else ''}ZDOTDIR=~/dots\n")
    for args in ([], ["-l"]):
        shell = Shell(cotty, "zsh", *args, env=env)
        assert shell.output("echo $seen") == f"dots:{dots}{':login' if args else ''}\n"
        exported = how != "zshenv"
        assert shell.output("echo $ZDOTDIR; env | grep -c ^ZDOTDIR=", 0 if exported else 1) == f"{dots}\n{int(exported)}\n"


def test_zsh_respects_the_users_unsetopt_rcs(cotty, home):
    home(".zshenv", "unsetopt rcs\n")
    home(".zshrc", "echo not read\n")
    shell = Shell(cotty, "zsh")
    assert shell.output("echo ${ZDOTDIR-unset}") == "unset\n"
    assert "not read" not in shell.screen()


def test_bash_works_as_a_login_shell(cotty, home):
    home(".bash_profile", "seen=profile\n. ~/.bashrc\n")
    home(".profile", "seen=wrong\n")
    home(".bashrc", "seen+=:rc\n")
    assert Shell(cotty, "bash", "-l").output("echo $seen") == "profile:rc\n"
    assert Shell(cotty, "bash", "--login", "-i").output("echo $seen") == "profile:rc\n"
    assert Shell(cotty, "bash").output("echo $seen") == ":rc\n"


def test_fish_works_as_a_login_shell(cotty, home):
    home(RC["fish"], "status is-login; and set seen login\nset -a seen config\n")
    assert Shell(cotty, "fish", "-l").output("echo $seen") == "login config\n"
    assert Shell(cotty, "fish").output("echo $seen") == "config\n"


@every_shell
def test_the_environment_has_nothing_from_the_shell_integration(cotty, name):
    lines = Shell(cotty, name).output("env").splitlines()
    assert [line for line in lines if line.startswith(("COTTY_", "ZDOTDIR", "__cotty"))] == [
        line for line in lines if line.startswith(("COTTY_SESSION=", "COTTY_HOME=", "COTTY_HTTP_LISTEN="))
    ]


# History

FILES = {"bash": ".bash_history", "zsh": ".zsh_history", "fish": ".local/share/fish/fish_history"}
HISTORY = {"bash": "", "zsh": "HISTFILE=~/.zsh_history\nSAVEHIST=100\nHISTSIZE=100\n", "fish": ""}


@every_shell
def test_an_agents_commands_stay_out_of_the_users_history(cotty, home, name):
    home(RC[name], HISTORY[name])
    history = cotty.work / FILES[name]
    history.parent.mkdir(parents=True, exist_ok=True)
    history.write_text("- cmd: the users own\n  when: 1700000000\n" if name == "fish" else "the users own\n")
    shell = Shell(cotty, name)
    shell.output("echo of the agent")
    listing = "fc -l 1" if name == "zsh" else "history"
    assert "the users own" not in shell.output(listing)
    shell.run("exit")
    assert "of the agent" not in history.read_text()
    person = Shell(cotty, name, actor="person")
    person.output("echo of the person")
    assert "the users own" in person.output(listing)
    person.run("exit")
    eventually(lambda: "of the person" in history.read_text())
    assert "of the agent" not in history.read_text()


# Prompts without marks (R-T13)


NO_PASTE = {"bash": "bind 'set enable-bracketed-paste off'\n", "zsh": "unset zle_bracketed_paste\n"}


@pytest.mark.parametrize("keys", ["emacs", "vi"])
@pytest.mark.parametrize("name", NO_PASTE)
def test_several_lines_run_without_bracketed_paste(cotty, home, name, keys):
    home(RC[name], NO_PASTE[name] + {"emacs": "", "vi": {"bash": "set -o vi\n", "zsh": "bindkey -v\n"}[name]}[keys])
    shell = Shell(cotty, name)
    assert shell.output("echo a\n\techo b\nsh -c 'exit 6'", 6) == "a\nb\n"
    assert shell.output("cat <<'EOF'\none\n\n\ttwo\nEOF") == "one\n\n        two\n"


@every_shell
def test_an_rc_file_that_execs_another_shell_is_noticed(cotty, home, name):
    home(RC[name], "exec sh\n")
    shell = Shell(cotty, name)
    cotty.call("run", session=shell.id, command="echo no", error="NO_SHELL")
    read = shell.type("echo from sh\n")
    assert "from sh\n" in read["content"] and read["prompt_detected"]


@every_shell
def test_a_shell_that_execs_an_unmarked_one_is_noticed(cotty, home, name):
    home(RC[name], {"bash": "PS1='> '\n", "zsh": "PROMPT='> '\n", "fish": ""}[name])
    shell = Shell(cotty, name)
    sent = shell.call("send", text=f"exec {name}\n")
    shell.wait(prompt=True, since=sent["seq"])
    cotty.call("run", session=shell.id, command="echo no", error="NO_SHELL")
    read = shell.type("echo from within\n")
    assert "from within" in read["content"]


@every_shell
@pytest.mark.parametrize("program", ["python3 -q", "sh", "bash --norc", "env PS1='inner> ' zsh -f"])
def test_the_prompt_of_a_program_inside_the_shell_is_detected(cotty, name, program):
    shell = Shell(cotty, name)
    sent = shell.call("send", text=f"{program}\n")
    waited = shell.wait(prompt=True, since=sent["seq"])
    assert waited["activity"]["kind"] == "waiting_for_input"
    cotty.call("run", session=shell.id, command="echo no", error="NOT_AT_PROMPT")
    sent = shell.call("send", text="exit()\n" if "python" in program else "exit\n")
    shell.wait(prompt=True, since=sent["seq"])
    assert shell.output("echo back") == "back\n"


@pytest.mark.parametrize(("name", "args"), [("bash", ["--norc"]), ("zsh", ["-f"]), ("fish", ["--no-config"]), ("sh", [])])
def test_shells_without_marks_are_judged_by_their_prompt(cotty, name, args):
    shell = Shell(cotty, name, *args, prompt_pattern=r"[%#$>]\s*$")
    cotty.call("run", session=shell.id, command="echo no", error="NO_SHELL")
    read = shell.type("echo unmarked\n")
    assert "unmarked\n" in read["content"] and read["prompt_detected"]
    assert shell.call("commands") == {"commands": [], "total": 0}


def test_a_callers_prompt_pattern_is_used(cotty):
    script = "import sys\nprint('sql=> ready')\nwhile True: print('you said', input('next: '))"
    shell = Shell(cotty, "python3", "-c", script, prompt_pattern=r"^next: $", wait_ready=True)
    read = shell.type("hello\n")
    assert read["prompt_detected"] and "you said hello" in read["content"]
    # In a shell with marks, too.
    shell = Shell(cotty, "bash", prompt_pattern=r"^never$", ready_timeout_ms=300, ready=False)
    assert shell.call("wait", prompt=True, timeout_ms=300)["met"] == "timeout"
    error = cotty.call("create", program="bash", prompt_pattern="(", error="INVALID_PATTERN")
    assert error["message"].startswith("Invalid pattern: ")
    assert cotty.call("list")["count"] == 2


def test_a_prompt_pattern_outlives_the_daemon(cotty):
    shell = Shell(cotty, "sh", "-i", env={"PS1": "ask me% "}, prompt_pattern="% $", wait_ready=True)
    killed = cotty.kill_daemon()
    eventually(lambda: cotty.status()["pid"] != killed)
    assert shell.type("echo on\n")["prompt_detected"]


@every_shell
def test_a_hook_question_without_a_daemon_is_answered_by_the_next(cotty, name):
    """The daemon is stopped while a line is typed, and killed before it answers."""
    shell = Shell(cotty, name)
    pid = cotty.status()["pid"]
    sent = shell.call("send", text="echo ans")
    shell.wait(idle_ms=50, since=sent["seq"])
    master = shell.call("send", text="wered\n")
    os.kill(pid, signal.SIGKILL)
    shell.wait(regex="^answered$", since=master["seq"])
    shell.wait(prompt=True)
    assert shell.output("echo on") == "on\n"
