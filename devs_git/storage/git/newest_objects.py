"""A hard link to each of our newest objects, in `.git/devs`, where `git prune` does not look.

`git prune --expire=now` and `git gc --prune=now` first list the reachable objects and then delete the others. An event
that is written between these steps is deleted, although the ledger's ref names it by then. Hard links take no space. The
next command that reads the ledger restores the deleted objects from them.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Sequence
from pathlib import Path

from devs_git.domain.ledger.ids import is_oid
from devs_git.storage.git.program import Git, split_lines
from devs_git.values import Final

# Number of objects; an event has about six.
KEPT: Final = 64
# Of the ledger's objects, in the common git directory.
FOLDER: Final = "devs/newest"


def keep(common: Path, oids: Collection[str], within: str = FOLDER, others: int = KEPT) -> bool:
    """Link objects that were just written, in the folder `within` of the common git directory, and delete the oldest links.

    `others` is how many older links stay. False if an object has no file: it is in a pack, or a prune deleted it.
    """
    folder = common / within
    with contextlib.suppress(FileExistsError):
        folder.mkdir()
    whole = True
    for oid in oids:
        try:
            os.link(_place(common, oid), folder / oid, follow_symlinks=False)
        except FileNotFoundError:
            whole = False
        except OSError:
            # It has a link already, or the file system has no hard links.
            continue
    names = [name for name in _names(folder) if name not in oids]
    if len(names) > others:
        _forget(folder, names, len(names) - others)
    return whole


def restore(git: Git, common: Path, within: str = FOLDER) -> bool:
    """Restore the objects that a prune deleted; whether there were any. The links of objects that are in packs are deleted."""
    # Each command asks this some times. `pathlib` and `os.path` take longer than the disk.
    folder, objects = common / within, f"{os.fspath(common)}/objects"
    gone = [oid for oid in _names(folder) if not os.access(f"{objects}/{oid[:2]}/{oid[2:]}", os.F_OK)]
    if not gone:
        return False
    asked = "".join(f"{oid}\n" for oid in gone).encode()
    lines = split_lines(git.run("cat-file", "--batch-check", stdin=asked).decode())
    lost = {line.split(" ")[0] for line in lines if line.endswith(" missing")}
    for oid in gone:
        with contextlib.suppress(OSError):
            if oid in lost:
                _place(common, oid).parent.mkdir(exist_ok=True)
                os.link(folder / oid, _place(common, oid), follow_symlinks=False)
            else:
                (folder / oid).unlink()
    return bool(lost)


def forget(common: Path, oids: Collection[str], folder: str = FOLDER) -> None:
    """Delete the links of these objects, which must not be kept anywhere."""
    for oid in oids:
        (common / folder / oid).unlink(missing_ok=True)


def _place(common: Path, oid: str) -> Path:
    return common / "objects" / oid[:2] / oid[2:]


def _names(folder: Path) -> list[str]:
    try:
        return [name for name in os.listdir(folder) if is_oid(name)]  # noqa: PTH208 - names only
    except OSError:
        return []


def _forget(folder: Path, names: Sequence[str], number: int) -> None:
    """Delete the links of the `number` oldest objects."""
    written = []
    for name in names:
        with contextlib.suppress(FileNotFoundError):
            written.append(((folder / name).stat().st_mtime, name))
    for _, name in sorted(written)[:number]:
        (folder / name).unlink(missing_ok=True)
