"""An abstract ledger: events with their trees, and the contents of the files in them. It uses neither git nor our code.

Each content has a short name, such as `policy 2`. Two files with the same bytes have the same name. A tree maps paths to
such names. `steps.py` gives each name an oid for the program's function, and `git_ledger.py` makes commits of the events.
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
    """A request. For a change of the policy, `before` is the content of the policy in force and `proposes` the new one.

    `after` is the event that the request names as the one before it; '' if it names none. `words` makes two requests differ.
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
    """The part of a decision that a signature covers."""

    gate: str
    request: str
    decision: str
    nonce: int


@dataclass(frozen=True)
class Decision:
    """A decision. `request` is the content that it decides on. `nonce` makes two decisions differ.

    `spelling` stands for the parts of the file that no signature covers: the time, and the form of the YAML.
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
    """The signature of `key` over the statement with the name `over`. `spelling` stands for the form of the file."""

    over: str
    key: str
    spelling: int = 0


@dataclass(frozen=True)
class Plain:
    """A file that does not govern, or that cannot be read."""

    words: str


@dataclass(frozen=True)
class Event:
    name: str
    parents: tuple[str, ...]
    tree: Tree
    title: str = ""


@dataclass
class Ledger:
    """`events` by name, parents before children. `what` has the contents by name, `names` the names by content."""

    events: dict[str, Event] = field(default_factory=dict)
    what: dict[str, Any] = field(default_factory=dict)
    names: dict[Any, str] = field(default_factory=dict)

    def put(self, content: Any) -> str:
        """The name of a content, which is added if it is new."""
        if content not in self.names:
            self.names[content] = f"{type(content).__name__.lower()} {len(self.what) + 1}"
            self.what[self.names[content]] = content
        return self.names[content]

    def add(self, parents: tuple[str, ...], tree: Tree, title: str = "") -> str:
        """Add an event; return its name."""
        last = next(reversed(self.events), "e-1")
        name = f"e{int(last[1:]) + 1}"
        self.events[name] = Event(name, parents, dict(tree), title)
        return name

    def tree(self, event: str) -> Tree:
        return self.events[event].tree

    def parents(self, event: str) -> tuple[str, ...]:
        return self.events[event].parents

    def ancestors(self, event: str) -> frozenset[str]:
        """The event and all its ancestors."""
        found: set[str] = set()
        waiting = [event]
        while waiting:
            one = waiting.pop()
            if one not in found:
                found.add(one)
                waiting.extend(self.parents(one))
        return frozenset(found)

    def up_to(self, tip: str) -> Ledger:
        """The part of the ledger that has this event as its tip."""
        known = self.ancestors(tip)
        return Ledger({name: e for name, e in self.events.items() if name in known}, self.what, self.names)

    def story(self) -> str:
        """The ledger as text for the message of a failed test: its contents, and the changes of each event."""
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
    """Whether a path is the policy, a file of a gate, or a mark of an open gate. We say that such a file governs."""
    return path == POLICY or path.startswith(("gates/", "open/"))


def set_aside(tree: Tree, path: str) -> str:
    """The path below `superseded/` to which a merge moves the file at this path."""
    folder, _, last = path.rpartition("/")
    decision = tree.get(f"{folder}/decision.yaml", "") if last == "decision.yaml.sig" else ""
    return f"superseded/{decision}.sig" if decision else f"superseded/{tree[path]}"
