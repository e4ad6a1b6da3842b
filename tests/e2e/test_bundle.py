"""R-T08: the MCP bundle, unpacked and started as a host does."""

import json
import re
import stat
import subprocess
import zipfile

import pytest
from conftest import BINARY, LIMIT, ROOT
from rpc import Rpc

# The format has only numbers, no integers.
NUMBER, TEXT = "number", "string"
USER_CONFIG = {
    "default_rows": (NUMBER, "Default Terminal Rows", "Default number of rows for new sessions (default: 24)", 24),
    "default_cols": (
        NUMBER,
        "Default Terminal Columns",
        "Default number of columns for new sessions (default: 80)",
        80,
    ),
    "default_shell": (TEXT, "Default Shell", "Default shell for new sessions (default: $SHELL or /bin/bash)", None),
    "term": (
        TEXT,
        "TERM Variable",
        "Terminal type for TERM env var (default: xterm-256color)",
        "xterm-256color",
    ),
    "scrollback_limit": (
        NUMBER,
        "Scrollback Limit",
        "Maximum lines to keep in scrollback per session (default: 10000)",
        10000,
    ),
    "prompt_pattern": (
        TEXT,
        "Prompt Pattern",
        "Regex pattern to detect shell prompt (for wait_for_prompt)",
        r"\$\s*$|#\s*$|>\s*$",
    ),
    "max_sessions": (NUMBER, "Maximum Sessions", "Maximum number of concurrent sessions (default: 10)", 10),
}


# One worker, so that the bundle is made once.
pytestmark = pytest.mark.xdist_group("bundle")


def pack(binary, output):
    subprocess.run([ROOT / "tools" / "mcpb", binary, output], check=True)
    return output


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    """An unpacked bundle, as on a host's disk."""
    top = tmp_path_factory.mktemp("bundle")
    with zipfile.ZipFile(pack(BINARY, top / "cotty.mcpb")) as bundle:
        for entry in bundle.infolist():
            path = bundle.extract(entry, top)
            # Python's unzip, unlike others, does not set the mode.
            (top / entry.filename).chmod(entry.external_attr >> 16)
            assert path == str(top / entry.filename)
    (top / "cotty.mcpb").unlink()
    yield top
    (top / "server" / "cotty").unlink()


class Bundle(Rpc):
    """The bundle's server, with the user's settings."""

    def __init__(self, cotty, top, unfilled="", **settings):
        manifest = json.loads((top / "manifest.json").read_text())
        defaults = {name: field.get("default") for name, field in manifest["user_config"].items()}
        values = {f"user_config.{name}": value for name, value in {**defaults, **settings}.items()}
        values["__dirname"] = top

        def filled(text):
            def value(match):
                found = values[match[1]]
                return unfilled and match[0] if found is None else str(found)

            return re.sub(r"\$\{([\w.]+)\}", value, text)

        config = manifest["server"]["mcp_config"]
        command = [filled(word) for word in (config["command"], *config["args"])]
        env = {name: filled(value) for name, value in config["env"].items()}
        super().__init__(cotty, command=command, env={**cotty.env, **env})
        self.begin()

    def make(self, **arguments):
        return self.call("terminal__create_session", **arguments)

    def output(self, command, session=None):
        session = session or self.make()["session_id"]
        return self.call("terminal__run", session_id=session, command=command)["output"]


@pytest.fixture
def running(cotty):
    """A daemon that runs already, with its own settings."""
    cotty.home.mkdir(mode=0o700)
    settings = "default_rows = 30\ndefault_cols = 100\nterm = 'vt100'\nscrollback_limit = 70\nprompt_pattern = 'never$'"
    (cotty.home / "config.toml").write_text(f"[terminal]\n{settings}\n[limits]\nmax_per_owner = 3\n")
    cotty("ls")
    return cotty


def test_the_manifest_matches_the_seed(unpacked):
    manifest = json.loads((unpacked / "manifest.json").read_text())
    shown = manifest["user_config"]
    assert list(shown) == list(USER_CONFIG)
    for name, (kind, title, description, default) in USER_CONFIG.items():
        field = shown[name]
        assert (field["type"], field["title"], field["description"]) == (kind, title, description)
        assert field.get("default") == default and not field["required"]
    needed = {"manifest_version", "name", "version", "description", "author", "server"}
    assert needed <= set(manifest) and manifest["author"]["name"]
    assert f'version = "{manifest["version"]}"' in (ROOT / "Cargo.toml").read_text()
    server = manifest["server"]
    assert server["type"] == "binary" and server["mcp_config"]["command"] == "${__dirname}/" + server["entry_point"]
    assert (unpacked / server["entry_point"]).stat().st_mode & stat.S_IXUSR


def test_the_same_input_gives_the_same_bundle(tmp_path):
    (tmp_path / "binary").write_bytes(b"#!/bin/sh\n")
    one, two = (pack(tmp_path / "binary", tmp_path / name).read_bytes() for name in ("one", "two"))
    assert one == two


def test_the_bundle_sets_rows_columns_and_term(running, unpacked):
    with Bundle(running, unpacked, default_rows=41, default_cols=99, term="screen-256color") as bundle:
        made = bundle.make()
        assert made["dimensions"] == {"rows": 41, "cols": 99}
        assert bundle.output("echo $TERM; stty size", made["session_id"]) == "screen-256color\n41 99\n"
    # Other clients are not affected.
    with Rpc(running) as other:
        assert other.begin().call("terminal__create_session")["dimensions"] == {"rows": 30, "cols": 100}


def test_the_bundle_sets_the_shell(running, unpacked):
    with Bundle(running, unpacked, default_shell="/bin/sh") as bundle:
        assert bundle.make()["program"] == "/bin/sh"


@pytest.mark.parametrize("unfilled", ["", "as it stands"])
def test_an_empty_shell_setting_means_the_users_shell(running, unpacked, unfilled):
    with Bundle(running, unpacked, unfilled=unfilled) as bundle:
        assert bundle.make()["program"] == "/bin/bash"


def test_the_bundle_sets_the_scrollback_limit(running, unpacked):
    for limit in (5, 200):
        with Bundle(running, unpacked, scrollback_limit=limit) as bundle:
            session = bundle.make()["session_id"]
            bundle.output("seq 1000", session)
            read = bundle.call("terminal__read", session_id=session, view="scrollback", limit=1000)
            assert len(read["content"].splitlines()) == limit


def test_the_bundle_sets_the_prompt_pattern(running, unpacked):
    asks = {"program": "sh", "args": ["-c", "printf 'ready? '; read x"], "wait_ready": False}
    for pattern, found in ((r"ready\? $", True), (r"steady\? $", False)):
        with Bundle(running, unpacked, prompt_pattern=pattern) as bundle:
            session = bundle.make(**asks)["session_id"]
            bundle.call("terminal__wait", session_id=session, text="ready?")
            limit = 1000 * LIMIT if found else 0
            read = bundle.call("terminal__read", session_id=session, wait_for_prompt=True, timeout_ms=limit)
            assert read["prompt_detected"] is found


def test_the_bundle_sets_the_session_limit(running, unpacked):
    with Bundle(running, unpacked, max_sessions=5) as bundle:
        for _ in range(5):
            bundle.make(program="cat")
        refused = bundle.answer(bundle.start_call("terminal__create_session"))["result"]
        assert refused["isError"] and refused["structuredContent"]["error"]["code"] == "MAX_SESSIONS"
        assert "5" in refused["structuredContent"]["error"]["message"]
