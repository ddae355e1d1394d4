"""What `verify` finds of archives of checkpoints, and which refs the sound ones stand for. Few repositories have one."""

from __future__ import annotations

from collections.abc import Collection, Generator, Mapping, Sequence

from devs_git.domain.audit import checkpoint_archives
from devs_git.domain.audit.findings import Finding
from devs_git.domain.checkpoints.archives import archive_ref
from devs_git.domain.ledger.events import Event
from devs_git.domain.ledger.history import History
from devs_git.domain.ledger.ids import ARCHIVES
from devs_git.storage.git.program import Git
from devs_git.storage.ledger import whole_history
from devs_git.storage.ledger.archived import archives
from devs_git.values import replace

# The findings, and at the end the refs, each with its tag, that have no ref because a sound archive has them.
Judged = Generator[Finding, None, frozenset[tuple[str, str]]]


def judge(git: Git, history: History, events: Sequence[Event], refs: Mapping[str, tuple[str, str]]) -> Judged:
    """The findings about the archives that `history` or the `refs` name. `events`: those of the history."""
    here = [oid for oid in history.archives if refs.get(archive_ref(oid), ("", ""))[0] == oid]
    read = {oid: archives.examine(git, oid) for oid in here}
    back = checkpoint_archives.taken_back(events)
    yield from checkpoint_archives.judge(history.archives, back, refs, read)
    yield from checkpoint_archives.unconfirmed_removals(history, read)
    return checkpoint_archives.stand_for(read.values())


def judge_newer(git: Git, history: History, newer: Sequence[Event], tasks: Collection[str]) -> Judged:
    """The findings about archives that `newer` events name; at the end only the refs of `tasks`, but of all archives.

    The name of an archive that was judged before is its oid. So what it has cannot have changed.
    """
    fresh = {event.oid for event in newer}
    new = {oid: event for oid, event in history.archives.items() if event in fresh}
    refs = whole_history.typed_refs(git, ARCHIVES)
    named = {ref: refs[ref] for ref in map(archive_ref, new) if ref in refs}
    of_new = yield from judge(git, replace(history, archives=new), newer, named)
    old = [oid for oid in history.archives if oid not in new and refs.get(archive_ref(oid), ("",))[0] == oid]
    return of_new | frozenset(archives.entries(git, old, tasks) if old and tasks else ())
