"""The TAS lock: which sections of a changed TAS nobody approved.

A change is approved in two ways. It replaces the old text by the text that a person approved. Or it stays in the
sections of approved revisions without a text. The second is measured from the TAS against which the revision was
requested, or from a text that was approved since, and not from the last commit. So such an approval ends when another
section changes. An approved text does not allow another text in its sections, nor its own removal.

The first TAS of a line of work needs no approval. A TAS that moves to the path of a new policy is not a first one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from devs_git.domain.gates import tas_sections
from devs_git.values import immutable


@immutable
class Revision:
    """An approved revision: the blob against which it was requested, the approved blob or None, and its sections."""

    before: str | None
    after: str | None
    sections: tuple[str, ...]


def unapproved_sections(
    old: str | None, new: str | None, revisions: Sequence[Revision], text: Callable[[str | None], str]
) -> tuple[str, ...]:
    """The names of the sections that change from blob `old` to `new` without an approval.

    A blob is None for no TAS. `revisions` are in the order of their approval. `text` reads a blob.
    """
    if any(one.after and (one.before, one.after) == (old, new) for one in revisions):
        return ()
    return uncovered_sections(old, new, revisions, text)


def uncovered_sections(
    old: str | None, new: str | None, revisions: Sequence[Revision], text: Callable[[str | None], str]
) -> tuple[str, ...]:
    """The same for a text that nobody approved: the sections that the approvals without a text do not cover."""
    if old is None:
        return ()
    was, now = text(old), text(new)
    left = tas_sections.changed_outside(was, now, ())
    # First those that were requested against this TAS: usually one of them is the reason for the change.
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
    """The sections that the first of `revisions` and later ones without a text do not cover."""
    names = [name for one in revisions if one.after is None for name in one.sections]
    bases = [text(revisions[0].before), *(text(one.after) for one in revisions if one.after)]
    best: tuple[str, ...] = ()
    for at, base in enumerate(bases):
        lost = tas_sections.changed_outside(base, now, names)
        if not lost and at + 1 < len(bases) and tas_sections.changed_outside(base, was, names):
            later = (one for one in bases[at + 1 :] if not tas_sections.changed_outside(one, was, names))
            # The change may restore what an approved text replaced.
            lost = next((tas_sections.changed_outside(one, now, names) for one in later), ())
        if not lost:
            return ()
        best = lost if not best or len(lost) < len(best) else best
    return best
