"""Archives: one ref that keeps many old checkpoints, where git would list a ref for each of them.

An archive is a commit. Its history has the commits of the checkpoints, so that git keeps them. A tree cannot name a tag
object, so the files of its tree have the bytes of the tags. They are few and large: to `git gc`, each file is one more object.
A file is named by three digits of the task's id. In it each tag has a line `<tag> <commit> <size> <ref>...`, then its bytes.
Lists say which commits are in which file, so that a rewind reads few of them. A list is named by two digits of its commits.
The name of the archive's own ref is its oid, so nobody can move it unseen.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final

from devs_git.domain.checkpoints.wanted_refs import task_of
from devs_git.domain.ledger.history import Checkpoint, History
from devs_git.domain.ledger.ids import (
    ARCHIVES,
    NUMBER_FORM,
    OID_FORM,
    checkpoint_ref,
    completed_tag,
    digits,
)
from devs_git.values import immutable

_REF: Final = rf"refs/(devs/checkpoints/task-[^/ \n]+/{NUMBER_FORM}|tags/devs/task-[^/ \n]+)"
_LINE: Final = re.compile(
    rf"({OID_FORM}) ({OID_FORM}) ([0-9]{{1,9}})((?: {_REF}){{1,2}})\n".encode("ascii"), re.ASCII
)

_LIST: Final = "commits-"
# An archive has all of them, so who does not find one knows that the archive is of an earlier devs-git.
LISTS: Final = tuple(f"{_LIST}{number:02x}" for number in range(256))
# The digits of a commit in a list. Another commit with the same ones only lets one more file be read.
_SHORT: Final = 10


@immutable
class Entry:
    """A ref that an archive stands for: its name, its tag object, and the commit of the tag."""

    ref: str
    tag: str
    commit: str

    @property
    def file(self) -> str:
        """The file of the archive that has the tag."""
        return files_of(task_of(self.ref))[0]


def files_of(task: str) -> tuple[str, str]:
    """The file of an archive that has the tags of a task, three hexadecimal digits; and the one of an earlier devs-git, two of them."""
    name = digits(task).replace("/", "")
    return name, name[:2]


def list_of(commit: str) -> str:
    """The list of an archive that has a commit."""
    return _LIST + commit[:2]


def write_file(entries: Iterable[Entry], tags: Mapping[str, bytes]) -> bytes:
    """The bytes of a file of an archive. `tags` has the bytes of the tag objects."""
    by_tag: dict[str, list[Entry]] = {}
    for entry in entries:
        by_tag.setdefault(entry.tag, []).append(entry)
    parts = []
    for tag, same in by_tag.items():
        names = " ".join(entry.ref for entry in same)
        parts.append(
            f"{tag} {same[0].commit} {len(tags[tag])} {names}\n".encode("utf-8", "surrogateescape")
            + tags[tag]
            + b"\n"
        )
    return b"".join(parts)


def read_file(data: bytes) -> Iterator[tuple[Entry, bytes]]:
    """Each entry of a file of an archive, with the bytes of its tag. ValueError if it is not as `write_file` makes it.

    A tag has one line, with its numbered ref and its visible tag: a small file could else unfold to millions of entries.
    """
    at, seen = 0, set[str]()
    while at < len(data):
        line = _LINE.match(data, at)
        if not line:
            raise ValueError(f"byte {at} does not begin a tag")
        tag, commit, size = line[1].decode(), line[2].decode(), int(line[3])
        if tag in seen:
            raise ValueError(f"the tag {tag} is there twice")
        seen.add(tag)
        at = line.end() + size + 1
        if data[at - 1 : at] != b"\n":
            raise ValueError(f"the tag {tag} has another size")
        for ref in line[4].decode("utf-8", "surrogateescape").split():
            yield Entry(ref, tag, commit), data[line.end() : at - 1]


def write_lists(places: Iterable[tuple[str, str]]) -> dict[str, bytes]:
    """The bytes of each list: a line `<commit> <file>` for each commit and each file that has a tag of it, sorted."""
    lines: dict[str, list[str]] = {name: [] for name in LISTS}
    for commit, file in sorted({(commit[:_SHORT], file) for commit, file in places}):
        lines[list_of(commit)].append(f"{commit} {file}\n")
    return {name: "".join(found).encode() for name, found in lines.items()}


def files_at(listed: bytes, commits: Collection[str]) -> set[str]:
    """The files that have tags of these commits, as a list says."""
    wanted = {commit[:_SHORT] for commit in commits}
    rows = (line.partition(" ") for line in listed.decode("ascii", "replace").split("\n"))
    return {file for commit, _, file in rows if commit in wanted}


def archive_ref(oid: str) -> str:
    """The ref of an archive."""
    return f"{ARCHIVES}/{oid}"


def oid_of(ref: str) -> str:
    """The oid that the name of an archive's ref says; '' for any other ref."""
    return ref.removeprefix(f"{ARCHIVES}/") if ref.startswith(f"{ARCHIVES}/") else ""


def choose(
    history: History,
    refs: Mapping[str, str],
    before: str,
    *,
    with_tags: bool,
) -> tuple[Entry, ...]:
    """What to archive: the refs of all tasks that were completed before the time `before` (ISO 8601, UTC).

    `history` is this clone's, `refs` are the numbered refs and visible tags. A ref is archived if its value is the one of the
    ledger. With `with_tags` also visible tags.
    """
    done = {p.task_id: p for p in history.live() if p.completed and not p.gone and p.created_at < before}
    return tuple(
        Entry(ref, point.tag, point.commit)
        for point in history.checkpoints.values()
        if point.task_id in done and not point.gone and _is_completed(history, point.task_id)
        for ref in _refs(point, done[point.task_id], with_tags=with_tags)
        if refs.get(ref) == point.tag
    )


def _is_completed(history: History, task_id: str) -> bool:
    return history.tasks[task_id].status == "completed"


def _refs(point: Checkpoint, completion: Checkpoint, *, with_tags: bool) -> Iterable[str]:
    yield checkpoint_ref(point.task_id, point.number)
    if with_tags and point == completion:
        yield completed_tag(point.task_id)
