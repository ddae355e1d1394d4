"""A state machine of a person who talks with an agent, edits, rewinds conversation and code, and undoes that, with kills.

It keeps a record of its own: which messages are taken back, and how the worktree looked at each moment and before each
operation. After each step the catalog and the worktree are compared with it.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar

from hypothesis import note
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from devs_git.commands import conversation_import, conversation_rewind, conversation_show, undo
from devs_git.domain.moments.moment import Occasion
from devs_git.entrypoints import router
from devs_git.errors import DevsError
from devs_git.storage.moments import make_moment
from devs_git.values import replace
from devs_git.workspace import Workspace
from tests.support import killed_moves, moment_scene
from tests.support.actors import first_repository
from tests.support.rewind_cases import Case, Look

BEGIN = datetime(2026, 11, 23, 9, 0, tzinfo=UTC)
REFUSALS = {"", "INVALID_ARGUMENTS", "NOTHING_TO_UNDO", "MOMENT_NOT_FOUND"}
# The step before which the command is killed; None for no kill.
kills = st.none() | st.none() | st.integers(0, 14)


@dataclass(frozen=True)
class Before:
    """What an operation found: the messages that were taken back, and the worktree; whether it moved files."""

    gone: frozenset[str]
    look: Look
    moved: bool


class Conversations(RuleBasedStateMachine):
    """One repository and one session of Claude Code. `answers` counts what happened."""

    base: ClassVar[Path]
    answers: ClassVar[dict[str, int]] = {}

    @initialize()
    def start(self) -> None:
        self.folder = Path(tempfile.mkdtemp(dir=self.base))
        shutil.copytree(first_repository(self.base), self.folder / "repo", symlinks=True)
        self.case = Case(self.folder / "repo")
        self.transcript = self.folder / "s1.jsonl"
        self.seconds = 0
        self.said: list[str] = []
        self.gone: frozenset[str] = frozenset()
        self.moments: list[tuple[int, Look]] = []
        self.operations: dict[str, Before] = {}
        self.prompt()

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            shutil.rmtree(self.folder)

    def count(self, what: str) -> None:
        self.answers[what] = self.answers.get(what, 0) + 1

    def now(self) -> Workspace:
        """The workspace, one second later."""
        self.seconds += 1
        time = BEGIN + timedelta(seconds=self.seconds)
        return replace(self.case.workspace, clock=lambda: time)

    @rule()
    def prompt(self) -> None:
        """The hook makes a moment; the person says something, and the agent answers."""
        now = self.now()
        made = make_moment.make(
            replace(moment_scene.maker(now), clock=now.clock), Occasion("prompt", "s1", "claude")
        )
        if made.made:
            self.moments.append((len(self.said), self.case.look()))
        for role in ("user", "assistant"):
            self._say(role)
        router.call("conversation import", self.now(), conversation_import.Request(self.transcript))

    def _say(self, role: str) -> None:
        name = f"m{len(self.said)}"
        line = {
            "type": role,
            "uuid": name,
            "parentUuid": self.said[-1] if self.said else None,
            "sessionId": "s1",
            "timestamp": self.now().now(),
            "message": {"role": role, "content": [{"type": "text", "text": name}]},
        }
        with self.transcript.open("a") as stream:
            stream.write(json.dumps(line) + "\n")
        self.said.append(name)

    @rule(name=st.sampled_from(["a", "b.txt", "new", "d"]), text=st.integers(0, 3))
    def edit(self, name: str, text: int) -> None:
        self.case.write({name: f"{text}\n".encode()})

    @rule(count=st.integers(1, 3), code=st.booleans(), killed_at=kills)
    def rewind(self, count: int, code: bool, killed_at: int | None) -> None:
        live = [name for name in self.said if name not in self.gone]
        more: dict[str, Any] = {"code": True, "preserve": "discard", "untracked": "remove"} if code else {}
        request = conversation_rewind.Request(by_messages=count, session="s1", **more)
        done = self._run(conversation_rewind, request, killed_at)
        if done is None:
            return
        operation, found = done
        kept = self.said.index(live[-count - 1]) + 1
        self.gone |= frozenset(self.said[kept:])
        self.operations[operation] = replace_moved(found, moved=code)
        self.count("rewound with code" if code else "rewound")
        if code:
            self._must_look_as(next(look for at, look in reversed(self.moments) if at <= kept))
        else:
            self.case.look().must_equal(found.look)

    @rule(at=st.none() | st.integers(0, 5), killed_at=kills)
    def undo(self, at: int | None, killed_at: int | None) -> None:
        names = list(self.operations)
        op_id = names[at % len(names)] if at is not None and names else None
        request = undo.Request(op_id, preserve="discard", untracked="remove")
        done = self._run(undo, request, killed_at)
        if done is None:
            return
        operation, found = done
        undone = killed_moves.undone_by(self.case, operation)
        since = [self.operations[name] for name in names[names.index(undone) :]]
        self.gone = since[0].gone
        moved = next((one for one in since if one.moved), None)
        self.operations[operation] = replace_moved(found, moved=moved is not None)
        self.count("undone with code" if moved else "undone")
        if moved:
            self._must_look_as(moved.look)
        else:
            self.case.look().must_equal(found.look)

    def _run(self, verb: Any, request: Any, killed_at: int | None) -> tuple[str, Before] | None:
        """Run a verb, killed or not; the operation that was made, and what it found. None if nothing was done."""
        last, found = killed_moves.last_operation(self.case), Before(self.gone, self.case.look(), moved=False)
        now = self.now()
        if killed_at is None:
            code = ""
            try:
                router.call(verb.__name__.rpartition(".")[2].replace("_", " "), now, request)
            except DevsError as error:
                code = error.code
            assert code in REFUSALS
            self.count(code or "done")
        else:
            killed = killed_moves.run_killed(self.case, verb, request, ("us", killed_at))
            note(
                f"killed at {killed_at}: {killed}, {killed_moves.recover(self.case, again=False, decide=True)}"
            )
            self.count("killed" if killed else "not killed")
        operation = killed_moves.last_operation(self.case)
        if operation == last:
            killed_moves.without_new_times(self.case.look(), found.look, found.look.tags).must_equal(
                found.look
            )
            return None
        return operation, found

    def _must_look_as(self, look: Look) -> None:
        now = self.case.look()
        assert (now.head, now.branch, now.files) == (look.head, look.branch, look.files)

    @invariant()
    def what_is_taken_back_is_marked_and_nothing_else(self) -> None:
        if not hasattr(self, "said"):
            return
        request = conversation_show.Request(session="s1")
        shown = router.call("conversation show", self.case.workspace, request).messages
        assert [one.id for one in shown] == self.said
        assert {one.id for one in shown if one.rewound} == self.gone


def replace_moved(found: Before, *, moved: bool) -> Before:
    """What an operation found, and whether it moved files."""
    return Before(found.gone, found.look, moved)
