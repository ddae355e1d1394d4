"""Commits that a hook could not record: one line each in `<git dir>/devs/unrecorded`, shown by status and doctor."""

from __future__ import annotations

from collections.abc import Iterator

from devs_git.storage.git.places import Places
from devs_git.values import TYPE_CHECKING

if TYPE_CHECKING:
    from devs_git.domain.audit.findings import Finding


def read(places: Places) -> tuple[str, ...]:
    """`<commit> <task> <why>` lines, oldest first."""
    try:
        return tuple((places.own / "unrecorded").read_text(encoding="utf-8", errors="replace").splitlines())
    except FileNotFoundError:
        return ()


def findings(places: Places) -> Iterator[Finding]:
    """A warning for each of these commits."""
    from devs_git.domain.audit.findings import Finding

    for line in read(places):
        commit, _, task = line.partition(" ")
        text = f"Commit {commit[:10]} of {task} was not recorded as a checkpoint."
        yield Finding("UNRECORDED", "warning", text, "devs-git checkpoint", where=commit)


def add(places: Places, line: str) -> None:
    places.own.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (places.own / "unrecorded").open("a", encoding="utf-8") as stream:
        stream.write(line + "\n")


def remove(places: Places, line: str) -> None:
    """Remove a line, because its commit is recorded now."""
    left = [known for known in read(places) if known != line]
    if left:
        from devs_git.storage.git.files import replace_file

        replace_file(places.own / "unrecorded", "".join(each + "\n" for each in left).encode())
    else:
        clear(places)


def clear(places: Places) -> None:
    (places.own / "unrecorded").unlink(missing_ok=True)
