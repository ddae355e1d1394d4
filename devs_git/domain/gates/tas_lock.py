"""The TAS lock: which sections of a changed TAS nobody approved.

A change counts as approved in two ways. It puts in place the text that a person approved, where that was proposed. Or
it stays in the sections of approved revisions that came without a text: measured not from the last commit but from
the TAS that the revision was asked against, or a text that was approved since, so that an approval ends as soon as
anything else was changed, and an approved text is neither licence for another in its sections nor taken back. The first
TAS of a line of work is free: there is nothing yet that somebody agreed to. One that moves to where a new policy has it
is no first one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from devs_git.domain.gates import tas_sections
from devs_git.values import immutable


@immutable
class Revision:
    """An approved revision: the blob it was asked against, the blob that was approved or None, its sections."""

    before: str | None
    after: str | None
    sections: tuple[str, ...]


def unapproved_sections(
    old: str | None, new: str | None, revisions: Sequence[Revision], text: Callable[[str | None], str]
) -> tuple[str, ...]:
    """The names of sections that the change of the TAS from blob `old` to `new` touches without an approval.

    None is no TAS; `revisions` are in the order of their approval; `text` reads a blob.
    """
    if any(one.after and (one.before, one.after) == (old, new) for one in revisions):
        return ()
    return uncovered_sections(old, new, revisions, text)


def uncovered_sections(
    old: str | None, new: str | None, revisions: Sequence[Revision], text: Callable[[str | None], str]
) -> tuple[str, ...]:
    """The same where no approved text is put in place: what the approvals without a text do not cover."""
    if old is None:
        return ()
    was, now = text(old), text(new)
    left = tas_sections.changed_outside(was, now, ())
    # Those that were asked against just this TAS first: mostly one of them is the reason for the change.
    for at in sorted(range(len(revisions)), key=lambda at: revisions[at].before != old):
        if revisions[at].after is None:
            lost = _lost(was, now, revisions[at:], text)
            if not lost:
                return ()
            left = lost if len(lost) <= len(left) else left
    return left


def _lost(
    was: str, now: str, revisions: Sequence[Revision], text: Callable[[str | None], str]
) -> tuple[str, ...]:
    """What the first of `revisions`, which came without a text, does not cover, nor those like it that came later."""
    names = [name for one in revisions if one.after is None for name in one.sections]
    bases = [text(revisions[0].before), *(text(one.after) for one in revisions if one.after)]
    best: tuple[str, ...] = ()
    for at, base in enumerate(bases):
        lost = tas_sections.changed_outside(base, now, names)
        if not lost and at + 1 < len(bases) and tas_sections.changed_outside(base, was, names):
            later = (one for one in bases[at + 1 :] if not tas_sections.changed_outside(one, was, names))
            # Back behind an approved text.
            lost = next((tas_sections.changed_outside(one, now, names) for one in later), ())
        if not lost:
            return ()
        best = lost if not best or len(lost) < len(best) else best
    return best
