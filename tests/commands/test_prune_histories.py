"""Random histories: after `prune`, everything that the test's own record says must stay is whole, and everything else is gone.

The record knows what was done when. It reads neither refs nor the catalog to decide what must stay.
"""

from __future__ import annotations

import json
import random
import shutil
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest

from devs_git.commands import (
    conversation_import,
    conversation_show,
    prune,
    rewind,
    task_complete,
    task_start,
    undo,
)
from devs_git.domain.ledger.events import Draft
from devs_git.entrypoints import router
from devs_git.storage.catalog import fulltext, prune_sessions
from devs_git.storage.catalog.database import Catalog
from devs_git.workspace import Workspace
from tests.support.git_calls import git
from tests.support.repository_copy import folder as copy
from tests.support.scene import contents

pytestmark = pytest.mark.thorough

STEPS: Final = 24
BACKUPS, PRESERVED, CONVERSATIONS = 20, 12, 30  # days


@dataclass
class Done:
    """An operation: when, and what was there before it: the files, and the live tasks."""

    op_id: str
    at: datetime
    files: dict[str, Any]
    live: list[str]
    undone: list[str]


@dataclass
class World:
    """The repository, and the test's own record of it."""

    top: Path
    chance: random.Random
    now: datetime = datetime(2026, 1, 1, 12, tzinfo=UTC)
    live: list[str] = field(default_factory=list)
    done: list[Done] = field(default_factory=list)
    # Of each session its messages, and when devs-git read it last.
    said: dict[str, list[str]] = field(default_factory=dict)
    seen: dict[str, datetime] = field(default_factory=dict)
    # Of each task the session and the messages up to its checkpoint.
    named: dict[str, tuple[str, list[str]]] = field(default_factory=dict)
    preserved: dict[str, datetime] = field(default_factory=dict)
    tasks: int = 0
    pruned: set[str] = field(default_factory=set)

    def call(self, name: str, request: Any, top: Path | None = None) -> Any:
        return router.call(name, Workspace.open(top or self.top), request)

    def talk(self) -> str:
        """A session goes on, begins, or begins as a fork of another one; its name."""
        way = self.chance.choice(("on", "new", "fork"))
        known = sorted(self.said)
        if way == "on" and known:
            name = self.chance.choice(known)
        else:
            name = f"s{len(self.said) + len(self.pruned)}"
            source = self.said[self.chance.choice(known)] if way == "fork" and known else []
            self.said[name] = source[: self.chance.randint(0, len(source))]
        self.said[name] = [*self.said[name], f"{name} says {len(self.said[name])}"]
        path = self.top.parent / f"{name}.jsonl"
        path.write_text("".join(_line(name, text) for text in self.said[name]))
        self.call("conversation import", conversation_import.Request(path))
        self.seen[name] = self.now
        return name

    def work(self) -> None:
        """A task is started and completed; mostly an agent talks meanwhile."""
        self.tasks += 1
        task = str(self.tasks)
        self.call("task start", task_start.Request(task))
        if self.chance.random() < 0.8:
            name = self.talk()
            self.named[task] = (name, list(self.said[name]))
        (self.top / f"{task}.txt").write_text(f"{task} {self.now}\n")
        self.call("task complete", task_complete.Request(task, everything=True))
        self.live.append(task)

    def rewind(self) -> None:
        """To a live task, sometimes with uncommitted work, which goes to a branch or to the stash."""
        if len(self.live) < 2:
            return
        target = self.chance.choice(self.live[:-1])
        mode = self.chance.choice((None, "branch", "stash"))
        if mode:
            (self.top / "base.txt").write_text(f"edited {self.now}\n")
        files, live = contents(self.top), list(self.live)
        found = self.call("rewind", rewind.Request(target, preserve=mode))
        self.live = self.live[: self.live.index(target) + 1]
        gone = [task for task in live if task not in self.live]
        self.done.append(Done(found.rewind_id, self.now, files, live, gone))

    def undo(self) -> None:
        """The last rewind is undone, if nothing was done since."""
        if not self.done or not self.done[-1].undone or self.live[-1:] != self._after(self.done[-1])[-1:]:
            return
        last, files, live = self.done[-1], contents(self.top), list(self.live)
        found = self.call("undo", undo.Request())
        self.live = list(last.live)
        # To undo this one takes nothing back that is live now, but what it brought back.
        self.done.append(Done(found.undo_id, self.now, files, live, []))

    def _after(self, one: Done) -> list[str]:
        return [task for task in one.live if task not in one.undone]

    def young(self) -> list[Done]:
        return [one for one in self.done if one.at >= self.now - timedelta(days=BACKUPS)]

    def kept_sessions(self) -> set[str]:
        """The sessions that must be there after a prune now."""
        needed = [*self.live, *(task for one in self.young() for task in one.undone)]
        bound = self.now - timedelta(days=CONVERSATIONS)
        kept = {self.named[task][0] for task in needed if task in self.named}
        return {name for name in self.said if name in kept or self.seen[name] >= bound}


def _line(session: str, text: str) -> str:
    known = {"type": "user", "uuid": text.replace(" ", "-"), "sessionId": session}
    stamp = {"timestamp": "2026-01-01T00:00:00.000Z"}
    return json.dumps({**known, **stamp, "message": {"role": "user", "content": text}}) + "\n"


@pytest.mark.parametrize("seed", range(5))
def test_prune_deletes_what_nothing_refers_to_and_nothing_else(
    initialised: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, seed: int
) -> None:
    world = World(initialised, random.Random(seed))
    _begin(world, monkeypatch)
    for number in range(STEPS):
        world.now += timedelta(hours=world.chance.choice((1, 30, 100, 200)))
        monkeypatch.setenv("DEVS_GIT_CLOCK", world.now.isoformat())
        step = world.chance.choice((world.work, world.work, world.rewind, world.undo, world.talk))
        step()
        if number % 6 == 5:
            _prune_and_check(world, tmp_path / f"copy {number}")


def _begin(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEVS_GIT_CLOCK", world.now.isoformat())
    spans = {"backups": BACKUPS, "preserved": PRESERVED, "conversations": CONVERSATIONS}
    record = {"genesis": "0" * 40, "retention": {kind: f"{days}d" for kind, days in spans.items()}}
    workspace = Workspace.open(world.top)
    event = workspace.event("policy.set", "policy: x", verb_name="init")
    workspace.append(lambda _tip: Draft(event, (("policy.yaml", json.dumps(record).encode()),)))
    (world.top / "base.txt").write_text("base\n")
    world.work()


def _prune_and_check(world: World, spare: Path) -> None:
    wanted, stashes = world.kept_sessions(), git("stash", "list", where=world.top)
    before = _refs(world, "refs/heads/devs/preserved/")
    planned = world.call("prune", prune.Request(dry_run=True))
    done = world.call("prune", prune.Request(plan_id=planned.plan_id))
    assert [kind.count for kind in done.kinds] == [kind.count for kind in planned.kinds]
    with Catalog.look(Workspace.open(world.top).places.shared) as catalog:
        assert set(prune_sessions.last_seen(catalog)) == wanted
        assert (catalog.trouble(), fulltext.trouble(catalog)) == ("", "")
    world.pruned |= world.said.keys() - wanted
    world.said = {name: world.said[name] for name in world.said if name in wanted}
    assert _refs(world, "refs/devs/backup/") == {one.op_id for one in world.young()}
    bound = world.now - timedelta(days=PRESERVED)
    times = {one.op_id: one.at for one in world.done}
    assert _refs(world, "refs/heads/devs/preserved/") == {name for name in before if times[name] >= bound}
    assert git("stash", "list", where=world.top) == stashes
    _check_conversations(world, world.top, world.live)
    for name, texts in world.said.items():
        assert _texts(world, world.top, session=name) == texts
    for one in world.young():
        _check_undo(world, one, spare)


def _refs(world: World, folder: str) -> set[str]:
    out = git("for-each-ref", "--format=%(refname)", folder, where=world.top)
    return {line.removeprefix(folder) for line in out.split()}


def _check_undo(world: World, one: Done, spare: Path) -> None:
    """In a copy, after git collected garbage: back to before this operation, with each task's conversation."""
    copy(world.top, spare)
    git("reflog", "expire", "--expire=now", "--all", where=spare)
    git("gc", "-q", "--prune=now", where=spare)
    world.call("undo", undo.Request(one.op_id, preserve="branch"), spare)
    assert contents(spare) == one.files
    _check_conversations(world, spare, one.live)
    shutil.rmtree(spare)


def _check_conversations(world: World, top: Path, tasks: list[str]) -> None:
    for task in tasks:
        if task in world.named:
            assert _texts(world, top, at=f"task-{task}@1") == world.named[task][1]


def _texts(world: World, top: Path, **asked: Any) -> list[str]:
    shown = world.call("conversation show", conversation_show.Request(**asked), top)
    return [message.content for message in shown.messages]
