"""What a repository holds: its state, the contents that nothing may lose, and what may not be left behind."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from pathlib import Path
from typing import Any

from devs_git.domain.recall.message_cuts import in_force
from devs_git.storage.ledger.clone_history import clone_of
from devs_git.storage.worktree import active_task
from devs_git.workspace import Workspace
from tests.support.git_calls import git
from tests.support.scene import contents

OPERATION = re.compile(r"\d{8}T\d{6}-[0-9a-f]{8}")


def state(top: Path) -> dict[str, Any]:
    """HEAD, index, files, refs, active task and the ledger's view of tasks; operation ids and times left out."""
    form = "%(refname)%00%(tree)%00%(parent)%00%(subject)%00%(object)"
    listed = OPERATION.sub("<op>", git("for-each-ref", f"--format={form}", where=top))
    listed = re.sub(r"(refs/stash\0.*?\0\w+) \w+", r"\1", listed)  # the staged half has a time of its own
    ours = ("refs/devs/backup/", "refs/heads/devs/ledger")
    opened = Workspace.open(top)
    history = opened.ledger.tip().history
    return {
        "head": git("symbolic-ref", "-q", "HEAD", ok=(0, 1), where=top)
        or git("rev-parse", "HEAD", where=top),
        "index": git("ls-files", "-s", "-v", "-z", where=top),
        "status": re.sub(
            r"# branch.oid .*?\0", "", git("status", "--porcelain=v2", "--branch", "-z", "-uall", where=top)
        ),
        "files": contents(top),
        "refs": sorted(line for line in listed.splitlines() if not line.startswith(ours)),
        "active": active_task.read(opened.places),
        "tasks": {name: task.status for name, task in history.tasks.items()},
        "cuts": sorted(in_force(history.operations, clone_of(opened.places.common))),
        "live": {point.name: point.live for point in history.checkpoints.values()},
    }


def differences(now: dict[str, Any], then: dict[str, Any]) -> dict[str, Any]:
    """What of two states differs, for the message of a failed test."""

    def parts(value: Any) -> set[str]:
        if isinstance(value, str):
            return set(value.split("\0"))
        return {str(part) for part in (value.items() if isinstance(value, dict) else value)}

    return {key: parts(now[key]) ^ parts(then[key]) for key in now if now[key] != then[key]}


EMPTY = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"  # what `git add -N` puts in the index: nobody's content


def blob(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0%s" % (len(data), data), usedforsecurity=False).hexdigest()


def stored_oids(top: Path) -> set[str]:
    """Oids of all contents on disk and in the index, and of all that refs reach, those of the store of moments, too."""
    found = {blob(data) for _kind, data in contents(top).values()}
    found |= {line.split()[1] for line in git("ls-files", "-s", "-z", where=top).split("\0") if line}
    found |= {line.split()[0] for line in git("rev-list", "--objects", "--all", where=top).splitlines()}
    return (found | _of_moments(top)) - {EMPTY}


def _of_moments(top: Path) -> set[str]:
    """Oids of what the refs of moments reach, read with plain git."""
    store = top / ".git/devs/moments.git"
    if not store.exists():
        return set()
    env = {**os.environ, "GIT_DIR": str(store), "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(top / ".git/objects")}
    words = ["git", "rev-list", "--objects", "--all"]
    done = subprocess.run(words, cwd=top, env=env, capture_output=True, text=True, check=True)
    return {line.split()[0] for line in done.stdout.splitlines()}


def litter(top: Path) -> list[str]:
    """Locks that are no flock files of ours, open journals and private folders of operations."""
    inside = top / ".git"
    files = [str(path.relative_to(inside)) for path in inside.rglob("*") if not path.is_dir()]
    flocks = (
        "devs/lock",
        "devs/ledger.lock",
        "devs/view.lock",
        "devs/index.lock",
        "devs/moments.git/packing.lock",
    )
    return [
        name
        for name in files
        if name not in flocks
        and (
            name.endswith((".lock", "packed-refs.new"))
            or "devs/op/" in name
            or "devs/journal/" in name
            or "/raw.tmp" in name
        )
    ] + [str(path) for path in (inside / "devs" / "op").glob("*")]
