"""One generated ledger in real repositories, in which the places that judge a ledger are tested."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

from devs_git.commands import init
from devs_git.domain.clients.claude import CLAUDE
from devs_git.domain.gates.policy import parse
from devs_git.domain.ledger.events import LEDGER
from devs_git.entrypoints import router
from devs_git.storage.git.places import locate
from devs_git.storage.hooks import client_files
from devs_git.workspace import Workspace
from tests.support import repository_copy
from tests.support.belief.abstract_ledger import REJECTED, Ledger, Policy
from tests.support.belief.findings import forged_events, rollback
from tests.support.belief.generator import generate
from tests.support.belief.git_ledger import Keyring, Written
from tests.support.belief.oracle import Oracle
from tests.support.belief.world import World
from tests.support.git_calls import attempt, git

REFUSED, FROZEN, NOT_FROZEN = "refused", "frozen", "not frozen"


class Moulds:
    """Repositories that each case copies: a server with our hook, and a clone with our hooks and without a ledger."""

    def __init__(self, folder: Path) -> None:
        (folder / "keys").mkdir()
        self.keyring = Keyring(folder / "keys")
        self.server, self.clone = folder / "server.git", folder / "clone"
        git("init", "-q", "--bare", "-b", "main", "server.git", where=folder)
        router.call("init", Workspace.open(self.server), init.Request(server=True))
        git("init", "-q", "clone", where=folder)
        git("commit", "-q", "--allow-empty", "-m", "begin", where=self.clone)
        git("remote", "add", "origin", "../origin.git", where=self.clone)
        router.call("init", Workspace.open(self.clone), init.Request())
        client_files.install(locate(self.clone), self.clone, CLAUDE)
        (self.clone / "devs-policy.yaml").unlink()
        git("update-ref", "-d", LEDGER, where=self.clone)


@dataclass
class Case:
    """One generated ledger, written to a real repository. `dice` chooses what a test does with it."""

    seed: int
    ledger: Ledger
    tip: str
    seen: tuple[str, ...]
    written: Written
    folder: Path
    moulds: Moulds
    dice: random.Random

    @classmethod
    def make(cls, seed: int, moulds: Moulds, folder: Path) -> Case:
        one, dice = generate(seed, named=False), random.Random(seed)
        tip = one.tip
        if dice.random() < 0.5 and not forged_events(one.oracle):
            tip = reject_open_gates(one.ledger, tip, dice)
        written = Written(one.ledger, moulds.keyring, folder)
        seen = tuple(event for event in one.seen if event in one.ledger.events)
        return cls(seed, one.ledger, tip, seen, written, folder, moulds, dice)

    # What the reference says.

    def honest_event(self, *, above: str = "", below: str = "") -> str:
        """An event that an honest clone may have as its tip: `below` or one of its ancestors, and no ancestor of `above`."""
        found = [event for event in self.ledger.events if not self.bad(event) and event != "e0"]
        if below:
            found = [event for event in found if event in self.ledger.ancestors(below)]
        if above:
            found = [event for event in found if event not in self.ledger.ancestors(above)] or found
        seen = [event for event in found if event in self.seen]
        return self.dice.choice(seen if seen and self.dice.random() < 0.7 else found)

    def new(self) -> str:
        """The tip that a remote offers: mostly the newest one, sometimes an older one or one of another line."""
        return self.tip if self.dice.random() < 0.85 else self.dice.choice(list(self.ledger.events)[1:])

    def bad(self, tip: str, *more: str) -> set[str]:
        """The forged events of the ledger with these tips."""
        known = set().union(*(self.ledger.ancestors(one) for one in (tip, *more)))
        events = {name: event for name, event in self.ledger.events.items() if name in known}
        return set(forged_events(Oracle(Ledger(events, self.ledger.what, self.ledger.names))))

    def is_refused(self, new: str, had: str = "", seen: str | None = None) -> bool:
        """Whether a receiver must refuse `new`, if its tip is `had` ('' for none) and it saw the tip `seen` before."""
        mine = self.ledger.ancestors(had) if had else frozenset()
        fresh = self.bad(new, *filter(None, [had])) & (self.ledger.ancestors(new) - mine)
        remembered = had if seen is None else seen
        return bool(fresh) or bool(remembered and rollback(Oracle(self.ledger), remembered, new))

    def expected_files(self, tip: str) -> dict[str, str]:
        """The files that govern at this tip by the rule, as real paths and blobs."""
        return self.written.tree(Oracle(self.ledger).expected_tree(tip))

    # Repositories.

    def oid(self, event: str) -> str:
        return self.written.oids[event]

    def offer(self, event: str) -> None:
        """Let the remote, which has no hook, have this tip."""
        git("update-ref", LEDGER, self.oid(event), where=self.written.store)

    def clone(self, event: str) -> Path:
        """A clone that has judged the ledger up to this event."""
        top = self.folder / "clone"
        repository_copy.folder(self.moulds.clone, top)
        git("fetch", "-q", "../origin.git", f"+{self.ref(event)}:{LEDGER}", where=top)
        (top / ".git/devs/checked-tip").write_text(self.oid(event) + "\n")
        return top

    def ref(self, event: str) -> str:
        return f"refs/events/{event}"

    def holds(self, where: Path, tip: str) -> None:
        """The ledger in this repository has the files that the rule gives for the tip."""
        rows = [line.split("\t") for line in git("ls-tree", "-r", LEDGER, where=where).splitlines()]
        tree = {path: head.split()[2] for head, path in rows}
        theirs = {p: "" if p.startswith("open/") else oid for p, oid in tree.items() if governs(p)}
        assert theirs == self.expected_files(tip), self.description(tip)

    def answers(self, top: Path, tip: str) -> str:
        """Policy, open gates and commits of this clone are as the rule says; return whether work is frozen."""
        oracle = Oracle(self.ledger)
        workspace = Workspace.open(top)
        content = self.ledger.what[oracle.in_force(tip)]
        assert isinstance(content, Policy)
        assert workspace.policy == parse(self.written.record(content)), self.description(tip)
        gates = {path.removeprefix("open/") for path in self.expected_files(tip) if path.startswith("open/")}
        assert set(workspace.ledger.open_gates()) == gates, self.description(tip)
        assert commits(top) == (not gates), self.description(tip)
        return FROZEN if gates else NOT_FROZEN

    def description(self, *more: object) -> str:
        return f"seed {self.seed} {more}\n{self.ledger.story()}"


def world_of(ledger: Ledger, dice: random.Random) -> World:
    """A world that continues this ledger."""
    world = World.__new__(World)
    world.ledger, world.oracle, world.dice, world.serial = ledger, Oracle(ledger), dice, 10_000
    return world


def reject_open_gates(ledger: Ledger, tip: str, dice: random.Random) -> str:
    """Reject each gate that is open at the tip, if somebody may reject it."""
    world = world_of(ledger, dice)
    for gate in sorted(world.oracle.open_gates(tip)):
        tip = world.decide_well(tip, gate, REJECTED) or tip
    return tip


def governs(path: str) -> bool:
    return path == "policy.yaml" or path.startswith(("gates/", "open/"))


def commits(top: Path) -> bool:
    """Whether our hooks allow a commit."""
    status, said = attempt("commit", "-q", "--allow-empty", "-m", "work", where=top)
    assert status == 0 or "devs-git: " in said, said
    return status == 0


def merge_as_sync_did(case: Case, first: str, second: str, top: Path) -> str:
    """The merge of these two by the reference. Its tree must be the one that `sync` made."""
    tip = world_of(case.ledger, case.dice).merge(first, second)
    made = git("ls-tree", "-r", "--name-only", LEDGER, where=top).splitlines()
    assert sorted(made) == sorted(map(case.written.path, case.ledger.tree(tip))), case.description(
        first, second
    )
    return tip
