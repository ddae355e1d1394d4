"""A second name for each of our newest objects, in `.git/devs`, where no `git prune` looks.

`git prune --expire=now` and `git gc --prune=now` first list what can be reached and then delete the rest. An event that
is written between the two is deleted, although the ledger's ref names it by then. The second names are hard links: they
take no room, and what was deleted gets its first name back when somebody asks for the ledger the next time.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Final

from devs_git.domain.ledger.ids import is_oid
from devs_git.storage.git.program import Git, split_lines

KEPT: Final = 64  # objects; an event has about six
FOLDER: Final = "devs/newest"  # in the common git directory: of the ledger


def keep(common: Path, oids: Collection[str], within: str = FOLDER, others: int = KEPT) -> bool:
    """Link these objects, just written, of the repository whose common git directory is `common`; of the `others` the oldest go.

    False where one has no file: it is in a pack, or a prune took it.
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
            # It has a second name already, or the file system knows no hard links.
            continue
    names = [name for name in _names(folder) if name not in oids]
    if len(names) > others:
        _forget(folder, names, len(names) - others)
    return whole


def restore(git: Git, common: Path, within: str = FOLDER) -> bool:
    """Give each of them a first name again that a prune took; whether there was any. Those in packs need no second name any more."""
    folder = common / within
    gone = [oid for oid in _names(folder) if not _place(common, oid).exists()]
    if not gone:
        return False
    asked = "".join(f"{oid}\n" for oid in gone).encode()
    said = split_lines(git.run("cat-file", "--batch-check", stdin=asked).decode())
    lost = {line.split(" ")[0] for line in said if line.endswith(" missing")}
    for oid in gone:
        with contextlib.suppress(OSError):
            if oid in lost:
                _place(common, oid).parent.mkdir(exist_ok=True)
                os.link(folder / oid, _place(common, oid), follow_symlinks=False)
            else:
                (folder / oid).unlink()
    return bool(lost)


def forget(common: Path, oids: Collection[str], folder: str = FOLDER) -> None:
    """Take the second names of these objects away: they are to be kept nowhere."""
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
    """Take away the links of the objects that were written first."""
    written = []
    for name in names:
        with contextlib.suppress(FileNotFoundError):
            written.append(((folder / name).stat().st_mtime, name))
    for _, name in sorted(written)[:number]:
        (folder / name).unlink(missing_ok=True)
