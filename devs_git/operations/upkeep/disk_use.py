"""What of devs-git takes how much space in this repository: objects by their refs, and our files in the git directories."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from devs_git.domain.ledger.events import LEDGER
from devs_git.domain.moments.moment import BASE, COMMITS
from devs_git.operations.recall import spool
from devs_git.storage.catalog import database
from devs_git.storage.catalog.database import TROUBLE, Catalog
from devs_git.storage.catalog.sessions import written_files
from devs_git.storage.git import object_graph, refs
from devs_git.storage.git.program import GitFailed
from devs_git.storage.moments import moment_store
from devs_git.storage.moments.prune_moments import Day
from devs_git.values import immutable, replace
from devs_git.workspace import Workspace

# Kinds of refs, each with the folder of its refs, or the ref.
_REFS = {
    "backups": refs.BACKUPS,
    "preserved": "refs/heads/devs/preserved/",
    "snapshots": "refs/heads/snapshot/",
    "checkpoints": "refs/devs/checkpoints/",
    "ledger": LEDGER,
}
# Kinds in the catalog, each with a query for its count and bytes.
_STORED = {
    "conversations": (
        "SELECT (SELECT count(*) FROM sessions), coalesce(sum(length(body) + coalesce(length(native), 0)), 0) FROM messages"
    ),
    "conversation snapshots": (
        "SELECT count(*), coalesce(sum(length(snapshot_id || session_id || task_id || tag || digest)), 0) FROM snapshots"
    ),
    "traces": "SELECT count(*), coalesce(sum(stored), 0) FROM traces",
}
# What a remote has of our branches is a copy, and no other use of the objects.
_COPY = re.compile("refs/devs/remotes/|refs/remotes/[^/]+/(?:devs|snapshot)/")


@immutable
class Use:
    """How much one kind takes. `count`: moments, refs or files. `bytes` on disk.

    The bytes of a kind of refs are those of the objects that no other ref reaches; -1 if git cannot read them.
    """

    kind: str
    count: int
    bytes: int


def measure(workspace: Workspace, days: Sequence[Day]) -> Iterator[Use]:
    """Each kind, also those that take nothing. `workspace.progress` is called before each step that may take long."""
    every, heads = refs.list_refs(workspace.store_git), _heads(workspace)
    workspace.progress("measuring moments", 0, 0)
    size = _use("moments", list(_below(moment_store.folder(workspace.places.common)))).bytes
    yield Use("moments", sum(day.moments for day in days), size)
    for kind, folder in _REFS.items():
        workspace.progress(f"measuring {kind}", 0, 0)
        own = [oid for ref, oid in every.items() if ref.startswith(folder)]
        rest = [
            oid
            for ref, oid in every.items()
            if not (ref.startswith((folder, BASE, COMMITS)) or _COPY.match(ref))
        ]
        yield Use(kind, len(own), _bytes(workspace, own, [*rest, *heads]))
    yield from _files(workspace)
    workspace.progress("measuring", 1, 1)


def _bytes(workspace: Workspace, roots: Sequence[str], others: Sequence[str]) -> int:
    try:
        return object_graph.disk_usage(workspace.store_git, roots, others)
    except GitFailed:
        return -1


def _heads(workspace: Workspace) -> list[str]:
    """The commits that worktrees have checked out, which may be on no branch."""
    found = (one.get("HEAD", "") for one in refs.worktree_heads(workspace.store_git))
    return [oid for oid in found if oid.strip("0")]


def _files(workspace: Workspace) -> Iterator[Use]:
    places = workspace.places
    yield from _catalog(places.shared)
    rejected = [places.spool / "rejected" / name for name in spool.rejected_files(places)]
    yield _use("spool", [*spool.waiting_files(places), *rejected])
    yield _use("transcripts", list(_below(places.transcripts)))
    yield _use("private files", list(_private(places.common)))


def _catalog(folder: Path) -> Iterator[Use]:
    """What the catalog stores of each kind, then the rest of its files: the index, and free pages."""
    paths = [folder / f"{database.NAME}{end}" for end in ("", "-wal", "-shm")]
    whole = _use("catalog", [path for path in paths if path.exists()])
    try:
        with Catalog.look(folder) as catalog:
            kinds = [Use(kind, *catalog.rows(query)[0]) for kind, query in _STORED.items()]
            written = [file.path for file in written_files.list_files(catalog)]
    except TROUBLE:
        kinds, written = [Use(kind, 0, -1) for kind in _STORED], []
    yield from kinds
    yield _use("written sessions", written)
    yield replace(whole, bytes=max(0, whole.bytes - sum(max(0, kind.bytes) for kind in kinds)))


def _private(common: Path) -> Iterator[Path]:
    """Our files of each worktree: its index for moments, the one for raw bytes, notes and locks. Also of worktrees that are gone."""
    linked = common / "worktrees"
    folders = [each / "devs" for each in linked.iterdir()] if linked.is_dir() else []
    folders += [common / "devs" / name for name in ("moments", "raw", "op")]
    yield from (path for folder in folders for path in _below(folder))
    yield from (path for path in (common / "devs").glob("*index*") if path.is_file())


def _below(folder: Path) -> Iterator[Path]:
    for where, _, names in os.walk(folder):
        yield from (Path(where, name) for name in names)


def _use(kind: str, paths: Sequence[Path]) -> Use:
    sizes = [size for path in paths if (size := _size(path)) >= 0]
    return Use(kind, len(sizes), sum(sizes))


def _size(path: Path) -> int:
    """Bytes on disk; -1 if the file is gone meanwhile. A second name of a file takes none."""
    try:
        facts = path.lstat()
    except OSError:
        return -1
    return facts.st_blocks * 512 if facts.st_nlink == 1 else 0
