"""A fork that was being made when its process was killed: the next command takes it back.

Each fork has a journal and a lock of its own, so forks that are made at the same time do not wait for each other, and no
hook refuses a commit meanwhile. If the ledger has the fork's event, the worktree is complete, and stays.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from devs_git.domain.text import limits
from devs_git.errors import DevsError
from devs_git.operations.moments import half_made_worktree
from devs_git.storage.git import bounded, locks
from devs_git.storage.git.files import replace_file
from devs_git.storage.worktree.move_tree import ORPHAN_SECONDS
from devs_git.values import immutable
from devs_git.workspace import Workspace

_KEYS: Final = frozenset({"op_id", "ledger", "place", "there", "made", "event"})


@immutable
class HalfMadeFork:
    """`place`: the folder of the worktree. `made`: the full name of its new branch, '' for none."""

    place: Path
    made: str
    commit: str


@contextlib.contextmanager
def note(workspace: Workspace, op_id: str, fork: HalfMadeFork) -> Iterator[int]:
    """Note the fork that is made by the body; yields the descriptor of its lock, which git's processes keep open."""
    folder = workspace.places.forks
    record = {
        "op_id": op_id,
        "ledger": workspace.ledger.tip().oid,
        "place": os.fspath(half_made_worktree.real_place(fork.place)),
        "there": fork.place.exists(),
        "made": fork.made,
        "event": {"commit": fork.commit},
    }
    file, lock = folder / f"{op_id}.json", _lock(folder, op_id)
    with locks.hold(lock, wait=0.0) as descriptor:
        replace_file(file, json.dumps(record).encode(), durable=True)
        try:
            yield descriptor
        except KeyboardInterrupt:
            # git was ended in the middle of its work, and nobody has worked there yet.
            _take_back(workspace, record, file, save=False)
            _close(file, lock)
            raise
        except BaseException:
            _close(file, lock)
            raise
        _close(file, lock)


def take_back_all(workspace: Workspace) -> None:
    """Take back each fork whose process is gone. One that is being made is left alone.

    RECOVERY_NEEDED if the note of a fork is damaged: then a person has to look.
    """
    for file in sorted(workspace.places.forks.glob("*.json")):
        lock = _lock(file.parent, file.stem)
        with contextlib.suppress(FileNotFoundError):
            _read(file)
        # BUSY: its process, or a git that it started, still runs.
        with (
            contextlib.suppress(DevsError, FileNotFoundError),
            locks.hold(lock, wait=0.0, orphan_wait=ORPHAN_SECONDS, on_wait=workspace.say),
        ):
            _take_back(workspace, _read(file), file, save=True)
            _close(file, lock)


def _take_back(workspace: Workspace, record: Mapping[str, Any], file: Path, *, save: bool) -> None:
    """Remove the worktree of a note, unless the fork's event is in the ledger. `save`: see `half_made_worktree`."""
    if not _is_recorded(workspace, record):
        half_made_worktree.remove_at(workspace, record, file.stat().st_mtime_ns, "fork", save=save)


def _lock(folder: Path, op_id: str) -> Path:
    return folder / f"{op_id}.lock"


def _close(file: Path, lock: Path) -> None:
    file.unlink(missing_ok=True)
    locks.remove(lock)


def _read(file: Path) -> dict[str, Any]:
    """The note of a fork. RECOVERY_NEEDED if it is damaged: we rename each into place when it is complete."""
    try:
        record = json.loads(bounded.read_file(file, limits.DOCUMENT, "fork"))
    except ValueError:
        record = None
    if not (isinstance(record, dict) and record.keys() >= _KEYS):
        raise DevsError(
            "RECOVERY_NEEDED",
            f"The note of a fork that was interrupted cannot be read: devs/forks/{file.name}",
            hint="Look for a half-made worktree with `git worktree list`. Then remove the note in the git directory.",
        )
    return record


def _is_recorded(workspace: Workspace, record: Mapping[str, Any]) -> bool:
    events = workspace.ledger.events(since=record["ledger"])
    return any(event.op_id == record["op_id"] and not event.failed for event in events)
