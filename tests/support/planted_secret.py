"""A repository with a secret in each place where devs-git stores something, and a search for it in every object and file of .git."""

from __future__ import annotations

import contextlib
import json
import re
import sqlite3
import subprocess
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from devs_git.commands import conversation_import, purge, rewind, snapshot_create, trace_put
from devs_git.domain.clients.claude import CLAUDE
from devs_git.entrypoints import router
from devs_git.storage.git.places import locate
from devs_git.storage.hooks import client_files
from devs_git.workspace import Workspace
from tests.support import agent_calls
from tests.support.scene import Scene

WORD = "hunter2andmore"
SECRET = f"TOKEN={WORD}\nOTHER=1\n"
PATH = purge.Request("secret.env")
TEXT = purge.Request(text=WORD)


def call(top: Path, name: str, request: Any) -> Any:
    return router.call(name, Workspace.open(top), request)


def run_purge(top: Path, request: purge.Request = PATH, **more: Any) -> purge.Result:
    made = purge.Request(request.path, request.text, str(top), **more)
    result: purge.Result = call(top, "purge", made)
    return result


def unpacked_streams(data: bytes) -> Iterator[bytes]:
    """The content of every zlib stream in `data`, as far as it can be read."""
    for header in re.finditer(b"\x78[\x01\x5e\x9c\xda]", data):
        unpacking = zlib.decompressobj()
        with contextlib.suppress(zlib.error):
            yield unpacking.decompress(data[header.start() : header.start() + 65536])


def words(base: sqlite3.Connection) -> set[str]:
    """All words of the full-text indexes."""
    found: set[str] = set()
    for (name,) in base.execute(
        "SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL TABLE %'"
    ).fetchall():
        kind = "fts5vocab(main, {}, row)" if name.endswith("5") else "fts4aux(main, {})"
        base.execute(f"CREATE VIRTUAL TABLE temp.words USING {kind.format(name)}")
        found |= {row[0] for row in base.execute("SELECT term FROM temp.words")}
        base.execute("DROP TABLE temp.words")
    return found


def places(top: Path) -> set[str]:
    """The places with the secret: `object` for an object of git, `index` for the full-text index, else names of files or folders."""
    found = set()
    listed = ["git", "cat-file", "--batch-all-objects", "--batch"]
    for store in (".git", ".git/devs/moments.git"):
        if (top / store).exists():
            asked = ["git", f"--git-dir={store}", *listed[1:]]
            data = subprocess.run(asked, cwd=top, capture_output=True, check=True).stdout
            found |= {"object"} if WORD.encode() in data else set()
    for path in (top / ".git").rglob("*"):
        if path.is_file() and "objects" not in path.parts:
            data = path.read_bytes()
            if WORD.encode() in data or any(WORD.encode() in part for part in unpacked_streams(data)):
                found.add(path.name if path.name.startswith("catalog") else path.parent.name)
    if (top / ".git/devs/catalog.db").exists():
        with sqlite3.connect(top / ".git/devs/catalog.db") as base:
            found |= {"index"} if WORD in words(base) else set()
        base.close()
    return found


def gc(top: Path) -> None:
    """Run the commands that `purge` prints at its end."""
    subprocess.run(["sh", "-ec", purge.FINISH], cwd=top, check=True, capture_output=True)


def message(number: int, content: str) -> bytes:
    inner = {"role": "user", "content": content}
    known = {
        "type": "user",
        "uuid": f"m{number}",
        "sessionId": "s1",
        "timestamp": f"2026-01-01T00:00:0{number}.000Z",
    }
    return json.dumps({**known, "message": inner}).encode() + b"\n"


def plant(top: Path, tmp_path: Path) -> Path:
    """Put the secret into a backup (staged, on disk, with other line ends), a preserved branch, a snapshot, a rewound checkpoint,
    traces, messages and the spool, but into no branch of a person and no file of the working tree.
    """
    scene = Scene(Workspace.open(top))
    client_files.install(locate(top), top, CLAUDE)
    scene.git("add", "-A")
    scene.git("commit", "-qm", "hooks of the agent")
    scene.task("1", {"a.txt": "one\n"})
    scene.task("2", {"a.txt": "two\n", "secret.env": SECRET})
    scene.write({"secret.env": SECRET.replace("\n", "\r\n")})
    call(top, "snapshot create", snapshot_create.Request())
    call(top, "rewind", rewind.Request("task-1", preserve="branch"))
    for number, output in enumerate((SECRET, "clean\n")):
        call(
            top, "trace put", trace_put.Request(output.encode(), trace_id=f"t{number}", input=f"cat {number}")
        )
    call(
        top,
        "trace put",
        trace_put.Request(b"x", trace_id="asked", input=json.dumps({"token": f"TOKEN={WORD}"})),
    )
    session = tmp_path / "session.jsonl"
    session.write_bytes(
        message(1, "Hello there.") + message(2, f"It is\n{SECRET}") + message(3, "Thank you.")
    )
    call(top, "conversation import", conversation_import.Request(session))
    session.unlink()
    payload = {
        **agent_calls.after(1),
        "transcript_path": "/nowhere",
        "tool_response": {"stdout": SECRET, "stderr": ""},
    }
    agent_calls.call(top, payload)
    (top / ".git/devs/transcripts").mkdir()
    (top / ".git/devs/transcripts/opencode-s.jsonl").write_text(f'{{"opencode":"s","text":"{SECRET}"}}\n')
    (top / ".git/devs/spool/rejected").mkdir(exist_ok=True)
    (top / ".git/devs/spool/rejected/x.claude.PostToolUse").write_bytes(f"no payload, {SECRET}".encode())
    return top
