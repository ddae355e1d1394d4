"""Divide what `sync` pushes into pushes of git, so that none has too many arguments or takes long."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from devs_git.domain.checkpoints.wanted_refs import FOLDERS
from devs_git.domain.ledger.events import NO_OID, RefUpdate
from devs_git.values import immutable

# Refs of one push: their names are arguments, and git compares each with each ref of the remote.
AT_ONCE: Final = 500
# A name and an expected value have 150 bytes, and all arguments of a program at most 2 MB.
DELETED_AT_ONCE: Final = 2000


@immutable
class Part:
    """One push. If `folders` are given, git pushes all refs below them that the remote lacks, and these are `updates`."""

    updates: tuple[RefUpdate, ...] = ()
    folders: tuple[str, ...] = ()


def split(steps: Sequence[RefUpdate], there: Mapping[str, str], here: Mapping[str, str]) -> list[Part]:
    """The pushes for `steps`. `there` and `here` are the refs below FOLDERS of the remote and of this clone.

    Many new refs are pushed by the names of their folders, if exactly these refs differ there. A checkpoint that another
    process records at this very moment may go with them: then its event follows with the next sync.
    """
    new = {step.ref: step.new for step in steps if step.old == NO_OID}
    rest = [step for step in steps if step.ref not in new]
    moved = {step.ref for step in rest}
    differ = {ref: oid for ref, oid in here.items() if there.get(ref) != oid and ref not in moved}
    if len(new) <= AT_ONCE or differ != new:
        return _chunks(steps)
    return [*_chunks(rest), Part(tuple(step for step in steps if step.ref in new), FOLDERS)]


def deletions(steps: Sequence[RefUpdate]) -> list[Part]:
    """The pushes that delete refs, each with its expected value."""
    return _chunks(steps, DELETED_AT_ONCE)


def _chunks(steps: Sequence[RefUpdate], size: int = AT_ONCE) -> list[Part]:
    return [Part(tuple(steps[at : at + size])) for at in range(0, len(steps), size)]
