"""The data that the parts of `verify` judge, read once: events, freezes, gates, policies, commits.

The caller names the ledger's tip and the commits: `verify` those of this clone, a server those that a push would make.
Data that cannot be read becomes a finding of the part that needs it, never a crash: see `run_part`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Final

from devs_git.domain.audit import ledger_shape
from devs_git.domain.audit.findings import IN_LEDGER, Finding
from devs_git.domain.audit.frozen_commits import Bound
from devs_git.domain.audit.ledger_shape import Freezes, Step
from devs_git.domain.belief import Belief, believe
from devs_git.domain.gates import gate_model
from devs_git.domain.gates.policy import PROPOSED
from devs_git.domain.text import limits
from devs_git.errors import DevsError
from devs_git.storage.documents import tas_file
from devs_git.storage.git.program import Git, GitFailed
from devs_git.storage.ledger import audit_gates, ledger_trees, whole_history
from devs_git.storage.ledger.audit_gates import Judgement
from devs_git.storage.ledger.belief import Documents, documents_of
from devs_git.storage.ledger.store import Ledger
from devs_git.storage.ledger.whole_history import Progress, no_progress
from devs_git.values import field, immutable

_DAMAGED: Final = "Call a person: git fsck --full, then compare with another clone."


@immutable
class Facts:
    """`tip` is the ledger's tip, `base..head` the commits to judge ('' for no base, or for no commits).

    `genesis` is the root that the ledger must have, and `first_policy` the event of its first policy; '' if nothing names
    them. With `signed` only signed decisions count. `other_tips` are to be merged with `tip`. `judged` is an event up to which
    a check judged the ledger before, '' for none. `git` reads by full oids, without replace refs.
    """

    ledger: Ledger
    git: Git
    tip: str
    base: str
    head: str
    genesis: str = ""
    first_policy: str = ""
    signed: bool = False
    other_tips: tuple[str, ...] = ()
    judged: str = ""
    # What is read and judged, done, and total (0: not known), for a person who waits.
    progress: Progress = field(default=no_progress, compare=False)
    # How many commits are of each kind, once they are judged.
    kinds: dict[str, int] = field(default_factory=dict, compare=False)

    @cached_property
    def steps(self) -> list[Step]:
        if self.judged:
            return whole_history.steps_after(self.ledger, self.progress, self.tip, self.judged)
        return whole_history.steps(self.ledger, self.progress, self.tip, *self.other_tips) if self.tip else []

    @cached_property
    def new_steps(self) -> list[Step]:
        """The events that have to be judged: all of them, or those that no check judged before."""
        return [step for step in self.steps if not step.judged]

    @cached_property
    def freezes(self) -> Freezes:
        return self.belief.freezes()

    @cached_property
    def files(self) -> dict[str, bytes]:
        """Every blob that an event brought, by its oid. Missing, damaged and too large blobs are left out."""
        wanted = {c.new for step in self.steps for edge in step.edges for c in edge if c.new}
        found = whole_history.blobs(self.git, wanted, limits.DOCUMENT)
        return {oid: data for oid, data in found.items() if gate_model.blob_oid(data) == oid}

    @cached_property
    def documents(self) -> Documents:
        return documents_of(self.steps, self.files, self.genesis)

    @cached_property
    def belief(self) -> Belief:
        """The result of the rule of belief for every event."""
        records = self.documents.records
        genesis, first = self.genesis, self.first_policy
        return believe(
            self.steps,
            records,
            genesis=genesis,
            first=first,
            must_sign=self.must_sign,
            each=lambda done: self.progress("judging events", done, len(self.steps)),
        )

    @cached_property
    def judgement(self) -> Judgement:
        """The gates with their decisions, and the policies, at the tip."""
        # Nobody knows how large the tree is after changes that were not read.
        whole = not any(step.unread for step in self.steps)
        shape = ledger_trees.find_odd_entry(self.git, self.tip) if whole else ()
        return audit_gates.judge(self.belief, self.documents, self.tip, shape)

    @cached_property
    def must_sign(self) -> frozenset[str]:
        """The events whose decisions count only if they are signed: with `signed`, all that the base did not know.

        A reviewer merged the base with the older events. And only an unsigned decision can name the first approvers.
        """
        if not self.signed:
            return frozenset()
        below = whole_history.commits(self.git, [self.base]) if self.base else []
        known = {commit.ledger for commit in below}
        for step in reversed(self.steps):
            if step.event.oid in known:
                known.update(step.event.parents)
        return frozenset(step.event.oid for step in self.steps) - known

    @cached_property
    def commits(self) -> list[Bound]:
        return whole_history.commits(self.git, [self.head], self.base) if self.head else []

    @cached_property
    def outer_parents(self) -> list[Bound]:
        """The parents of `commits` that are none of them."""
        mine = {commit.oid for commit in self.commits}
        return whole_history.commits_alone(
            self.git, {oid for one in self.commits for oid in one.parents} - mine
        )

    @cached_property
    def heads(self) -> dict[str, tuple[str, ...]]:
        """For each gate, the tips of branches that its request recorded."""
        asked = self.judgement.gates.values()
        return {gate.gate_id: tuple(dict(gate.request["heads"]).values()) for gate in asked}

    @cached_property
    def landings(self) -> frozenset[str]:
        """The commits that landed an approved TAS, also by a decision that was later superseded. They are judged at their own place."""
        return whole_history.landing_commits(self.git, self.commits, self.judgement.approved)

    @cached_property
    def early_commits(self) -> frozenset[str]:
        """The commits from before devs-git: ancestors of every commit that added the tracked policy."""
        return whole_history.below_every(self.git, self.head, PROPOSED) if self.head else frozenset()

    @cached_property
    def early_in_range(self) -> frozenset[str]:
        """A set with those of `commits` that are from before devs-git. It is empty if the base has the tracked policy."""
        newer = self.base and tas_file.blob(self.git, self.base, PROPOSED)
        return frozenset() if newer else self.early_commits


def missing_files(facts: Facts) -> Iterator[Finding]:
    """LEDGER_MISSING for each file of an event that cannot be read, or that is larger than any of ours."""
    for step in facts.steps:
        for change in step.edges[0] if step.edges else ():
            if change.new and change.new not in facts.files:
                what = f"missing, damaged, larger than {limits.DOCUMENT.size_text} or not a file"
                text = f"{ledger_shape.legible(change.path)} of event {step.event.oid[:12]} is {what}."
                yield Finding(
                    "LEDGER_MISSING",
                    "error",
                    text,
                    "Call a person: git fsck --full",
                    step.event.oid,
                    file=IN_LEDGER + change.path,
                )


def run_part(part: Callable[[Facts], Iterator[Finding]], facts: Facts) -> Iterator[Finding]:
    """The findings of a part. If it cannot read something, that is one more finding, and the other parts still run."""
    try:
        yield from part(facts)
    except DevsError as error:
        code = error.code if error.code != "INTERNAL" else "LEDGER_MUTATED"
        yield Finding(code, "error", error.message, error.hint or _DAMAGED)
    except GitFailed as error:
        yield unreadable(error)


def unreadable(error: GitFailed) -> Finding:
    """The finding for an object that git could not read."""
    text = " ".join(error.stderr.split()) or "git gave no reason"
    if error.lacks_objects:
        from devs_git.storage.git import failures  # a hook does not need it

        refusal = failures.partial_refusal(failures.FETCH_ALL)
        return Finding(refusal.code, "error", refusal.message, failures.FETCH_ALL)
    return Finding("LEDGER_MISSING", "error", f"git cannot read an object: {text}.", _DAMAGED)
