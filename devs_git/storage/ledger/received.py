"""Judge a ledger from elsewhere before any ref moves: a push to a server, or what `sync` and `init` fetched.

On a server the new objects are in git's quarantine and are read together with the repository's. The configuration of the
pusher is not used. Whatever cannot be checked raises an error and is refused.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from devs_git.domain.audit import push_rules
from devs_git.domain.audit.findings import Finding
from devs_git.domain.audit.push_rules import Move, checkpoints_of, rejection
from devs_git.domain.checkpoints.wanted_refs import NUMBERED
from devs_git.domain.gates.policy import PROPOSED
from devs_git.domain.ledger.events import LEDGER, NO_OID
from devs_git.domain.ledger.history import History
from devs_git.domain.ledger.ids import ARCHIVES
from devs_git.domain.text.plain_text import printable
from devs_git.errors import DevsError
from devs_git.storage.git import refs
from devs_git.storage.git.objects import Objects
from devs_git.storage.git.places import Places
from devs_git.storage.git.program import OBJECTS_ALONE, OBJECTS_ALONE_CONFIG, REPOSITORY_VARIABLES, Git
from devs_git.storage.ledger import audit_facts, policy_file
from devs_git.storage.ledger.audit_facts import Facts
from devs_git.storage.ledger.policy_file import NamedLedger
from devs_git.storage.ledger.store import Ledger, Tip

_QUARANTINE: Final = ("GIT_QUARANTINE_PATH", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES")
_SYNC: Final = "First merge the events of the server: devs-git sync"
# Number of findings in the message of a refusal.
_MOST: Final = 8


def read(lines: Sequence[str]) -> tuple[Move, ...]:
    """Parse the moves of refs from the hook's standard input."""
    return tuple(Move(*line.rstrip("\n").split(" ", 2)) for line in lines if line.strip())


def check(places: Places, moves: Sequence[Move]) -> None:
    """Raise the first reason against the push, with the other reasons in the message. Writes nothing."""
    found = list(problems(_ledger(places), moves))
    if found:
        first, *rest = found
        more = "".join(f"\n{one.code}: {printable(one.message, '')}" for one in rest[:_MOST])
        more += f"\nand {len(rest) - _MOST} more" if len(rest) > _MOST else ""
        raise DevsError(first.code, printable(first.message, "") + more, hint=first.fix)


def _ledger(places: Places) -> Ledger:
    """The ledger, with a git and an object store that also read git's quarantine."""
    unset = tuple(name for name in REPOSITORY_VARIABLES if name not in _QUARANTINE)
    env = {"GIT_DIR": os.fspath(places.common), **OBJECTS_ALONE}
    git = Git(places.common, env, unset=unset, config=OBJECTS_ALONE_CONFIG)
    quarantine = os.environ.get(_QUARANTINE[0], "")
    alternates = (Path(os.path.abspath(quarantine)),) if quarantine else ()  # noqa: PTH100 - a link stays a link
    return Ledger(git, Objects(places.common / "objects", alternates), places.common, lambda: "", lambda: "")


def problems(ledger: Ledger, moves: Sequence[Move]) -> Iterator[Finding]:
    """All reasons against the push. After a reason against the ledger itself, nothing else can be judged."""
    yield from push_rules.spelling(moves)
    yield from push_rules.names(moves)
    yield from _changed_names(ledger.git, moves)
    move = next((m for m in moves if m.ref == LEDGER), None)
    if move:
        found = list(_judge_move(ledger, move))
        if found:
            yield from found
            return
    tip = move.new if move else _tip(ledger)
    if not tip:
        return
    state = Tip(ledger, tip)
    yield from push_rules.work(moves, state.names("open"))
    yield from _judge_checkpoints(ledger.git, moves, state.history)


def _judge_checkpoints(git: Git, moves: Sequence[Move], history: History) -> Iterator[Finding]:
    """The reasons against what the push does to checkpoints and archives."""
    kinds = _kinds(git, moves)
    if not any(push_rules.is_about_archives(move) for move in moves):
        yield from push_rules.tags(moves, history, kinds)
        return
    from devs_git.storage.ledger.archived import archives  # few pushes delete refs, or have an archive

    after = refs.list_refs(git, NUMBERED.rstrip("/")) | {move.ref: move.new for move in moves}
    here = [oid for oid in history.archives if after.get(f"{ARCHIVES}/{oid}") == oid]
    read = {oid: archives.examine(git, oid) for oid in here}
    yield from push_rules.tags(moves, history, kinds, read)
    kept = {oid for ref, oid in after.items() if ref.startswith(NUMBERED)}
    kept |= {one.tag for found in read.values() if not found.faults for one in found.entries}
    ended = [move for move in moves if push_rules.ends_archive(move, history)]
    had = {move.ref: {tag for _, tag in archives.entries(git, [move.old])} for move in ended}
    yield from push_rules.losses(had, kept, history)


def _tip(ledger: Ledger) -> str:
    """The tip of the ledger here, '' for none. LEDGER_MISSING if it cannot be read, because it may have open gates."""
    tip = ledger.git.text("rev-parse", "--quiet", "--verify", LEDGER, ok=(0, 1))
    if not tip and refs.has_file(ledger.common, LEDGER):
        text = "This repository is frozen, because its ledger, the branch devs/ledger, is damaged."
        raise DevsError("LEDGER_MISSING", text, hint="Restore it. See: devs-git doctor")
    return tip


def _judge_move(ledger: Ledger, move: Move) -> Iterator[Finding]:
    """The reasons against this move of the ledger."""
    git, old = ledger.git, "" if move.old == NO_OID else move.old
    if move.new == NO_OID:
        yield rejection(
            "LEDGER_MISSING",
            LEDGER,
            "The ledger must not be deleted.",
            "Name the other refs: git push <remote> <refs>",
        )
        return
    roots = git.text("rev-list", "--max-parents=0", move.new, "--").split()
    pinned = (
        git.text("rev-list", "--max-parents=0", old, "--")
        if old
        else policy_file.named_ledger(git, "HEAD").genesis
    )
    if len(roots) != 1 or (pinned and roots[0] != pinned):
        here = f"the one here begins with {pinned}" if pinned else "a ledger has one root only"
        text = f"The pushed ledger begins with {', '.join(roots)}; {here}."
        yield rejection(
            "LEDGER_FORK", LEDGER, text, "Call a person: this is the ledger of another repository."
        )
        return
    if old and not git.says("merge-base", "--is-ancestor", old, move.new):
        yield rejection(
            "LEDGER_ROLLBACK", LEDGER, "The pushed ledger lacks events that this repository has.", _SYNC
        )
        return
    yield from judge_ledger(
        ledger, old, move.new, first="" if old else policy_file.named_ledger(git, "HEAD").first_policy
    )


def _changed_names(git: Git, moves: Sequence[Move]) -> Iterator[Finding]:
    """LEDGER_FORK for a push of the default branch that names another ledger: new clones find the ledger by these names."""
    branch = git.text("symbolic-ref", "--quiet", "HEAD", ok=(0, 1))
    for move in moves:
        if move.ref == branch and move.new != NO_OID:
            before = _named_ledger(git, move.old) if move.old != NO_OID else NamedLedger()
            here, after = _ledger_here(git), policy_file.named_ledger(git, move.new)
            for name in ("genesis", "first_policy"):
                # An existing name must stay. A new name must be that of the ledger here.
                was, now = getattr(before, name), getattr(after, name)
                right = was or (now and getattr(here, name))
                if right and now != right:
                    text = f"{PROPOSED} in {move.ref} would name another {name}; the right one is {right}."
                    fix = "Do not change genesis and first_policy."
                    yield rejection("LEDGER_FORK", move.ref, text, fix)


def _ledger_here(git: Git) -> NamedLedger:
    """The names of the ledger here; all '' if there is none."""
    tip = git.text("rev-parse", "--quiet", "--verify", LEDGER, ok=(0, 1))
    if not tip:
        return NamedLedger()
    return NamedLedger(
        git.text("rev-list", "--max-parents=0", tip, "--").partition("\n")[0],
        policy_file.first_event(git, tip),
    )


def _named_ledger(git: Git, commit: str) -> NamedLedger:
    """The ledger that the tracked policy names; all '' if it cannot be read, so that a push can repair it."""
    try:
        return policy_file.named_ledger(git, commit)
    except DevsError:
        return NamedLedger()


def judge_ledger(ledger: Ledger, old: str, new: str, *, first: str = "") -> Iterator[Finding]:
    """The reasons of the rule of belief against `new`, for a receiver that has `old` ('' for none).

    Only events that `old` does not have are judged: the others are in the ledger already and cannot be removed. `first` is
    the event of the first policy, if a trusted source names it.
    """
    facts = Facts(ledger, ledger.git, new, "", "", first_policy=first)
    yield from judge(facts, old, new)


def judge(facts: Facts, old: str, new: str, *, known_tip: str | None = None) -> Iterator[Finding]:
    """Like `judge_ledger`, for facts that were read: those of `new`, and of other tips that are to be merged with it.

    `known_tip` is the last known tip, if that is not `old`.
    """
    known = old if known_tip is None else known_tip
    bound = (f"^{old}",) if old else ()
    fresh = frozenset(facts.git.text("rev-list", new, *bound, "--").split())
    found = (*audit_facts.missing_files(facts), *facts.judgement.findings)
    yield from (finding for finding in found if finding.where in fresh or not finding.where)
    yield from _duplicate_tags(facts, new, fresh)
    if known:
        yield from facts.belief.rollback(known, new)


def _duplicate_tags(facts: Facts, new: str, fresh: frozenset[str]) -> Iterator[Finding]:
    """LEDGER_MUTATED for a new event that records an existing checkpoint's tag with other data, and sorts before its event."""
    records: dict[str, dict[str, tuple[str, ...]]] = {}
    for step in facts.steps:
        for tag, what in checkpoints_of(step.event):
            records.setdefault(tag, {})[step.event.oid] = what
    several = {
        tag: events
        for tag, events in records.items()
        if len({*events.values()}) > 1 and not fresh.isdisjoint(events) and not fresh.issuperset(events)
    }
    if not several:
        return
    listed = facts.git.text("rev-list", "--topo-order", "--reverse", new, "--").split()
    order = {oid: at for at, oid in enumerate(listed)}
    for tag, events in several.items():
        first = min(events, key=lambda oid: order.get(oid, len(order)))
        if first in fresh:
            text = (
                f"Event {first[:12]} records the checkpoint {tag[:12]}, which another event recorded before."
            )
            yield Finding("LEDGER_MUTATED", "error", text, "See who wrote it: git log devs/ledger", first)


def require_explained(places: Places, tip: str, tags: Mapping[str, str]) -> None:
    """Raise TAG_MOVED or TAG_NOT_ANNOTATED if a task's tag (full name → oid) would contradict the events up to `tip`."""
    ledger = _ledger(places)
    moves = [Move(NO_OID, oid, ref) for ref, oid in tags.items()]
    found = next(push_rules.tags(moves, ledger.history_at(tip), _kinds(ledger.git, moves)), None)
    if found:
        raise DevsError(found.code, found.message, hint=found.fix)


def refusal(finding: Finding, remote: str) -> DevsError:
    """The error for a finding in a remote's ledger, which is not taken over."""
    # Not `git show`: the event may have endless files.
    person = f"Call a person. See: git log -1 {finding.where}"
    return DevsError(
        finding.code,
        f"The ledger of {remote} has an invalid event: {finding.message}",
        hint=f"Nothing was changed here. {finding.fix if finding.code == 'FORMAT_TOO_NEW' else person}",
        remote=remote,
    )


def require_sound(ledger: Ledger, remote: str, tip: str, *, first: str = "") -> None:
    """Refuse the ledger of a remote that was never seen, if `verify ledger` would find something in it."""
    finding = next(judge_ledger(ledger, "", tip, first=first), None)
    if finding:
        raise refusal(finding, remote)


def _kinds(git: Git, moves: Sequence[Move]) -> dict[str, str]:
    oids = sorted({move.new for move in moves} - {NO_OID})
    out = git.run("cat-file", "--batch-check=%(objectname) %(objecttype)", stdin="\n".join(oids).encode())
    return dict(line.split(" ", 1) for line in out.decode().splitlines())
