"""An abstract ledger: events with whole trees, and what the files in them say. It has no git and no code of the program.

A content has a short name, such as `policy 2`; two files with the same bytes have one name. A tree is a mapping of paths
to such names. `belief_steps` gives them oids for the program's function, `belief_git` makes commits of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

POLICY, README, MARKER = "policy.yaml", "README.md", "marker"
APPROVED, REJECTED = "APPROVED", "REJECTED"
MANUAL, POLICY_CHANGE = "MANUAL", "POLICY_CHANGE"
SIGNED, UNSIGNED = "signed", "unsigned"
Tree = Mapping[str, str]


@dataclass(frozen=True)
class Person:
    """A row of a policy; `key` is a name such as `key ann`, '' for none."""

    principal: str
    key: str = ""


@dataclass(frozen=True)
class Policy:
    approvers: tuple[Person, ...] = ()
    minimum: str = UNSIGNED
    agents: tuple[Person, ...] = ()
    notify: str = ""


@dataclass(frozen=True)
class Request:
    """`before` and `proposes` are contents, the policy in force and the one to be; '' for other types.

    `after` is the event that it follows, '' where it names none.
    """

    gate: str
    kind: str
    requested_by: str
    words: int
    before: str = ""
    proposes: str = ""
    after: str = ""


@dataclass(frozen=True)
class Statement:
    """What is signed of a decision."""

    gate: str
    request: str
    decision: str
    nonce: int


@dataclass(frozen=True)
class Decision:
    """`request` is the content that it decides on, `nonce` makes it different from any other.

    `spelling` stands for what nobody signs: the time, and how the file is written.
    """

    gate: str
    request: str
    decision: str
    reviewer: str
    approval: str
    nonce: int
    spelling: int = 0

    @property
    def statement(self) -> Statement:
        return Statement(self.gate, self.request, self.decision, self.nonce)


@dataclass(frozen=True)
class Signature:
    """What `key` made over the content `over`, a statement. `spelling` is how the file is written."""

    over: str
    key: str
    spelling: int = 0


@dataclass(frozen=True)
class Plain:
    """A file that governs nothing, or one that nobody can read."""

    words: str


@dataclass(frozen=True)
class Event:
    name: str
    parents: tuple[str, ...]
    tree: Tree
    title: str = ""


@dataclass
class Ledger:
    """Events by name, parents before children; `what` are the contents by name."""

    events: dict[str, Event] = field(default_factory=dict)
    what: dict[str, Any] = field(default_factory=dict)
    names: dict[Any, str] = field(default_factory=dict)

    def put(self, content: Any) -> str:
        """The name of a content."""
        if content not in self.names:
            self.names[content] = f"{type(content).__name__.lower()} {len(self.what) + 1}"
            self.what[self.names[content]] = content
        return self.names[content]

    def add(self, parents: tuple[str, ...], tree: Tree, title: str = "") -> str:
        """A new event; its name."""
        last = next(reversed(self.events), "e-1")
        name = f"e{int(last[1:]) + 1}"
        self.events[name] = Event(name, parents, dict(tree), title)
        return name

    def tree(self, event: str) -> Tree:
        return self.events[event].tree

    def parents(self, event: str) -> tuple[str, ...]:
        return self.events[event].parents

    def ancestors(self, event: str) -> frozenset[str]:
        """The event itself and whatever it descends from."""
        found: set[str] = set()
        waiting = [event]
        while waiting:
            one = waiting.pop()
            if one not in found:
                found.add(one)
                waiting.extend(self.parents(one))
        return frozenset(found)

    def up_to(self, tip: str) -> Ledger:
        """The ledger whose tip this event is."""
        known = self.ancestors(tip)
        return Ledger({name: e for name, e in self.events.items() if name in known}, self.what, self.names)

    def story(self) -> str:
        """All of it for people: what its contents are, and what each event changed against its first parent."""
        used = {content for event in self.events.values() for content in event.tree.values()}
        lines = [f"{name}: {content}" for name, content in self.what.items() if name in used]
        return "\n".join([*lines, *(self._line(event) for event in self.events.values())])

    def _line(self, event: Event) -> str:
        before = self.tree(event.parents[0]) if event.parents else {}
        paths = sorted({*before, *event.tree})
        rows = [f"{p}={event.tree.get(p, '-')}" for p in paths if before.get(p) != event.tree.get(p)]
        return f"{event.name} <- {' '.join(event.parents)} {event.title}: {'; '.join(rows)}"


def request_path(gate: str) -> str:
    return f"gates/{gate}/request.yaml"


def decision_path(gate: str) -> str:
    return f"gates/{gate}/decision.yaml"


def signature_path(gate: str) -> str:
    return f"gates/{gate}/decision.yaml.sig"


def open_path(gate: str) -> str:
    return f"open/{gate}"


def gates_with(tree: Tree, name: str) -> Iterator[str]:
    """The gates that have a file of this name."""
    for path in tree:
        folder, _, last = path.rpartition("/")
        if last == name and folder.startswith("gates/"):
            yield folder.removeprefix("gates/")


def governs(path: str) -> bool:
    """Whether a path is one of those that say who decides, what is asked and what is decided."""
    return path == POLICY or path.startswith(("gates/", "open/"))


def set_aside(tree: Tree, path: str) -> str:
    """Where the file at this path of a tree is kept once it gives way."""
    folder, _, last = path.rpartition("/")
    decision = tree.get(f"{folder}/decision.yaml", "") if last == "decision.yaml.sig" else ""
    return f"superseded/{decision}.sig" if decision else f"superseded/{tree[path]}"
