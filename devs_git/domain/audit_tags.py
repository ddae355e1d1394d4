"""Whether every checkpoint still has its refs: annotated, unmoved, complete, except as ledger events explain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from devs_git.domain.following import NUMBERED, VISIBLE, wanted
from devs_git.domain.history import History
from devs_git.domain.ids import completed_tag
from devs_git.domain.report import Finding
from devs_git.domain.standpoint import doubtful

_FETCH = "Fetch them: devs-git sync"


def judge(history: History, refs: Mapping[str, tuple[str, str]]) -> Iterator[Finding]:
    """Findings about `refs` (name → oid and type of object) below VISIBLE and NUMBERED."""
    want, may = wanted(history), _allowed(history)
    for ref, tag in want.items():
        oid = refs.get(ref, ("", ""))[0]
        yield from _one(ref, oid if oid in may.get(ref, ()) else tag, refs)
    for ref, (oid, _kind) in refs.items():
        if ref in want or not ref.startswith((NUMBERED, VISIBLE + "task-")):
            continue
        if oid not in may.get(ref, ()):
            yield _off("TAG_MOVED", ref, f"{ref} is {oid[:12]}, which no event of the ledger explains.")


def _allowed(history: History) -> dict[str, set[str]]:
    """What a visible tag may hold besides: a later completion that some clones rewound, where others, or a remote, have
    it.
    """
    found: dict[str, set[str]] = {}
    unsure = {point.tag for point in doubtful(history)}
    for point in history.checkpoints.values():
        if point.completed and point.live:
            found[completed_tag(point.task_id)] = set()
        elif point.completed and point.tag in unsure:
            found.setdefault(completed_tag(point.task_id), set()).add(point.tag)
    return found


def _one(ref: str, tag: str, refs: Mapping[str, tuple[str, str]]) -> Iterator[Finding]:
    if ref not in refs:
        yield Finding("TAG_MISSING", "error", f"{ref} is missing.", _FETCH, ref)
        return
    oid, kind = refs[ref]
    if kind != "tag":
        yield _off("TAG_NOT_ANNOTATED", ref, f"{ref} is no annotated tag.")
    elif oid != tag:
        yield _off("TAG_MOVED", ref, f"{ref} is {oid[:12]}; the ledger says {tag[:12]}.")


def _off(code: str, ref: str, message: str) -> Finding:
    return Finding(
        code,
        "error",
        message,
        f"Compare with the ledger: devs-git log; then put it back or delete it: {ref}",
        ref,
    )
