"""Whether every checkpoint has its refs, as annotated tags and where ledger events put them."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator, Mapping

from devs_git.domain.audit.findings import Finding
from devs_git.domain.checkpoints.wanted_refs import NUMBERED, VISIBLE, ledger_refs, task_of
from devs_git.domain.ledger.clone_view import keep_held, points_in_doubt
from devs_git.domain.ledger.history import History
from devs_git.domain.ledger.ids import ARCHIVES, completed_tag
from devs_git.values import replace

# Refs that archives stand for, each with its tag.
Archived = Container[tuple[str, str]]


def judge_held(
    history: History, refs: Mapping[str, tuple[str, str]], archived: Archived = frozenset()
) -> Iterator[Finding]:
    """Findings about all `refs`, and about those that are missing. Refs keep what another clone removed."""
    yield from judge(keep_held(history, {oid for oid, _ in refs.values()}), refs, archived)
    yield from unconfirmed_removals(history, refs)


def judge_tasks(
    tasks: Collection[str],
    history: History,
    refs: Mapping[str, tuple[str, str]],
    archived: Archived = frozenset(),
) -> Iterator[Finding]:
    """Those of these findings that are about refs of `tasks`. `history` has at least the checkpoints of these tasks."""
    points = {tag: point for tag, point in history.checkpoints.items() if point.task_id in tasks}
    held = keep_held(replace(history, checkpoints=points), {oid for oid, _ in refs.values()})
    mine = {ref: found for ref, found in refs.items() if task_of(ref) in tasks}
    yield from judge(held, mine, archived)
    yield from unconfirmed_removals(history, mine)


def judge(
    history: History, refs: Mapping[str, tuple[str, str]], archived: Archived = frozenset()
) -> Iterator[Finding]:
    """Findings about `refs` (name → oid and type of object) below VISIBLE and NUMBERED, but not about archives themselves.

    `archived`: the refs that sound archives stand for, each with its tag.
    """
    want, may = ledger_refs(history), _allowed(history)
    for ref, tag in want.items():
        oid = refs.get(ref, ("", ""))[0]
        if ref in refs:
            yield from _one(ref, oid if oid in may.get(ref, ()) else tag, refs)
        elif not any((ref, one) in archived for one in (tag, *may.get(ref, ()))):
            yield _missing(ref, history.checkpoints[tag].event)
    for ref, (oid, _kind) in refs.items():
        if ref in want or ref.startswith(f"{ARCHIVES}/") or not ref.startswith((NUMBERED, VISIBLE + "task-")):
            continue
        if oid not in may.get(ref, ()):
            yield _off("TAG_MOVED", ref, f"{ref} is {oid[:12]}, and no event of the ledger explains that.")


def unconfirmed_removals(history: History, refs: Mapping[str, tuple[str, str]]) -> Iterator[Finding]:
    """Refs that exist here although an event of another clone says that they were removed. Only a person removes them here."""
    for ref, (oid, _kind) in refs.items():
        point = history.checkpoints.get(oid)
        if point and point.gone:
            text = f"{ref} still exists here, and event {point.gone[:12]} says that it was removed."
            yield Finding(
                "TAG_MOVED",
                "warning",
                text,
                f"If that is right: devs-git purge --from {point.gone[:12]}",
                ref,
            )


def _allowed(history: History) -> dict[str, set[str]]:
    """What a visible tag may also name: a later completion that only some clones rewound."""
    found: dict[str, set[str]] = {}
    unsure = {point.tag for point in points_in_doubt(history)}
    for point in history.checkpoints.values():
        if point.completed and point.live:
            found[completed_tag(point.task_id)] = set()
        elif point.completed and point.tag in unsure:
            found.setdefault(completed_tag(point.task_id), set()).add(point.tag)
    return found


def _one(ref: str, tag: str, refs: Mapping[str, tuple[str, str]]) -> Iterator[Finding]:
    oid, kind = refs[ref]
    if kind != "tag":
        yield _off("TAG_NOT_ANNOTATED", ref, f"{ref} is not an annotated tag.")
    elif oid != tag:
        yield _off("TAG_MOVED", ref, f"{ref} is {oid[:12]}; the ledger says {tag[:12]}.")


def _missing(ref: str, event: str) -> Finding:
    fix = f"Fetch it: devs-git sync. If no clone has it, see who recorded it: git show {event[:12]}"
    more = f"; to remove it from the list: devs-git purge --from {event[:12]}"
    return Finding(
        "TAG_MISSING", "error", f"{ref} is missing, and event {event[:12]} recorded it.", fix + more, ref
    )


def _off(code: str, ref: str, message: str) -> Finding:
    return Finding(
        code,
        "error",
        message,
        f"Compare with the ledger: devs-git log. Then restore or delete {ref}",
        ref,
    )
