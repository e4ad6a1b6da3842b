"""`terminal__run`: a command's own output and exit code, whatever the shell is set to."""

import os

import pytest
from agents import Gate, agent_of, in_era, soon

pytestmark = pytest.mark.anyio


@in_era("legacy")
async def test_run_returns_output_and_exit_code(cotty, mode):
    async with agent_of(cotty, mode=mode) as agent:
        session = await agent.shell()
        ran = await agent.run(session, "echo out; echo err >&2; cd /; (exit 42)")
        assert (ran["outcome"], ran["output"], ran["exit_code"], ran["cwd"]) == ("done", "out\nerr\n", 42, "/")
        assert ran["state"] == "prompt"


@pytest.mark.parametrize(
    ("command", "output", "code"),
    [
        ("false", "", 1),
        ("ls /nowhere-at-all", "ls: cannot access '/nowhere-at-all': No such file or directory\n", 2),
        ("nosuchprogram", "bash: nosuchprogram: command not found\n", 127),
        ("for i in 1 2\ndo\n  echo $i\ndone", "1\n2\n", 0),
        ("f() {\n  echo in f\n  return 5\n}; f", "in f\n", 5),
        ("echo a; false\necho b", "a\nb\n", 0),
        ("echo a\necho b\n(exit 6)", "a\nb\n", 6),
        ("cat <<'EOF'\none $HOME\n\n  two\nEOF", "one $HOME\n\n  two\n", 0),
        ("echo '  spaces  inside  '", "  spaces  inside\n", 0),
        ("echo 'first\n\nthird'", "first\n\nthird\n", 0),
        ("echo 漢字かな 🙂 é", "漢字かな 🙂 é\n", 0),
        ("printf 'no end'", "no end", 0),
        ("printf 'two\\nno end'", "two\nno end", 0),
        ("printf ''", "", 0),
        ("printf '%0300d' 7", "0" * 299 + "7", 0),
        ("printf 'over\\rwritten\\n'", "written\n", 0),
        ("printf '\\e[1;31mred\\e[0m\\n'", "red\n", 0),
        ("echo '; echo $(date)' # a comment", "; echo $(date)\n", 0),
        ("# only a comment", "", 0),
        ("   echo lead", "lead\n", 0),
        ("echo 1 &&\necho 2", "1\n2\n", 0),
        ("clear; echo after", "after\n", 0),
        ("printf '\\e]133;D;0\\a\\e]133;A\\a$ \\e]133;B\\a'; echo forged", "$ forged\n", 0),
    ],
)
async def test_run_returns_exactly_the_output(cotty, command, output, code):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        assert await agent.output(session, command, code) == output
        # The next command is not affected.
        assert await agent.output(session, "echo next") == "next\n"


async def test_run_reports_a_syntax_error(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        ran = await agent.run(session, "echo )")
        assert (ran["outcome"], ran["exit_code"]) == ("done", 2)
        assert "syntax error" in ran["output"] and "echo )\n" not in ran["output"]


async def test_run_counts_dropped_lines(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        ran = await agent.run(session, "seq 5000", max_bytes=0)
        assert ran["output"] == "".join(f"{n}\n" for n in range(1, 5001))
        ran = await agent.run(session, "seq 20000", max_bytes=0)
        lines = ran["output"].splitlines()
        assert lines == [str(n) for n in range(20001 - len(lines), 20001)]
        assert len(lines) >= 10_000
        assert ran["dropped_lines"] == 20_000 - len(lines)


async def test_run_reports_where_its_output_is_cut_and_where_the_rest_is(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        ran = await agent.run(session, "seq 5000")
        lines, out = ran["output"].splitlines(), ran["left_out"]
        seam = out["after_lines"]
        assert (lines[seam - 1], lines[seam]) == (str(seam), str(seam + out["lines"] + 1))
        assert "note" not in ran
        ran = await agent.run(session, "seq 30000")
        assert f"first {ran['dropped_lines']} lines" in ran["note"]
        address = f"terminal://{session}/recording"
        assert address in ran["note"]
        recording = (await agent.client.read_resource(address)).contents[0].text
        assert "\\r\\n7777\\r\\n" in recording and "7777\n" not in ran["output"]
    cotty("stop")
    cotty.env["COTTY_RECORDING_ENABLED"] = "false"
    async with agent_of(cotty) as agent:
        ran = await agent.run(await agent.shell(), "seq 30000")
        assert "are lost" in ran["note"]


async def test_a_line_typed_ahead_is_not_the_command(cotty):
    """The prompt is shown, but a hook of the line editor delays the shell: it has not read the earlier input yet."""
    async with agent_of(cotty) as agent:
        session = (await agent("create_session", program="zsh"))["session_id"]
        runs, draws = Gate(cotty, "runs"), Gate(cotty, "draws")
        await agent.output(session, f"hold() {{ local x; read x < {draws}; zle -D zle-line-init }}")
        first = f"echo be''gun; cat {runs}; zle -N zle-line-init hold"
        await agent.type(session, f"{first}\n", view="new", wait_for_text="begun")
        await agent.type(session, "echo typed\n")
        await runs.open()
        held = await soon(draws.writer)
        await agent.refused("WAIT_TIMEOUT", "wait", session_id=session, prompt=True, timeout_ms=100)
        await agent.refused("NOT_AT_PROMPT", "run", session_id=session, command="echo too early", timeout_ms=100)
        os.write(held, b"go\n")
        os.close(held)
        await agent("wait", session_id=session, prompt=True)
        ran = await agent.run(session, "echo other; false")
        assert (ran["outcome"], ran["output"], ran["exit_code"]) == ("done", "other\n", 1)
        listed = cotty.call("commands", actor="person", session=session)["commands"]
        assert [command["text"] for command in listed][1:] == [first, "echo typed", "echo other; false"]


async def test_keys_typed_ahead_do_not_begin_the_command(cotty):
    async with agent_of(cotty) as agent:
        session = (await agent("create_session", program="zsh"))["session_id"]
        gate = Gate(cotty)
        await agent.output(session, f"zle-line-init() {{ local x; read x < {gate}; zle -D zle-line-init }}; zle -N zle-line-init")
        await agent("send", session_id=session, text="echo half ")
        await agent.refused("NOT_AT_PROMPT", "run", session_id=session, command="echo too early", timeout_ms=100)
        await gate.open()
        await agent("wait", session_id=session, text="echo half", since=0)
        error = await agent.refused("NOT_AT_PROMPT", "run", session_id=session, command="echo other")
        assert "command line" in error["message"]


async def test_run_waits_for_a_prompt_that_is_on_its_way(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        await agent.output(session, "PS1='$(sleep 0.2)$ '")
        for _ in range(2):
            ran = await agent.run(session, "seq 200 | less")
            assert ran["outcome"] == "running"
            await agent("send", session_id=session, key="q")
            assert await agent.output(session, "echo x") == "x\n"
        # A program that is told to end takes a moment, too.
        assert (await agent.run(session, "sh -c 'read x; sleep 0.2'"))["outcome"] == "running"
        await agent.type(session, "\n")
        assert await agent.output(session, "echo y") == "y\n"
        # A program that stays is reported.
        assert (await agent.run(session, "cat"))["outcome"] == "running"
        await agent.refused("NOT_AT_PROMPT", "run", session_id=session, command="echo z")


async def test_run_reports_a_shell_that_exits(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        ran = await agent.run(session, "exit 3")
        assert (ran["outcome"], ran["exit_code"], ran["state"]) == ("exited", 3, "exited")


async def test_run_returns_at_once_for_a_background_job(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        ran = await agent.run(session, "sleep 100 &")
        assert (ran["outcome"], ran["exit_code"]) == ("done", 0)
        assert ran["output"].startswith("[1] ")
        assert "sleep 100" in await agent.output(session, "jobs")


async def test_a_command_that_reads_accepts_input(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        ran = await agent.run(session, "read name; echo hello $name; (exit 4)")
        assert (ran["outcome"], ran["exit_code"]) == ("running", None)
        read = await agent.type(session, "world\n", view="new", wait_for_prompt=True)
        assert read["prompt_detected"] and "hello world\n" in read["content"]
        assert await agent.output(session, "echo $?") == "4\n"


async def test_run_reports_an_incomplete_command(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        ran = await agent.run(session, "echo 'open")
        assert ran["outcome"] == "running"
        await agent.interrupt(session)
        assert await agent.output(session, "echo fine") == "fine\n"


@pytest.mark.parametrize("size", [3_000, 10_000, 100_000])
async def test_run_writes_a_file_of_any_size(cotty, size):
    """Agents write files with long heredocs."""
    text = "".join(f"line {n} of the file\n" for n in range(size // 20))
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        assert await agent.output(session, f"cat > file.txt <<'EOF'\n{text}EOF") == ""
    assert (cotty.work / "file.txt").read_text() == text


async def test_output_of_several_commands_is_all_new(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        await agent("read", session_id=session, view="new")
        read = await agent.type(session, "echo one; true\necho two\n", view="new", wait_for_prompt=True)
        assert read["content"].startswith("one\ntwo\n")


async def test_run_works_after_a_program_died_on_the_alternate_screen(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        await agent.run(session, "printf '\\e[?1049h'")
        assert await agent.output(session, "echo visible") == "visible\n"


async def test_run_works_after_the_users_rc_was_read_again(cotty):
    (cotty.work / ".bashrc").write_text("PROMPT_COMMAND='count=1'\nPS1='$ '\n")
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        ran = await agent.run(session, "source ~/.bashrc")
        assert (ran["outcome"], ran["exit_code"]) == ("done", 0)
        assert await agent.output(session, "echo on") == "on\n"


async def test_set_x_traces_only_the_users_commands(cotty):
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        await agent.run(session, "set -x")
        assert await agent.output(session, "echo traced") == "+ echo traced\ntraced\n"


RCS = {
    "aliases, prompt command, coloured prompt": (
        "alias greet='echo hello'\nPROMPT_COMMAND='last=$?; count=$((count+1))'\n"
        "PS1='\\[\\e[31m\\]\\u@\\h \\[\\e[0m\\]\\w\\$ '\n"
    ),
    "a prompt set anew each time": "alias greet='echo hello'\nset_prompt() { PS1=\"[$?] \\$ \"; count=1; }\nPROMPT_COMMAND=set_prompt\n",
    "a list of prompt commands": "alias greet='echo hello'\nPROMPT_COMMAND=('count=1' 'true')\n",
    "a prompt of two lines": "alias greet='echo hello'\ncount=1\nPS1='\\n\\w\\n> '\n",
    "a debug trap": "alias greet='echo hello'\ncount=1\ntrap 'previous=$BASH_COMMAND' DEBUG\n",
    "strict settings": "alias greet='echo hello'\ncount=1\nset -u\nIFS=:\nset -f\nshopt -s nullglob nocasematch\n",
    "vi mode": "alias greet='echo hello'\ncount=1\nset -o vi\n",
    "its own PS0": "alias greet='echo hello'\ncount=1\nPS0='about to run\\n'\n",
    "history settings": "alias greet='echo hello'\ncount=1\nHISTCONTROL=ignoreboth\nHISTTIMEFORMAT='%F %T '\nHISTIGNORE='greet:*'\nHISTSIZE=0\n",
    "a title in the prompt": "alias greet='echo hello'\ncount=1\nPS1='\\[\\e]0;\\u: \\w\\a\\]\\$ '\n",
    "a shadowed printf": "alias greet='echo hello'\ncount=1\nprintf() { builtin printf 'mine '; builtin printf \"$@\"; }\n",
}


@pytest.mark.parametrize("rc", RCS.values(), ids=RCS.keys())
async def test_run_works_with_the_users_bashrc(cotty, rc):
    (cotty.work / ".bashrc").write_text(rc)
    async with agent_of(cotty) as agent:
        session = await agent.shell()
        about = "about to run\n" if "PS0" in rc else ""
        assert await agent.output(session, "greet") in (f"{about}hello\n", "hello\n")
        await agent.run(session, "(exit 7)")
        assert (await agent.output(session, "echo $?")).removeprefix(about) == "7\n"
        assert (await agent.output(session, 'test "$count" -ge 1 && echo counted')).removeprefix(about) == "counted\n"
        assert (await agent.output(session, "echo a\necho b")).replace(about, "") == "a\nb\n"
