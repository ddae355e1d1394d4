"""Each type of event has one class, which says how it is written and how it is read."""

from __future__ import annotations

import ast
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from devs_git.domain.ledger.event_branches import BranchCreated
from devs_git.domain.ledger.event_checkpoints import CheckpointRecorded
from devs_git.domain.ledger.event_fields import malformed_fields
from devs_git.domain.ledger.event_header import Content, Header
from devs_git.domain.ledger.event_keys import Key
from devs_git.domain.ledger.event_merges import LedgersMerged
from devs_git.domain.ledger.event_rewrites import CheckpointsRewritten, HistoryRewritten
from devs_git.domain.ledger.event_tasks import TaskStarted
from devs_git.domain.ledger.event_upkeep import TracesPruned
from devs_git.domain.ledger.events import EFFECTS, Event, parse
from tests import house
from tests.support import event_classes
from tests.support.event_examples import EXAMPLES, TYPES, A, fields_of

pytestmark = pytest.mark.quick

TOP = Path(__file__).parent.parent.parent.parent
LEDGER = "domain/ledger/"
NAMES = [f"{type(content).__name__} as {kind} {number}" for number, (content, kind, _) in enumerate(EXAMPLES)]
# Where an `Event` is made that no command says: messages of backups, a draft read from a journal, a merge not yet made.
OTHER_EVENTS = {
    "domain/belief/verdict.py",
    "storage/ledger/own_operations.py",
    "storage/worktree/backups.py",
    "storage/worktree/journal.py",
    "workspace.py",
}


@pytest.mark.parametrize(("content", "kind", "lines"), EXAMPLES, ids=NAMES)
def test_what_an_event_says_is_written_as_the_table_has_it_and_read_back(
    content: Content, kind: str, lines: str
) -> None:
    assert (content.type, content.fields()) == (kind, fields_of(lines))
    header = Header("init", "Ada <ada@example.org>", 1, ".", "2001", "2002", "ok")
    written = Event(content.type, "Subject", (*content.fields(), *header.fields())).message()
    own = "".join(f"{line}\n" for line in lines.strip().splitlines())
    assert written == (
        f"Subject\n\nDevs-Event: {kind}\n{own}Devs-Format: 2\nDevs-Verb: init\n"
        "Devs-Actor: Ada <ada@example.org>\nDevs-Tier: 1\nDevs-Worktree: .\nDevs-Started: 2001\n"
        "Devs-Finished: 2002\nDevs-Outcome: ok\n"
    )
    event = parse(A, (), written)
    assert (event.type, type(content).of(event)) == (kind, content)  # type: ignore[attr-defined]
    assert (event.verb, event.actor, event.started, event.finished) == ("init", header.actor, "2001", "2002")
    assert list(malformed_fields(event)) == []


def test_a_trailer_that_occurs_several_times_has_all_its_values_in_their_order() -> None:
    chance = random.Random(0)
    for _ in range(500):
        keys = [chance.choice("abcd") for _ in range(chance.randrange(6))]
        fields = tuple((key, str(number)) for number, key in enumerate(keys))
        event = parse(A, (), Event("kind", "Subject", tuple((f"Devs-{k}", v) for k, v in fields)).message())
        for key in "abcde":
            values = [value for name, value in fields if name == key]
            assert event.all(f"Devs-{key}") == tuple(values)
            assert event.get(f"Devs-{key}", "none") == (values or ["none"])[0]
            assert event.data.get(f"Devs-{key}", []) == (values[0] if len(values) == 1 else values)


def test_the_first_type_and_the_first_newer_format_of_an_event_count() -> None:
    lines = "Devs-Event: task.started\nDevs-Format: 2\nDevs-Event: rewound\n"
    assert parse(A, (), f"Subject\n\n{lines}").type == "task.started"
    newer = parse(A, (), f"Subject\n\n{lines}Devs-Format: 8\nDevs-Format: 9\n")
    assert (newer.type, newer.fields) == ("unknown", ((Key.FORMAT, "8"), (Key.TYPE, "task.started")))


@pytest.mark.parametrize("kind", sorted(TYPES))
def test_the_page_of_events_lists_the_trailers_of_each_type(kind: str) -> None:
    page = (TOP / "schemas" / "README.md").read_text(encoding="utf-8")
    rows = re.findall(rf"^\| `{re.escape(kind)}` \|(.*)$", page, re.MULTILINE)
    assert len(rows) == 1, kind
    listed = set(re.findall(r"`(Devs-[A-Za-z-]+)`", rows[0]))
    written = {key for _, name, lines in EXAMPLES if name == kind for key, _ in fields_of(lines)}
    # A policy that a person approved has what `gate.resolved` has.
    assert (listed if kind != "policy.set" else listed | written) == written


def test_the_page_of_events_says_what_each_trailer_means() -> None:
    page = (TOP / "schemas" / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`Devs-.*?) \|", page, re.MULTILINE)
    explained = {key for row in rows for key in re.findall(r"`(Devs-[A-Za-z-]+)`", row)}
    keys = {value for name, value in vars(Key).items() if name.isupper()} | {Key.CONVERSATION}
    # Nobody writes it: a reader puts it into what it reads of an event with a newer format.
    assert keys - explained == {Key.TYPE}


def test_each_class_has_an_example_and_each_effect_a_class() -> None:
    assert {type(content) for content, _, _ in EXAMPLES} == set(event_classes.classes())
    assert set(EFFECTS) <= TYPES


@pytest.mark.parametrize("kind", list(event_classes.classes()), ids=lambda kind: kind.__name__)
def test_an_event_that_says_nothing_can_be_read(kind: Any) -> None:
    assert kind.of(Event("x", "s", ())).fields() is not None


@pytest.mark.parametrize(
    ("kind", "key", "value"),
    [
        (TaskStarted, "Devs-Next", " first"),
        (CheckpointRecorded, "Devs-Number", "first"),
        (CheckpointRecorded, "Devs-Stat", "1 2"),
        (BranchCreated, "Devs-Number", "first"),
        (CheckpointsRewritten, "Devs-Moved", "a b"),
        (HistoryRewritten, "Devs-Next", "task-1"),
        (LedgersMerged, "Devs-Renumbered", A),
        (TracesPruned, "Devs-Pruned", "all"),
    ],
)
def test_a_number_that_cannot_be_read_is_an_error_for_who_reads_by_the_class(
    kind: Any, key: str, value: str
) -> None:
    with pytest.raises(ValueError, match=r"invalid literal|to unpack"):
        kind.of(Event("x", "s", ((key, value),)))


@pytest.mark.parametrize(
    "module",
    ["operations.checkpoint.record_in_hook", "operations.gates.pre_commit_checks", "storage.ledger.store"],
)
def test_a_git_hook_loads_the_class_of_an_event_when_it_writes_one(module: str) -> None:
    script = f"import sys, devs_git.{module}; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    events = {name.rpartition(".")[2] for name in loaded.split() if ".ledger.event_" in name}
    assert events == {"event_keys"}


def _names(source: str) -> Iterator[str]:
    """What a module imports, and the attributes that it asks for."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.Attribute):
            yield node.attr


def _calls(source: str, name: str) -> bool:
    """Whether a module calls a function or method of this name."""
    calls = (node.func for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    return any(getattr(call, "attr", getattr(call, "id", "")) == name for call in calls)


def test_the_keys_of_events_are_used_by_the_modules_of_the_ledgers_events_alone() -> None:
    """No exception: what stands in commits, tags and backups has its own class of keys, `TrailerKey`."""
    modules = house.modules(TOP)
    users = {path for path, source in modules.items() if "Key" in _names(source)}
    assert {path for path in users if not path.startswith(LEDGER)} == set()
    assert "Key" in _names("from devs_git.domain.ledger.event_keys import Key\n")


def test_a_command_says_an_event_by_the_class_of_its_type() -> None:
    modules = house.modules(TOP)
    assert {path for path, source in modules.items() if _calls(source, "event")} == {"workspace.py"}
    makers = {path for path, source in modules.items() if _calls(source, "Event")}
    assert {path for path in makers if not path.startswith(LEDGER)} - {
        "entrypoints/http/feed.py"
    } == OTHER_EVENTS
