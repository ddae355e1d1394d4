"""Commands that go on while a gate is open, judged by shells and by what they leave.

bash and sh say into which words they split a command. A repository says what a command changed: each file with its
bytes, beside git's note of when files changed, `.git/index`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from devs_git.domain.calls.reading_commands import only_reads
from devs_git.domain.calls.reading_programs import GIT, PROGRAMS, Options
from devs_git.domain.text import simple_command

pytestmark = pytest.mark.quick
Run = Callable[..., str]
SHELLS = ("bash", "sh")
WORDS = (
    *(
        "a.txt",
        "sub",
        "b",
        "HEAD",
        "main",
        "1,2",
        "+2",
        "5",
        "%h",
        "=x",
        "A=b",
        "%1",
        "a:b",
        "@",
        ",",
        ".",
        "''",
        "'a b'",
    ),
    *(
        '"b c"',
        "a'b c'd",
        "--output=x",
        "-delete",
        "--",
        "-",
        "-5",
        "-10k",
        "'--output=made'",
        "--outp=made",
        "-Omade",
    ),
    *(
        "--ext-diff",
        "--textconv",
        "--pre=./evil",
        "-exec",
        "-fprint",
        "-c",
        "-C",
        "-f",
        "-n5",
        "-nO",
        "--format=%GK",
    ),
    *(
        "$HOME",
        "~",
        "*",
        "?",
        ";",
        "&",
        "|",
        ">made",
        "<a.txt",
        "$(touch made)",
        "`touch made`",
        "\\",
        "\n",
        "\t",
        "#",
    ),
    *(
        "!",
        "{a,b}",
        "[a]",
        "(",
        ")",
        "'",
        '"',
        "\u00a0",
        "touch",
        "made",
        "rm",
        "-i",
        "-r",
        "-p",
        "--stat",
        "-name",
    ),
)
OPTIONS = sorted({word for one in (*PROGRAMS.values(), *GIT.values()) for word in one.words} - {"-print0"})
FIRST = (*PROGRAMS, *(f"git {verb}" for verb in GIT), "git", "git -P", "'cat'", "./cat", "A=b cat", "touch")


@st.composite
def commands(draw: st.DrawFn) -> str:
    """A command near the border: most of its words are listed, some are not, some touch each other."""
    said = draw(st.sampled_from(FIRST))
    for word in draw(st.lists(st.one_of(st.sampled_from(OPTIONS), st.sampled_from(WORDS)), max_size=5)):
        said += draw(st.sampled_from((" ", " ", " ", "  ", "", "="))) + word
    return said


@pytest.fixture
def tracers(tmp_path: Path) -> Path:
    """A folder in which each listed program prints the words with which it was started."""
    folder = tmp_path / "tracers"
    folder.mkdir()
    for name in (*PROGRAMS, "git"):
        (folder / name).write_text('#!/bin/sh\nprintf \'%s\\0\' "${0##*/}" "$@"\n')
        (folder / name).chmod(0o755)
    return folder


@pytest.fixture
def hostile(repo: Path, git: Run) -> Path:
    """A repository with files whose names are options, programs' names, and words of a shell."""
    (repo / "sub").mkdir()
    for name in ("a.txt", "b", "sub/a.txt", "--output=x", "-delete", "HEAD", "=x"):
        (repo / name).write_text(f"{name}\na b\n")
    for name in ("evil", "cat", "git"):
        (repo / name).write_text("#!/bin/sh\ntouch made\n")
        (repo / name).chmod(0o755)
    git("add", "-A")
    git("commit", "-qm", "one")
    (repo / "a.txt").write_text("changed\n")
    return repo


def left(top: Path) -> Mapping[str, bytes | None]:
    """Each path below `top`, with its bytes, except git's index."""
    files = {path: path.read_bytes() if path.is_file() else None for path in top.rglob("*")}
    return {os.fspath(path): data for path, data in files.items() if path != top / ".git" / "index"}


def run(shell: str, command: str, where: Path, path: str) -> bytes:
    environment = {**os.environ, "PATH": path, "GIT_PAGER": "touch made", "PAGER": "touch made"}
    done = subprocess.run(
        [shell, "-c", command],
        cwd=where,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=20,
        check=False,
    )
    return done.stdout


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.filter_too_much])
@given(command=commands())
def test_what_goes_on_is_split_by_each_shell_as_we_split_it_and_changes_nothing(
    command: str, hostile: Path, tracers: Path
) -> None:
    if not only_reads({"command": command}):
        return
    words = simple_command.split(command)
    assert words
    before = left(hostile)
    for shell in SHELLS:
        told = run(shell, command, hostile, f"{tracers}{os.pathsep}{os.environ['PATH']}")
        assert told.decode().split("\0")[:-1] == list(words)
    run("bash", command, hostile, os.environ["PATH"])
    assert left(hostile) == before


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("program", "options"),
    [*PROGRAMS.items(), *((f"git {verb}", options) for verb, options in GIT.items())],
    ids=[*PROGRAMS, *GIT],
)
def test_no_option_of_the_table_changes_a_file_or_a_ref(
    program: str, options: Options, hostile: Path
) -> None:
    """A program that is not on this machine does nothing; the others are run for real."""
    before = left(hostile)
    letters = (f"-{letter}" for letter in options.flags + options.valued)
    tried = [*letters, *options.words, *(f"{word}=2" for word in options.words if word.startswith("--"))]
    commands = [f"{program} {one} {more}" for one in tried for more in ("a.txt", "2 a.txt", "made")]
    for command in filter(lambda command: only_reads({"command": command}), commands):
        run("sh", command, hostile, os.environ["PATH"])
    assert left(hostile) == before
    assert shutil.which(program.split(maxsplit=1)[0]) or program == "rg"


@pytest.mark.parametrize(
    ("command", "prepared"),
    [
        ("cat a.txt", "echo 'cat() { touch made; }' >profile"),
        ("cat a.txt", "printf '%s\\n' 'shopt -s expand_aliases' \"alias cat='touch made #'\" >profile"),
        ("cat a.txt", "echo 'PATH=.:$PATH' >profile"),
        ("git diff", "git config diff.external ./evil"),
        ("git status", "git config core.fsmonitor ./evil"),
    ],
    ids=["function", "alias", "program of the repository", "external diff", "file system monitor"],
)
def test_what_was_prepared_before_the_gate_runs_and_the_page_about_gates_says_so(
    command: str, prepared: str, hostile: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No hook sees it in the command. While a gate is open, an agent can prepare none of it."""
    run("sh", prepared, hostile, os.environ["PATH"])
    monkeypatch.setenv("BASH_ENV", os.fspath(hostile / "profile"))
    assert only_reads({"command": command})
    assert not only_reads({"command": prepared})
    run("bash", command, hostile, os.environ["PATH"])
    assert (hostile / "made").exists()


def test_a_pipe_with_a_name_is_waited_for_and_nothing_is_written(hostile: Path) -> None:
    os.mkfifo(hostile / "fifo")
    before = {path: data for path, data in left(hostile).items() if not path.endswith("/fifo")}
    assert only_reads({"command": "cat fifo"})
    with pytest.raises(subprocess.TimeoutExpired):
        subprocess.run(["bash", "-c", "cat fifo"], cwd=hostile, check=False, timeout=0.3)
    (hostile / "fifo").unlink()
    assert left(hostile) == before
