"""Which checkpoints are at some commits, as their refs say.

git has no such question: it opens each tag, or prints all refs, and 100,000 of them take longer than all else that a rewind
does. The file in which git packs refs has the commit of each tag, too.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final

from devs_git.domain.ledger.ids import ARCHIVES, OID_FORM
from devs_git.storage.git import ref_files
from devs_git.storage.git.program import Git
from devs_git.storage.ledger.lines_of_work import FOLDER
from devs_git.values import immutable

_OID: Final = re.compile(OID_FORM.encode())
# To look for so many oids one after the other is quicker than to look at each oid of the file.
_FEW: Final = 8
_AFTER: Final = f" {FOLDER}/".encode()


@immutable
class PassedRefs:
    """The refs of checkpoints whose tags are at the commits, with the tags; also those that only an archive has. `bare`: refs that are such a commit themselves,
    because a program rewrote the history.
    """

    tags: dict[str, str]
    bare: tuple[str, ...]

    @property
    def tasks(self) -> set[str]:
        return {ref.removeprefix(f"{FOLDER}/").rpartition("/")[0] for ref in self.tags}


def at(git: Git, common: Path, commits: Collection[str]) -> PassedRefs | None:
    """The refs at `commits`; None if git stores its refs in another way."""
    # First the loose ones: git packs a ref before it deletes its file.
    loose = {ref: oid for ref, oid in ref_files.loose_below(common, FOLDER) if oid}
    packed = ref_files.read_packed(common, FOLDER)
    if packed is None:
        return None
    wanted = {oid.encode() for oid in commits}
    found = {ref: pair for ref, *pair in _in_packed(packed, wanted) if ref not in loose}
    found |= {ref: [tag, commit] for ref, tag, commit in _peeled(git, loose) if commit in commits}
    if commits and ref_files.list_below(git, common, ARCHIVES).text:
        # Few repositories have an archive.
        from devs_git.storage.ledger.archived import archived_points

        found |= {ref: [one.tag, one.commit] for ref, one in archived_points.at(git, commits).items()}
    return PassedRefs(
        {ref: tag for ref, (tag, commit) in found.items() if tag != commit},
        tuple(ref for ref, (tag, commit) in found.items() if tag == commit),
    )


def _in_packed(data: bytes, wanted: Collection[bytes]) -> Iterator[tuple[str, str, str]]:
    """Ref, value and commit of each packed ref of a checkpoint at one of the commits."""
    for start in _places(data, wanted):
        oid, before = data[start : start + 40], data[start - 1 : start] if start else b"\n"
        if before == b"^":
            # The line before names the tag.
            line = data[data.rfind(b"\n", 0, start - 2) + 1 : start - 2]
        elif before == b"\n":
            line = data[start : data.index(b"\n", start)]
        else:
            continue
        if line.startswith(_AFTER, 40):
            yield os.fsdecode(line[41:]), line[:40].decode(), oid.decode()


def _places(data: bytes, wanted: Collection[bytes]) -> Iterator[int]:
    if len(wanted) > _FEW:
        yield from (found.start() for found in _OID.finditer(data) if found[0] in wanted)
        return
    for oid in wanted:
        place = data.find(oid)
        while place >= 0:
            yield place
            place = data.find(oid, place + 1)


def _peeled(git: Git, refs: dict[str, str]) -> Iterator[tuple[str, str, str]]:
    """Ref, value and commit of each of `refs` that has a commit here."""
    names = "".join(f"{oid}^{{commit}}\n" for oid in refs.values()).encode()
    lines = (
        git.run("cat-file", "--batch-check=%(objectname)", stdin=names).decode().splitlines() if refs else []
    )
    for (ref, oid), said in zip(refs.items(), lines, strict=True):
        if _OID.fullmatch(said.encode()):
            yield ref, oid, said
