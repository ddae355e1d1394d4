"""Whether the TAS changed only as people approved, judged commit by commit.

A change is approved as `tas_lock` says: it replaces the text that an approved text was proposed against, or stays in
approved sections. A merge may have what one side changed since the merge base. If both sides changed it, approvals must
lead from each side's text to the merge's. An approval that a line of history used (`tas_approvals`) is used up there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from devs_git.domain.audit.findings import Finding
from devs_git.domain.gates import tas_lock
from devs_git.domain.gates.tas_approvals import Used, Ways
from devs_git.domain.gates.tas_lock import Revision
from devs_git.values import field, immutable

# How many sections a finding names.
_SHOWN: Final = 3
_ASK: Final = "Ask for a gate: devs-git gate request --type TAS_REVISION. Or revert the change."


@immutable
class Edit:
    """A commit with another TAS than at least one parent. All are blobs, None for no TAS.

    `old` are those of the parents, `bases` those of a merge's merge bases. `gate` is the gate that the commit claims to
    land, `used` the approvals that are used up for each of `old`.
    """

    commit: str
    path: str
    old: tuple[str | None, ...]
    new: str | None
    bases: frozenset[str | None] = frozenset()
    gate: str = ""
    used: Used = field(default_factory=dict)


def judge(
    edit: Edit, revisions: Mapping[str, Revision], ways: Ways, text: Callable[[str | None], str]
) -> Finding | None:
    """The finding for an edit, None if it is approved. `revisions` are the approved ones by gate, in the order of `ways`."""

    def unapproved_sections(old: str | None) -> tuple[str, ...] | None:
        """The sections that nobody approved, () if the TAS is removed; None if all is approved."""
        if old in (edit.new, None):
            return None
        if edit.new is None:
            return ()
        if ways.way(old, edit.new, ~edit.used.get(old, 0)):
            return None
        return tas_lock.uncovered_sections(old, edit.new, ways.revisions, text) or None

    for old in edit.old:
        again = ways.way(old, edit.new)
        if again and unapproved_sections(old) is not None:
            return _finding("TAS_UNAPPROVED", edit, _came_back(edit, revisions, again & edit.used[old]))
    sides = _sides(edit)
    lost = [found for old in sides if (found := unapproved_sections(old)) is not None]
    if not lost or (edit.new not in sides and len(lost) < len(sides)):
        return None
    wanted = _wanted(edit, revisions)
    if wanted:
        gate, blob = wanted
        what = (
            f"{edit.path} is {(edit.new or 'gone')[:12]}, not {blob[:12]}, the text that gate {gate} approved"
        )
        return _finding("TAS_MISMATCH", edit, f"In commit {edit.commit[:12]} {what}.")
    return _finding("TAS_UNAPPROVED", edit, _unapproved_change(edit, min(lost, key=len)))


def _sides(edit: Edit) -> set[str | None]:
    """The old texts from which the change must be approved: the parent's, or those that each side of a merge made.

    A merge with the text of one side drops the other side's text, which must then be that of the merge base.
    """
    if len(edit.old) < 2:
        return set(edit.old)
    made = {old for old in edit.old if old not in edit.bases} or set(edit.old)
    return made - {None} or made


def _wanted(edit: Edit, revisions: Mapping[str, Revision]) -> tuple[str, str] | None:
    """The approved text that this commit should have: of the gate that it names, or of one that was asked against its parent."""
    named = revisions.get(edit.gate)
    if named and named.after:
        return edit.gate, named.after
    used = edit.used.get(edit.old[0], 0)
    asked = (
        (gate, one.after)
        for number, (gate, one) in enumerate(revisions.items())
        if one.after and one.before in edit.old and not used >> number & 1
    )
    return next(asked, None) if len(edit.old) == 1 else None


def _unapproved_change(edit: Edit, sections: tuple[str, ...]) -> str:
    named = ", ".join(f"'{one}'" for one in sections[:_SHOWN])
    more = f" and {len(sections) - _SHOWN} more" if len(sections) > _SHOWN else ""
    what = f"changes {edit.path} in {named}{more}" if edit.new and named else f"changes {edit.path}"
    what = what if edit.new else f"removes {edit.path}"
    return f"Commit {edit.commit[:12]} {what}, which nobody approved."


def _came_back(edit: Edit, revisions: Mapping[str, Revision], used: int) -> str:
    gate = next(gate for number, gate in enumerate(revisions) if used >> number & 1)
    what = f"restores a text of {edit.path} that gate {gate} approved and that was changed since then"
    return f"Commit {edit.commit[:12]} {what}. Nobody approved it again."


def _finding(code: str, edit: Edit, message: str) -> Finding:
    return Finding(code, "error", message, _ASK, edit.commit, file=edit.path)
