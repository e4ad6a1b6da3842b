"""Both API examples of the `pty` tools' seed, each over another transport and era (R-P21)."""

import subprocess

import anyio
import pytest
from agents import soon
from attaching import window  # noqa: F401 (a fixture)
from conftest import LIMIT
from test_programs_builds import toolchain  # noqa: F401 (a fixture)
from ways import HTTP_NEW, STDIO_LEGACY, agent_by, by

pytestmark = pytest.mark.anyio

MESSAGE = (
    "I've set a breakpoint at main() and the program is paused. Please inspect the variables and continue when ready."
)


async def until(cotty, session, **conditions):
    """Waits for an event in a session."""
    waited = await anyio.to_thread.run_sync(
        lambda: cotty.call("wait", actor="person", session=str(session), timeout_ms=LIMIT * 1000, **conditions)
    )
    assert waited["met"] != "timeout", waited


@by(HTTP_NEW)
async def test_run_a_build(cotty, way, toolchain):  # noqa: F811
    project = cotty.work / "project"
    (project / "src").mkdir(parents=True)
    (project / "Cargo.toml").write_text('[package]\nname = "p"\nversion = "0.1.0"\nedition = "2021"\n[workspace]\n')
    # The build never ends by itself: its script waits until Ctrl-C.
    (project / "build.rs").write_text("fn main() { loop { std::thread::park(); } }\n")
    (project / "src/main.rs").write_text("fn main() {}\n")
    cotty.env["PATH"] = f"{toolchain}:{cotty.env['PATH']}"
    async with agent_by(way, cotty, tools="pty", prefix="pty_") as pty:
        made = await pty("launch", command="bash", working_dir=str(project))
        session = made["session_id"]
        assert session == 1 and (made["working_dir"], made["size"]) == (str(project), [80, 24])
        await pty("send_keys", session_id=session, keys="cargo build\n", special=True)
        await until(cotty, session, text="Compiling p v0.1.0")
        screen = await pty("get_screen", session_id=session, include_colors=False)
        assert "Compiling p v0.1.0" in screen["contents"] and screen["state"] == "running"
        await pty("send_keys", session_id=session, keys="^C", special=True)
        await until(cotty, session, prompt=True)
        assert (await pty("get_screen", session_id=session))["state"] == "prompt"
        assert (await pty("kill", session_id=session))["killed"]


@by(STDIO_LEGACY)
async def test_interactive_debugging(cotty, way, window):  # noqa: F811
    (cotty.work / "p.c").write_text("int main(void) {\n  int answer = 42;\n  return answer - 42;\n}\n")
    subprocess.run(["gcc", "-g", "-O0", "-o", "myprogram", "p.c"], cwd=cotty.work, check=True)
    cotty.env["DEBUGINFOD_URLS"] = ""
    async with agent_by(way, cotty, tools="pty", prefix="pty_") as pty:
        made = await pty("launch", command="gdb ./myprogram", working_dir=str(cotty.work))
        assert made["command"] == "gdb ./myprogram"
        session = made["session_id"]
        await until(cotty, session, text="(gdb)")
        await pty("send_keys", session_id=session, keys="break main\n", special=True)
        await until(cotty, session, text="Breakpoint 1 at")
        await pty("send_keys", session_id=session, keys="run\n", special=True)
        await until(cotty, session, regex="int answer = 42|not permitted")
        screen = await pty("get_screen", session_id=session)
        assert "Breakpoint 1, main" in screen["contents"] and "int answer = 42" in screen["contents"]
        asked = {}

        async def asks():
            asked.update(await pty("request_user_input", session_id=session, message=MESSAGE, timeout_seconds=300))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(asks)
            await soon(lambda: cotty.json("requests")["requests"])
            view = await anyio.to_thread.run_sync(lambda: window((120, 30)).attach("--next", user="ann"))
            await soon(lambda: cotty.call("keyboard", actor="person", session=str(session)).get("by") == "ann")
            # A box shows the whole message until the next key, which the program does not get.
            await soon(lambda: "continue when ready." in " ".join(view.rows()))
            view.press("Escape")
            await soon(lambda: "continue when ready." not in " ".join(view.rows()))
            view.type("next")
            view.press("Enter")
            view.type("print answer")
            view.press("Enter")
            await until(cotty, session, text="$1 = 42")
            view.press("C-d")
        assert (asked["outcome"], asked["session_id"], asked["by"]) == ("completed", session, "ann")
        assert "$1 = 42" in asked["screen"] and asked["duration_seconds"] > 0
        # The agent continues.
        await pty("send_keys", session_id=session, keys="continue\n", special=True)
        await until(cotty, session, text="exited normally")
        assert (await pty("kill", session_id=session))["killed"]
