"""The configuration: layers, errors, a file that breaks while a daemon runs; the log and the port."""

import json
import os
import pty
import shutil
import signal
import socket
import subprocess
from contextlib import contextmanager, suppress

import pytest
from conftest import LIMIT, alive, eventually


def configure(cotty, text):
    cotty.home.mkdir(mode=0o700, exist_ok=True)
    (cotty.home / "config.toml").write_text(text)


def shown(cotty, key):
    """A setting's value and its layer."""
    keys = cotty.json("config", "show")["keys"]
    found = next(k for k in keys if k["key"] == key)
    return found["value"], found["source"]


@contextmanager
def serving(cotty, *args, **options):
    """A daemon in the foreground."""
    options.setdefault("stdout", subprocess.PIPE)
    server = cotty.start("serve", *args, **options)
    try:
        eventually(lambda: (cotty.home / "run" / "cotty.sock").exists() or server.poll() is not None)
        assert server.poll() is None, "it did not start"
        cotty.status()
        yield server
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(LIMIT)
        if server.stdout:
            server.stdout.close()


def sessions_until_refused(cotty):
    """The number of sessions that an owner may have."""
    for count in range(20):
        answer = cotty.any_call("create", program="cat")
        if "error" in answer:
            assert answer["error"]["code"] == "MAX_SESSIONS", answer
            return count
    raise AssertionError("never refused")


# Layers


def test_each_layer_overrides_the_one_below(cotty):
    assert shown(cotty, "limits.max_per_owner") == (10, "built_in")
    configure(cotty, "[limits]\nmax_per_owner = 2\n")
    assert shown(cotty, "limits.max_per_owner") == (2, "file")
    cotty.env["COTTY_LIMITS_MAX_PER_OWNER"] = "3"
    assert shown(cotty, "limits.max_per_owner") == (3, "environment")
    with serving(cotty, "--max-per-owner", 4, env=dict(cotty.env)):
        assert shown(cotty, "limits.max_per_owner") == (4, "flag")
        # A client's own setting overrides all others for its sessions, so the client must not have one here.
        del cotty.env["COTTY_LIMITS_MAX_PER_OWNER"]
        assert sessions_until_refused(cotty) == 4
        pid = cotty.kill_daemon()
        assert cotty.status()["pid"] != pid
        assert shown(cotty, "limits.max_per_owner") == (4, "flag"), "after a kill as before"


def test_the_file_and_the_environment_change_what_sessions_get(cotty):
    configure(cotty, "[limits]\nmax_per_owner = 2\n")
    cotty.new("--", "cat")
    assert sessions_until_refused(cotty) == 2
    cotty("stop")
    own = dict(cotty.env)
    cotty.env["COTTY_LIMITS_MAX_SESSIONS"] = "1"
    # A client's setting does not apply to others, even if that client starts the daemon.
    cotty.env["COTTY_LIMITS_MAX_PER_OWNER"] = "7"
    cotty.env["COTTY_TERMINAL_PROMPT_PATTERN"] = "("
    cotty("new", "--", "cat", code=1)
    assert "COTTY_TERMINAL_PROMPT_PATTERN" in cotty.stderr
    del cotty.env["COTTY_TERMINAL_PROMPT_PATTERN"]
    cotty.env = own
    assert shown(cotty, "limits.max_sessions") == (1, "environment")
    assert shown(cotty, "limits.max_per_owner") == (2, "file")
    assert sessions_until_refused(cotty) == 1


def test_a_foreground_daemon_reads_all_settings_from_its_environment(cotty):
    with serving(cotty, env=cotty.env | {"COTTY_LIMITS_MAX_PER_OWNER": "3"}):
        assert sessions_until_refused(cotty) == 3


def test_a_restart_reads_the_file_again_and_keeps_the_sessions(cotty):
    session = cotty.new("--", "cat")
    configure(cotty, "[terminal]\ndefault_rows = 31\n")
    keys = cotty.json("config", "show")["keys"]
    rows = next(k for k in keys if k["key"] == "terminal.default_rows")
    assert (rows["value"], rows["source"], rows["after_restart"]) == (24, "built_in", 31)
    assert "31 after `cotty restart`" in cotty("config", "show")
    cotty("restart")
    assert shown(cotty, "terminal.default_rows") == (31, "file")
    assert cotty.info(session)["healthy"]
    assert cotty.call("create", program="cat")["dimensions"]["rows"] == 31


# R-T08
def test_a_clients_settings_apply_to_its_sessions_in_a_running_daemon(cotty):
    configure(cotty, "[terminal]\ndefault_rows = 30\nterm = 'screen'\n[limits]\nmax_per_owner = 9\n")
    first = cotty.call("create", program="sh", args=["-c", "echo TERM=$TERM; cat"])
    assert first["dimensions"] == {"rows": 30, "cols": 80}
    assert cotty.call("wait", session=first["session_id"], text="TERM=")["screen"].strip() == "TERM=screen"
    cotty.env |= {
        "COTTY_TERMINAL_DEFAULT_ROWS": "50",
        "COTTY_TERMINAL_DEFAULT_COLS": "90",
        "COTTY_TERMINAL_DEFAULT_SHELL": "/bin/cat",
        "COTTY_TERMINAL_TERM": "vt220",
        "COTTY_TERMINAL_SCROLLBACK_LIMIT": "77",
        "COTTY_TERMINAL_PROMPT_PATTERN": "ready> $",
        "COTTY_LIMITS_MAX_PER_OWNER": "4",
    }
    shell = cotty.call("create")
    assert shell["program"] == "/bin/cat" and shell["dimensions"] == {"rows": 50, "cols": 90}
    assert cotty.call("info", session=shell["session_id"])["history_lines"] == 77
    script = "echo TERM=$TERM; printf 'ready> '; exec cat"
    asking = cotty.call("create", program="sh", args=["-c", script])
    assert cotty.call("wait", session=asking["session_id"], prompt=True)["met"] == "prompt"
    assert "TERM=vt220" in cotty.call("read", session=asking["session_id"])["content"]
    cotty.kill_daemon()
    assert cotty.call("info", session=shell["session_id"])["history_lines"] == 77, "a session keeps the settings it was created with"
    assert cotty.call("wait", session=asking["session_id"], prompt=True)["met"] == "prompt"
    assert sessions_until_refused(cotty) == 1, "three of four already existed"
    cotty.env["COTTY_TERMINAL_PROMPT_PATTERN"] = "("
    error = cotty.call("create", error="INVALID_PATTERN")
    assert "COTTY_TERMINAL_PROMPT_PATTERN" in error["message"]
    cotty.env["COTTY_TERMINAL_PROMPT_PATTERN"] = ""
    cotty.env["COTTY_TERMINAL_DEFAULT_ROWS"] = "0"
    error = cotty.call("create", error="INVALID_INPUT")
    assert "COTTY_TERMINAL_DEFAULT_ROWS" in error["message"] and "from 1 to 1000" in error["message"]


# R-T08
@pytest.mark.anyio
async def test_an_mcp_clients_settings_apply_to_its_sessions(cotty):
    cotty.new("--", "cat")
    cotty.env |= {"COTTY_TERMINAL_DEFAULT_ROWS": "33", "COTTY_LIMITS_MAX_PER_OWNER": "1"}
    async with cotty.mcp() as client:
        made = await client.call_tool("terminal__create_session", {"program": "cat"})
        assert made.structured_content["dimensions"]["rows"] == 33
        refused = await client.call_tool("terminal__create_session", {"program": "cat"})
        assert refused.is_error and "MAX_SESSIONS" in str(refused)


def test_variables_that_look_like_secrets_pass_if_named(cotty):
    configure(cotty, '[terminal]\npass_env = ["SSH_AUTH_SOCK", "BUILD_*"]\n')
    cotty.env |= {"SSH_AUTH_SOCK": "/one", "BUILD_TOKEN": "t", "OTHER_TOKEN": "no"}

    def shown():
        session = cotty.call("create", program="sh", args=["-c", "echo $SSH_AUTH_SOCK $BUILD_TOKEN $OTHER_TOKEN-"])["session_id"]
        return cotty.call("wait", session=session, exit=True)["screen"]

    assert "/one t -" in shown()
    cotty.env["SSH_AUTH_SOCK"] = "/two"
    assert "/two t -" in shown()


def test_nothing_is_recorded_with_recording_off(cotty):
    configure(cotty, "[recording]\nenabled = false\n")
    quiet = cotty.call("create", program="cat")["session_id"]
    loud = cotty.call("create", program="cat", record=True)["session_id"]
    for session in (quiet, loud):
        cotty.call("destroy", session=session)
    eventually(lambda: (cotty.home / "recordings" / loud).exists())
    assert not (cotty.home / "recordings" / quiet).exists()


def test_an_exited_session_is_removed_after_the_configured_time(cotty):
    configure(cotty, '[retention]\nended = "1s"\n')
    session = cotty.new("--", "true")
    eventually(lambda: session not in cotty("ls"))


def test_without_a_home_the_file_is_in_the_xdg_config_directory(cotty):
    del cotty.env["COTTY_HOME"]
    cotty.env |= {"XDG_STATE_HOME": str(cotty.work / "state"), "XDG_RUNTIME_DIR": str(cotty.home)}
    cotty.home.mkdir(mode=0o700)
    assert cotty.json("config", "show")["file"] == str(cotty.work / ".config/cotty/config.toml")
    file = cotty.work / "xdg" / "cotty" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text("[limits]\nmax_sessions = 5\n")
    cotty.env["XDG_CONFIG_HOME"] = str(cotty.work / "xdg")
    assert shown(cotty, "limits.max_sessions") == (5, "file")
    assert f"{file}:2" in cotty("config", "show")


# What is refused

BROKEN = "[limits]\nmax_sesions = 5\nmax_per_owner = 'many'\n[htp]\n"


def test_a_broken_file_is_refused_with_line_numbers(cotty):
    configure(cotty, BROKEN)
    file = cotty.home / "config.toml"
    for command in (["new"], ["serve"], ["config", "check"], ["config", "check", file]):
        cotty(*command, code=1)
        assert f"{file}:2: [limits] has no `max_sesions`; did you mean `max_sessions`?" in cotty.stderr
        assert f'{file}:3: "many" is not valid: use a number from 1 to' in cotty.stderr
        assert f"{file}:4: there is no section [htp]; did you mean [http]?" in cotty.stderr
    cotty("status", code=3)
    configure(cotty, "[limits\n")
    cotty("new", code=1)
    assert f"{file}:1: this is not TOML" in cotty.stderr
    file.write_bytes(b"\xff\xfe")
    cotty("new", code=1)
    assert "UTF-8" in cotty.stderr
    file.unlink()
    assert "it is optional" in cotty("config", "check")
    cotty.new("--", "cat")


def test_an_unknown_variable_is_refused(cotty):
    cotty.env["COTTY_LIMITS_MAX_SESSION"] = "5"
    cotty("new", code=1)
    assert "COTTY_LIMITS_MAX_SESSION: there is no such key; did you mean `COTTY_LIMITS_MAX_SESSIONS`?" in cotty.stderr


def test_a_running_daemon_ignores_a_broken_file(cotty):
    configure(cotty, "[limits]\nmax_per_owner = 3\n")
    session = cotty.new("--", "cat")
    configure(cotty, BROKEN)
    cotty.new("--", "cat")
    pid = cotty.kill_daemon()
    assert cotty.info(session)["healthy"] and cotty.status()["pid"] != pid
    # The last valid settings apply, not the defaults.
    assert shown(cotty, "limits.max_per_owner") == (3, "file")
    assert sessions_until_refused(cotty) == 3
    assert "max_sesions" in (cotty.home / "cotty.log").read_text()
    assert any("max_sesions" in problem for problem in cotty.json("config", "show")["problems"])
    cotty("restart")
    assert cotty.info(session)["healthy"] and shown(cotty, "limits.max_per_owner") == (3, "file")
    (cotty.home / "config.toml").write_text("[limits]\nmax_per_owner = 4\n")
    cotty("restart")
    assert shown(cotty, "limits.max_per_owner") == (4, "file") and cotty.info(session)["healthy"]
    os.unlink(cotty.home / "config.toml")
    os.mkdir(cotty.home / "config.toml")
    cotty.kill_daemon()
    assert shown(cotty, "limits.max_per_owner") == (4, "file") and cotty.info(session)["healthy"]


# edit


def editor(cotty, *lines):
    """An editor that writes the next of these texts each time it is opened."""
    for number, text in enumerate(lines):
        (cotty.work / f"text.{number}").write_text(text)
    script = cotty.work / "editor"
    script.write_text(
        f'cp "$1" {cotty.work}/seen\nn=$(cat {cotty.work}/n)\necho $((n + 1)) > {cotty.work}/n\ncat {cotty.work}/text.$n > "$1"\n'
    )
    (cotty.work / "n").write_text("0")
    cotty.env["EDITOR"] = f"sh {script}"


@pytest.mark.as_root
def test_edit_starts_with_a_template_and_checks_the_result(cotty):
    file = cotty.home / "config.toml"
    editor(cotty, "[limits]\nmax_sessions = 12\n")
    cotty("config", "edit")
    assert "#max_sessions = 1000" in (cotty.work / "seen").read_text()
    assert file.read_text() == "[limits]\nmax_sessions = 12\n" and shown(cotty, "limits.max_sessions") == (12, "file")
    editor(cotty, BROKEN)
    cotty("config", "edit", code=1, stdin=subprocess.DEVNULL)
    assert "did you mean `max_sessions`" in cotty.stderr and "config.rejected.toml" in cotty.stderr
    assert file.read_text() == "[limits]\nmax_sessions = 12\n"
    assert (cotty.home / "config.rejected.toml").read_text() == BROKEN
    cotty.env["EDITOR"] = "true"
    cotty("config", "edit")
    assert "nothing was changed" in cotty.stderr
    cotty.env["EDITOR"] = "false"
    cotty("config", "edit", code=1)
    assert "nothing was changed" in cotty.stderr
    assert sorted(p.name for p in cotty.home.glob("config*")) == ["config.rejected.toml", "config.toml"]


def edit_at_a_terminal(cotty, answers):
    master, slave = pty.openpty()
    editing = cotty.start("config", "edit", stdin=slave, stderr=subprocess.PIPE, text=True)
    os.close(slave)
    os.write(master, answers.encode())
    said = editing.communicate(timeout=LIMIT)[1]
    os.close(master)
    return editing.returncode, said


def test_edit_offers_to_discard_a_broken_file(cotty):
    good, better = "[limits]\nmax_sessions = 12\n", "[limits]\nmax_sessions = 13\n"
    configure(cotty, good)
    file = cotty.home / "config.toml"
    editor(cotty, BROKEN, better)
    assert edit_at_a_terminal(cotty, "e\n")[0] == 0 and file.read_text() == better
    editor(cotty, BROKEN)
    code, said = edit_at_a_terminal(cotty, "x\nd\n")
    assert code == 1 and "is unchanged" in said and file.read_text() == better
    editor(cotty, BROKEN)
    code, said = edit_at_a_terminal(cotty, "k\n")
    assert code == 1 and "NOT valid" in said and file.read_text() == BROKEN


@pytest.mark.as_root
def test_edit_preserves_a_symlink(cotty):
    target = cotty.work / "dotfile.toml"
    target.write_text("")
    cotty.home.mkdir(mode=0o700)
    (cotty.home / "config.toml").symlink_to(target)
    editor(cotty, "[limits]\nmax_sessions = 14\n")
    cotty("config", "edit")
    assert (cotty.home / "config.toml").is_symlink() and "14" in target.read_text()


# The log


@pytest.mark.as_root
def test_the_log_goes_to_the_configured_file(cotty):
    file = cotty.work / "own.log"
    configure(cotty, f'[log]\nlevel = "debug"\nfile = "{file}"\n')
    cotty.new("--", "cat")
    (cotty.home / "config.toml").write_text("[lgo]\n")
    cotty.kill_daemon()
    cotty.status()
    eventually(lambda: "did you mean [log]" in file.read_text())
    assert oct(file.stat().st_mode & 0o777) == "0o600"


@pytest.mark.as_root
def test_an_unwritable_log_does_not_stop_the_daemon(cotty):
    file = cotty.work / "logs" / "own.log"
    file.parent.mkdir()
    configure(cotty, f'[log]\nfile = "{file}"\n')
    session = cotty.new("--", "cat")
    assert file.exists()
    file.unlink()
    file.parent.rmdir()
    cotty.kill_daemon()
    assert cotty.info(session)["healthy"]
    assert str(file) in (cotty.home / "cotty.log").read_text()


def test_a_foreground_daemon_logs_to_stderr(cotty):
    with serving(cotty, stderr=subprocess.PIPE, text=True) as server:
        configure(cotty, "[lgo]\n")
        cotty.kill_daemon()
        cotty.status()
        assert "did you mean [log]" in server.stderr.readline()
    server.stderr.close()
    log = cotty.home / "cotty.log"
    assert not log.exists() or "lgo" not in log.read_text()


def full_pipe():
    """A full pipe that no one reads."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    for size in (65536, 1):
        try:
            while True:
                os.write(writing, b"x" * size)
        except BlockingIOError:
            pass
    os.set_blocking(writing, True)
    return reading, writing


def test_a_daemon_with_unread_stdout_and_stderr_keeps_running(cotty):
    reading, writing = full_pipe()
    cotty.env["COTTY_LOG"] = "trace"
    with serving(cotty, stdout=writing, stderr=writing):
        session = cotty.new("--", "cat")
        for broken in (BROKEN, "[lgo]\n" * 3, ""):
            configure(cotty, broken)
            cotty.kill_daemon()
            assert cotty.info(session)["healthy"]
        cotty("restart")
        assert cotty.info(session)["healthy"]
    os.close(reading)
    os.close(writing)


# The port


def listens(listener, port):
    try:
        listener.bind(("127.0.0.1", port))
        listener.listen()
    except OSError:
        return False
    return True


@contextmanager
def taken(port=0):
    """A port that is taken while the block runs: by this test, or by a process that had it before."""
    with socket.socket() as listener:
        # As the daemon does: a recently closed connection does not block the port.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        # A daemon that is exiting releases the port in a moment: wait for that.
        with suppress(AssertionError):
            eventually(lambda: listens(listener, port), limit=10)
        yield f"127.0.0.1:{listener.getsockname()[1] or port}"


@pytest.mark.xdist_group("port 7420")
def test_another_port_is_used_if_the_default_is_taken(cotty):
    del cotty.env["COTTY_HTTP_LISTEN"]
    with taken(7420):
        cotty.new("--", "cat")
        assert not cotty.status()["http"].endswith(":7420")
        http = cotty.status()["http"]
    cotty("restart")
    assert cotty.status()["http"] == http, "a link keeps working"
    assert shown(cotty, "http.listen") == ("127.0.0.1:7420", "built_in")


@pytest.mark.xdist_group("port 7420")
def test_the_default_port_is_used_if_free(cotty):
    del cotty.env["COTTY_HTTP_LISTEN"]

    def taken_or_not_free():
        cotty.new("--", "cat")
        with socket.socket() as probe:
            if cotty.status()["http"].endswith(":7420") or probe.connect_ex(("127.0.0.1", 7420)) == 0:
                return True
        # Another process may have had the port a moment ago.
        cotty("stop")
        shutil.rmtree(cotty.home)
        return False

    eventually(taken_or_not_free)


def test_a_chosen_port_that_is_taken_is_refused(cotty):
    del cotty.env["COTTY_HTTP_LISTEN"]
    with taken() as address:
        configure(cotty, f'[http]\nlisten = "{address}"\n')
        for command in ("new", "serve"):
            cotty(command, code=1)
            assert f"cannot listen on {address}, set by {cotty.home}/config.toml:2" in cotty.stderr
        cotty("status", code=3)


@pytest.mark.parametrize("address", ["0.0.0.0:7420", "192.0.2.1:80", "[::]:0"])
def test_a_non_loopback_address_is_refused_with_a_reason(cotty, address):
    del cotty.env["COTTY_HTTP_LISTEN"]
    configure(cotty, f'[http]\nlisten = "{address}"\n')
    cotty("new", code=1)
    assert f"{address} is not a loopback address" in cotty.stderr and "TLS" in cotty.stderr


def test_a_restart_applies_a_changed_address(cotty):
    del cotty.env["COTTY_HTTP_LISTEN"]
    configure(cotty, '[http]\nlisten = "127.0.0.1:0"\n')
    session = cotty.new("--", "cat")
    before = cotty.status()
    cotty("restart")
    assert cotty.status()["link"] == before["link"]
    with taken() as address:
        pass
    configure(cotty, f'[http]\nlisten = "{address}"\n')
    cotty("restart")
    assert cotty.status()["http"] == f"http://{address}" and cotty.info(session)["healthy"]
    # Another program may listen at the old address now, where pages have the old key.
    link = cotty.status()["link"]
    assert link.split("#")[1] != before["link"].split("#")[1]
    with taken() as other:
        configure(cotty, f'[http]\nlisten = "{other}"\n')
        cotty("restart")
        assert cotty.status()["link"] == link, "a working address is kept"
    assert "keeping the current one" in (cotty.home / "cotty.log").read_text()


# A second start


def test_a_second_serve_names_the_first(cotty):
    cotty.new("--", "cat")
    status = cotty.status()
    cotty("serve", code=1)
    for word in ("already running here", str(status["keeper_pid"]), status["http"], "cotty stop", "COTTY_HOME"):
        assert word in cotty.stderr, word
    assert alive(status["pid"]) and cotty.status()["pid"] == status["pid"]


def test_show_prints_text_and_json(cotty):
    configure(cotty, "[terminal]\nprompt_pattern = 'λ $'\n")
    text = cotty("config", "show")
    assert 'terminal.prompt_pattern = "λ $"' in text and "config.toml:2" in text
    assert 'attach.prefix = "ctrl+]"' in text and "built in" in text
    found = json.loads(cotty("config", "show", "--json"))
    assert found["running"] is False and found["problems"] == []


@pytest.mark.parametrize("command", [["config"], ["config", "show"], ["config", "check"], ["config", "edit"]])
def test_config_commands_have_help(cotty, command):
    text = cotty(*command, "--help")
    assert f"cotty {' '.join(command)}" in text and "Examples:" in text
    assert not cotty.home.exists(), "help touches nothing"
