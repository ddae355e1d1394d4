"""One whole trace is read without click, and the output is the same as with click."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from devs_git.commands import trace_put
from devs_git.entrypoints import router
from devs_git.workspace import Workspace

pytestmark = pytest.mark.quick

OUTPUTS = {"text": "grün\r\n".encode() * 300, "bytes": b"\0\xff\n" * 300, "empty": b"", "--odd": b"x"}
LOADED = """import sys
from devs_git.__main__ import main
main()
sys.stderr.write(str([name for name in ("click", "typing") if name in sys.modules]))
"""


@pytest.fixture
def stored(initialised: Path) -> Path:
    for name, output in OUTPUTS.items():
        router.call("trace put", Workspace.open(initialised), trace_put.Request(output, name))
    return initialised


def get(where: Path, *words: str) -> tuple[int, bytes, bytes]:
    command = [sys.executable, "-m", "devs_git", "trace", "get", *words]
    done = subprocess.run(command, cwd=where, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr


def test_it_loads_no_click_and_no_typing_and_prints_the_bytes(stored: Path) -> None:
    for name in ("text", "bytes", "empty"):
        command = [sys.executable, "-c", LOADED, "trace", "get", name]
        done = subprocess.run(command, cwd=stored, capture_output=True, check=True)
        assert (done.stdout, done.stderr) == (OUTPUTS[name], b"[]")


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("words", "where"),
    [
        (("text",), "."),
        (("--raw", "bytes"), "."),
        (("no-such-trace",), "."),
        (("",), "."),
        (("text",), ".."),
        pytest.param(("text", "bytes"), ".", marks=pytest.mark.thorough),
        pytest.param(("--odd",), ".", marks=pytest.mark.thorough),
        pytest.param(("--", "--odd"), ".", marks=pytest.mark.thorough),
        pytest.param((), ".", marks=pytest.mark.thorough),
    ],
)
def test_what_is_printed_and_the_status_are_those_of_the_command_line(
    stored: Path, words: tuple[str, ...], where: str
) -> None:
    quick = get(stored / where, *words)
    # With an option, the command is run by click; this option changes nothing.
    assert quick == get(stored / where, "--offset", "0", *words)
    assert quick[1] or quick[2]
