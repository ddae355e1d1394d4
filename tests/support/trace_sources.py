"""What fills the catalogs of `trace_world`: people and agents, their hooks, and the transcripts of their sessions."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from devs_git.commands import (
    conversation_import,
)
from tests.support.rewind_cases import begin
from tests.support.trace_oracle import Kept, Line, Word
from tests.support.trace_place import PART, Place, run

NAMES = ("a", "b", "é🐍", "--raw", "two words\n\x1b[31m", "../../x", "0", "")
TASKS = ("", "task-1", "task-2", "task-3")
EDGES = (0, 1, 499, 500, 501, PART - 1, PART, PART + 1, 2 * PART, 2 * PART + 1)
REFUSALS = {"NOTHING_TO_UNDO", "TASK_EXISTS"}
few = st.integers(0, 9)
here = st.sampled_from([True, True, True, False])  # most of it in the first repository
shapes = st.tuples(
    st.sampled_from(EDGES) | st.integers(0, 3000),
    st.binary(max_size=40),
    st.binary(max_size=40),
    st.booleans(),
)
Shape = tuple[int, bytes, bytes, bool]
tasks = st.sampled_from(TASKS)
tools = st.sampled_from(("Bash", "Edit"))
deaths = st.sampled_from((0,) * 12 + (1, 4, 7, 9, 10, 11, 12, 13, 14, 16, 20, 30))


class Sources(RuleBasedStateMachine):
    """Two repositories; `answers` counts what was done."""

    base: ClassVar[Path]
    answers: ClassVar[dict[str, int]] = {}

    @initialize(engine=st.sampled_from("54"))
    def start(self, engine: str) -> None:
        self.folder = Path(tempfile.mkdtemp(dir=self.base))
        if not (self.base / "mould").exists():
            made = begin(self.base / "mould")
            for task in TASKS[1:]:
                made.stage(task.removeprefix("task-"), {f"{task}.txt": task.encode()})
        for name in ("one", "two"):
            shutil.copytree(self.base / "mould", self.folder / name, symlinks=True)
        self.places = [Place(self.folder / name) for name in ("one", "two")]
        for place in self.places:
            place.held.line = Line(TASKS[1:])
        self.numbers = itertools.count(2)
        self.exports: list[tuple[bytes, dict[str, Kept]]] = []
        self.moment = datetime(2026, 1, 1, tzinfo=UTC)
        self.engine(engine)
        self.tick()

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            shutil.rmtree(self.folder)

    def tick(self, step: timedelta = timedelta(milliseconds=1)) -> str:
        """The stamp of another moment: nothing happens twice in one."""
        self.moment += step
        os.environ["DEVS_GIT_CLOCK"] = self.moment.isoformat()
        return self.moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{self.moment.microsecond // 1000:03d}Z"

    def count(self, what: str) -> None:
        self.answers[what] = self.answers.get(what, 0) + 1

    def word(self) -> str:
        return f"zq{next(self.numbers)}"

    def make_output(self, shape: Shape) -> tuple[bytes, str]:
        """An output of about that size, and the word in it."""
        size, before, after, planted = shape
        word = self.word() if planted else ""
        text = before + (b" %s " % word.encode()) + after
        text += b"x y\r\n" * (max(0, size - len(text)) // 5 + 1)
        return text[: max(size, len(before) + len(word) + 2)], word

    def do(self, place: Place, verb: str, known: dict[str, Any], dies: int) -> Any:
        """The result of a verb, True where only its end is known; None where it was killed."""
        if not dies:
            self.count(verb)
            return run(place.case.top, verb, known)
        done = place.survives(verb, known, dies)
        self.count(verb if done else f"{verb} killed")
        return done or None

    # What is stored.

    @rule(here=here, name=st.sampled_from(NAMES), task=tasks, tool=tools, shape=shapes, dies=deaths)
    def put(self, *, here: bool, name: str, task: str, tool: str, shape: Shape, dies: int) -> None:
        place, at = self.places[not here], self.tick()
        output, word = self.make_output(shape)
        given = self.word()
        name = name or f"new {given}"
        known: dict[str, Any] = {
            "task_id": task,
            "tool_name": tool,
            "session_id": "",
            "agent": "reviewer" if task else "",
        }
        known |= {"is_error": shape[3], "duration_ms": shape[0] or None}
        asked = {**known, "trace_id": name, "input": given, "output": output}
        done = self.do(place, "put", asked, dies)
        commit = place.case.git("rev-parse", "HEAD")
        kept = Kept(
            output,
            {**known, "client": "", "commit": commit, "created_at": at},
            frozenset(filter(None, (given, word))),
        )
        if done or any(
            row["trace_id"] == name and row["created_at"] == at for row in place.trace_rows(rewound=True)
        ):
            place.held.traces[name] = kept
        place.must_hold(given, *filter(None, (word,)))

    @rule(
        here=here,
        what=st.lists(st.tuples(few, tasks, tools, shapes, st.booleans()), min_size=1, max_size=5),
        late=st.booleans(),
        dies=deaths,
    )
    def spool(self, *, here: bool, what: list[Any], late: bool, dies: int) -> None:
        """What hooks leave; `late`: the next step finds it there."""
        place = self.places[not here]
        for use, task, tool, shape, reads in what:
            self.leave(place, f"{use}", task, tool, shape, reads=reads and use > 6)
        if not late:
            self.do(place, "ingest", {}, dies)
            place.must_hold()

    def leave(self, place: Place, use: str, task: str, tool: str, shape: Shape, *, reads: bool) -> None:
        at = self.tick()
        data, word = self.make_output(shape)
        output, given = data.decode("utf-8", "replace"), self.word()
        payload = {"session_id": "captured", "hook_event_name": "PostToolUse", "tool_use_id": use}
        payload |= {"tool_name": "Bash" if reads else tool, "tool_response": output}
        payload["tool_input"] = {"command": f"devs-git trace get {given}" if reads else given}  # type: ignore[assignment]
        raw = json.dumps(payload, ensure_ascii=bool(shape[0] % 2)).encode()
        commit = place.case.git("rev-parse", "HEAD")
        top = f"claude PostToolUse\nHEAD {commit}\n" + (f"Devs-Task: {task}\n" if task else "")
        folder = place.case.top / ".git/devs/spool"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{next(self.numbers):016x}.claude.PostToolUse"
        path.write_bytes(top.encode() + b"\n" + raw)
        nanoseconds = (self.moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1) * 1000
        os.utime(path, ns=(nanoseconds, nanoseconds))
        if not reads:  # what only shows a trace is none itself
            known: dict[str, Any] = {
                "task_id": task,
                "session_id": "captured",
                "agent": "",
                "client": "claude",
            }
            known |= {"tool_name": tool, "commit": commit, "created_at": at}
            words = frozenset(filter(None, (given, word)))
            row = {**known, "is_error": False, "duration_ms": None}
            place.held.traces[f"captured {use}"] = Kept(output.encode(), row, words, raw)

    @rule(
        here=here,
        session=st.integers(0, 2),
        task=tasks,
        sizes=st.lists(st.sampled_from((0, 400, 501, 2000)), max_size=4),
        afresh=st.booleans(),
        late=st.booleans(),
    )
    def talk(
        self, *, here: bool, session: int, task: str, sizes: list[int], afresh: bool, late: bool
    ) -> None:
        """A transcript grows, or begins anew as after a compaction; `late`: it is read only after what comes next."""
        place, name = self.places[not here], f"said {session}"
        file = self.folder / f"{place.case.top.name}-{session}.jsonl"
        said: list[tuple[str, str, int, Word]] = []
        with file.open("wb" if afresh else "ab") as stream:
            for size in (0, *sizes):
                number, at, word = next(self.numbers), self.tick(), self.word()
                text = f"{word} " + "x y\n" * (size // 4)
                parts: Any = [{"type": "tool_result", "tool_use_id": f"call {number}", "content": text}]
                message = {"role": "user", "content": parts if size else text}
                line = {"type": "user", "uuid": f"m{number}", "sessionId": name, "timestamp": at}
                stream.write(json.dumps({**line, "message": message}).encode() + b"\n")
                said.append((f"m{number}", text if size else "", len(text), Word(name, task, at, word)))
        if late:
            self.meanwhile(here)
        self.tick()
        place.held.messages |= {message_id: known for message_id, *_, known in said}
        conversation_import.run(place.workspace, conversation_import.Request(file, task=task))
        self.count("talk")
        found = {message.id: message for message in place.messages(name)}
        for message_id, text, size, known in said:
            trace_id = found[message_id].trace_id
            assert bool(trace_id) == (bool(text) and size > 500)
            if trace_id:
                row: dict[str, Any] = {
                    "task_id": task,
                    "session_id": name,
                    "agent": "",
                    "client": "claude",
                    "tool_name": "",
                }
                row |= {"is_error": False, "duration_ms": None, "commit": "", "created_at": known.at}
                place.held.traces[trace_id] = Kept(text.encode(), row, frozenset({known.word}))
        place.must_hold(*(known.word for *_, known in said))

    def meanwhile(self, here: bool) -> None:
        """What happens before a transcript is read."""

    @rule(engine=st.sampled_from("54"))
    def engine(self, engine: str) -> None:
        """As if another devs-git came, whose SQLite has the other full-text search."""
        os.environ["DEVS_FTS"] = engine
