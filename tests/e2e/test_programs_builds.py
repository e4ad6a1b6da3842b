"""Builds that fail and then pass, and git with its editor and pager, driven as by an agent."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import LIMIT

from driving import QUIET_VIM, Terminal


def git(repo, *args):
    done = subprocess.run(["git", "-C", repo, *args], capture_output=True, text=True, timeout=LIMIT, check=True)
    return done.stdout.rstrip("\n")


def repository(cotty, *subjects):
    """A repository with one commit for each subject, which adds a file of that name."""
    (cotty.work / ".gitconfig").write_text("[user]\nname = A\nemail = a@example.org\n[init]\ndefaultBranch = main\n")
    repo = cotty.work / "repo"
    script = ["git init -q repo", "cd repo"]
    script += [f"touch '{s}'; git add . ; git commit -q --no-gpg-sign -m '{s}'" for s in subjects]
    subprocess.run(["sh", "-ec", "\n".join(script)], cwd=cotty.work, env=cotty.env, timeout=4 * LIMIT, check=True)
    return repo


def test_git_log_pages_and_gives_the_prompt_back(cotty):
    repo = repository(cotty, *(f"change-{n:02}" for n in range(20)))
    shell = Terminal(cotty, cwd=str(repo), env={"PAGER": "less"})
    assert "change-10" not in shell.line("git log").shows("change-19")
    # The program that reads the terminal, not its group leader.
    shell.activity("pager", program="less")
    shell.type("/change-05\n").text("change-05")
    shell.type("q").prompt()
    assert shell.run("git log --oneline | wc -l") == "20\n"
    # Output that fits on the screen is not paged.
    assert shell.run("git log -1 --format=%s") == "change-19\n"


def test_git_rebase_reorders_and_squashes_in_vim(cotty):
    repo = repository(cotty, "zero", "one", "two", "three")
    shell = Terminal(cotty, cwd=str(repo), env={"GIT_EDITOR": QUIET_VIM})
    shell.line("git rebase -i HEAD~3").match(r"pick \w+ one")
    shell.activity("editor", program="vim")
    # Move two before one, and squash three into one.
    assert re.match(r"pick \w+ two\npick \w+ one\npick \w+ three", shell.type("ddp").idle())
    shell.line(":3s/pick/squash/").match(r"squash \w+ three")
    shell.line(":wq").text("This is a combination of 2 commits")
    shell.line(":%d").text("--No lines in buffer--")
    shell.type("ione and three\x1b").text("one and three")
    shell.line(":wq").prompt()
    assert "Successfully rebased and updated refs/heads/main." in shell.screen()
    assert git(repo, "log", "--format=%s").split("\n") == ["one and three", "two", "zero"]
    assert git(repo, "show", "--name-only", "--format=", "HEAD").split("\n") == ["one", "three"]
    assert shell.run("git status --porcelain") == ""


def test_make_fails_and_then_passes(cotty):
    (cotty.work / "Makefile").write_text("hello: hello.c\n\tgcc -Wall -o $@ $<\n")
    (cotty.work / "hello.c").write_text('#include <stdio.h>\nint main(void) { puts("hello") }\n')
    shell = Terminal(cotty)
    failed = shell.run("make", code=2)
    assert "gcc -Wall -o hello hello.c" in failed and "error: expected" in failed
    assert "make: *** [Makefile:2: hello] Error 1" in failed
    shell.new()
    shell.line("sed -i 's/(\"hello\")/&;/' hello.c && make && ./hello").prompt()
    assert shell.new().splitlines()[:2] == ["gcc -Wall -o hello hello.c", "hello"]
    assert shell.run("make") == "make: 'hello' is up to date.\n"


@pytest.fixture
def toolchain():
    """The compiler's own directory: the `cargo` on the PATH may be rustup's, which needs the user's home."""
    command = ["rustc", "--print", "sysroot"]
    return Path(subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()) / "bin"


def test_cargo_fails_and_then_passes(cotty, toolchain):
    crate = cotty.work / "tiny"
    (crate / "src").mkdir(parents=True)
    (crate / "Cargo.toml").write_text('[package]\nname = "tiny"\nversion = "0.1.0"\nedition = "2021"\n\n[workspace]\n')
    source = 'fn main() {\n    let words = vec!["it", "builds"]\n    println!("{words:?}");\n}\n'
    (crate / "src" / "main.rs").write_text(source)
    env = {"PATH": f"{toolchain}:{cotty.env['PATH']}", "CARGO_HOME": str(cotty.work / "cargo")}
    env |= {"CARGO_NET_OFFLINE": "true", "CARGO_TARGET_DIR": str(cotty.work / "target"), "CARGO_INCREMENTAL": "0"}
    shell = Terminal(cotty, cwd=str(crate), env=env)
    failed = shell.run("cargo build", code=101)
    assert "error: expected `;`, found `println`" in failed and "--> src/main.rs:2:" in failed
    assert "could not compile `tiny`" in failed
    # Edit the file with vim, as a person would.
    shell.line(f"{QUIET_VIM} -u NONE -N +2 src/main.rs").text("builds")
    shell.type("A;\x1b").text('"builds"];')
    shell.line(":wq").prompt()
    shell.new()
    shell.line("cargo run").prompt(timeout_ms=120_000)
    shown = shell.new()
    assert "Finished `dev` profile" in shown and '["it", "builds"]' in shown
    # The bar was overwritten.
    assert "Building [" not in shown and shown.count("Compiling tiny") == 1
    assert shell.run(f"{cotty.work}/target/debug/tiny") == '["it", "builds"]\n'


def test_npm_asks_and_builds(cotty):
    assert shutil.which("npm")
    package = cotty.work / "my-package"
    package.mkdir()
    quiet = {"npm_config_update_notifier": "false", "npm_config_fund": "false", "npm_config_audit": "false"}
    shell = Terminal(cotty, cwd=str(package), env=quiet)
    shell.line("npm init").text("package name: (my-package) ")
    for answer, question in [
        ("", "version: (1.0.0) "),
        ("2.3.4", "description: "),
        ("It is only a test", "entry point: (index.js) "),
        ("main.js", "test command: "),
        ("node -e 0", "git repository: "),
        ("", "keywords: "),
        ("cotty, tests", "author: "),
        ("A. Nobody", "license: "),
    ]:
        shell.line(answer).text(question)
    # Newer versions ask one more question.
    if "type: (" in shell.line("MIT").match(r"type: \(commonjs\) $|Is this OK\? \(yes\) $"):
        shell.line().text("Is this OK? (yes) ")
    shell.line("yes").prompt()
    made = json.loads((package / "package.json").read_text())
    assert {key: made[key] for key in ("name", "version", "description", "main", "author", "license")} == {
        "name": "my-package",
        "version": "2.3.4",
        "description": "It is only a test",
        "main": "main.js",
        "author": "A. Nobody",
        "license": "MIT",
    }
    assert made["keywords"] == ["cotty", "tests"] and made["scripts"] == {"test": "node -e 0"}
    shell.run("npm pkg set scripts.build='node build.js'")
    (package / "build.js").write_text("require('fs').writeFileSync('built', 'all of it';\n")
    failed = shell.run("npm run build", code=1)
    assert "SyntaxError: missing ) after argument list" in failed and "> node build.js" in failed
    shell.run("sed -i \"s/it';/it');/\" build.js")
    assert "> node build.js" in shell.run("npm run build")
    assert (package / "built").read_text() == "all of it"
