"""OpenCode's plug-in in the pinned Node: which files it takes for an output, and where it writes."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest

from devs_git.domain.clients import opencode
from devs_git.domain.clients.opencode import OPENCODE
from devs_git.domain.recall.traces import Cut
from tests.clients import installation

pytestmark = pytest.mark.thorough

_RUN: Final = """\
import { DevsGit } from "./plugin.mjs"
const [tool, answer] = JSON.parse(process.argv[2])
const hooks = await DevsGit({ directory: process.cwd() })
await hooks["tool.execute.after"]({ tool, sessionID: "s", callID: "c", args: {} }, answer)
const created = { created: 1 }
await hooks.event({ event: { type: "message.updated", properties: { info: { id: "m", role: "user", time: created } } } })
const part = { id: "p", type: "text", messageID: "m", sessionID: "s", text: "Look." }
await hooks.event({ event: { type: "message.part.updated", properties: { part } } })
"""
LAST: Final = "last lines"
SECRET: Final = "TOP SECRET"


class Bench:
    """A repository with a hook that keeps its payload, and OpenCode's folder of outputs."""

    def __init__(self, top: Path, data: Path) -> None:
        self.top = top
        self.outputs = data / "opencode" / "tool-output"
        self.ours = top / ".git" / "devs"
        self.transcript = self.ours / "transcripts" / "opencode-s.jsonl"
        self.secret = top / "secret"
        self.outputs.mkdir(parents=True)
        self.transcript.parent.mkdir(parents=True)
        (self.ours / "agent-hook").write_text(f"cat > '{top}/told'\n")
        (top / "plugin.mjs").write_text(opencode.plugin(OPENCODE))
        (top / "run.mjs").write_text(_RUN)
        self.secret.write_text(SECRET)

    def told(self, path: object, tool: str = "bash", **more: Any) -> tuple[str, Cut | None]:
        """The output that the hook was told for an answer that names a file, and what it leaves out."""
        answer = {"output": LAST, "metadata": {"truncated": True, "outputPath": path}, **more}
        # Whoever opens a pipe waits for ever.
        command = [str(installation.PROGRAMS / "node"), "run.mjs", json.dumps([tool, answer], default=str)]
        subprocess.run(command, cwd=self.top, check=True, timeout=30)
        payload = json.loads((self.top / "told").read_text())
        return payload["tool_response"]["output"], opencode.cut(payload)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    top = tmp_path / "repo"
    top.mkdir()
    return Bench(top, Path.home() / ".local" / "share")


def test_a_long_output_is_taken_from_the_folder_of_opencode(bench: Bench) -> None:
    file = bench.outputs / "tool_1"
    file.write_text("é\n" * 200_000)
    assert bench.told(file) == ("é\n" * 200_000, None)
    assert json.loads(bench.transcript.read_text())["text"] == "Look."


def test_the_folder_of_opencode_is_where_the_environment_says(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    folder = tmp_path / "data" / "opencode" / "tool-output"
    folder.mkdir(parents=True)
    for parent in (folder, bench.outputs):
        (parent / "tool_1").write_text("all")
    assert bench.told(folder / "tool_1") == ("all", None)
    assert bench.told(bench.outputs / "tool_1") == (LAST, Cut())


@pytest.mark.parametrize("kind", ["link", "hard link", "pipe", "directory", "too big", "empty", "missing"])
def test_what_is_no_file_of_opencodes_own_is_not_taken(bench: Bench, kind: str) -> None:
    file = bench.outputs / "tool_1"
    if kind == "link":
        file.symlink_to(bench.secret)
    elif kind == "hard link":
        file.hardlink_to(bench.secret)
    elif kind == "pipe":
        os.mkfifo(file)
    elif kind == "directory":
        file.mkdir()
    elif kind == "too big":
        with file.open("wb") as stream:
            stream.truncate((16 << 20) + 1)
    elif kind == "empty":
        file.touch()
    assert bench.told(file) == (LAST, Cut())


def test_a_file_elsewhere_is_not_taken(bench: Bench) -> None:
    (bench.outputs / "tool_folder").mkdir()
    (bench.outputs / "tool_folder" / "tool_1").write_text(SECRET)
    (bench.outputs / "other").write_text(SECRET)
    for path in (
        bench.secret,
        "/proc/self/environ",
        "/dev/zero",
        f"{bench.outputs}/tool_folder/tool_1",
        f"{bench.outputs}/tool_folder/../tool_folder/tool_1",
        bench.outputs / "other",
        f"{bench.outputs}/..",
        [str(bench.secret)],
        7,
    ):
        assert bench.told(path) == (LAST, Cut()), path


def test_no_file_is_taken_if_the_folder_of_outputs_is_a_link(bench: Bench) -> None:
    elsewhere = bench.top / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "tool_1").write_text(SECRET)
    bench.outputs.rmdir()
    bench.outputs.symlink_to(elsewhere)
    assert bench.told(bench.outputs / "tool_1") == (LAST, Cut())


@pytest.mark.parametrize("tool", ["server_bash", "server_webfetch", "read"])
def test_a_tool_that_opencode_does_not_cut_itself_names_no_file(bench: Bench, tool: str) -> None:
    file = bench.outputs / "tool_1"
    file.write_text("another tool's")
    assert bench.told(file, tool) == (LAST, Cut())


def test_an_answer_does_not_say_itself_that_it_is_whole(bench: Bench) -> None:
    for tool in ("bash", "server_tool"):
        assert bench.told("/gone", tool, whole=True) == (LAST, Cut())


@pytest.mark.parametrize("kind", ["link", "hard link", "pipe", "directory"])
def test_nothing_is_written_to_a_transcript_that_is_no_file_of_ours(bench: Bench, kind: str) -> None:
    if kind == "link":
        bench.transcript.symlink_to(bench.secret)
    elif kind == "hard link":
        bench.transcript.hardlink_to(bench.secret)
    elif kind == "pipe":
        os.mkfifo(bench.transcript)
    else:
        bench.transcript.mkdir()
    assert bench.told("/gone") == (LAST, Cut())
    assert bench.secret.read_text() == SECRET


def test_nothing_is_written_to_a_pipe_that_somebody_reads(bench: Bench) -> None:
    os.mkfifo(bench.transcript)
    reader = os.open(bench.transcript, os.O_RDONLY | os.O_NONBLOCK)
    try:
        bench.told("/gone")
        assert os.read(reader, 100) == b""
    finally:
        os.close(reader)


def test_a_transcript_grows_and_only_its_owner_may_read_it(bench: Bench) -> None:
    for count in (1, 2):
        bench.told("/gone")
        assert len(bench.transcript.read_text().splitlines()) == count
    assert bench.transcript.stat().st_mode & 0o777 == 0o600
