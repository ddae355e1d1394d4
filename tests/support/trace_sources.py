"""The steps of `trace_world` that add to a catalog: `trace put`, hooks of clients, and transcripts."""

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
from tests.support.trace_oracle import Branch, ExpectedMessage, ExpectedTrace
from tests.support.trace_repository import PART, Repository, run

NAMES = ("a", "b", "é🐍", "--raw", "two words\n\x1b[31m", "../../x", "0", "")
TASKS = ("", "task-1", "task-2", "task-3")
EDGES = (0, 1, 499, 500, 501, PART - 1, PART, PART + 1, 2 * PART, 2 * PART + 1)
REFUSALS = {"NOTHING_TO_UNDO", "TASK_EXISTS"}
small_numbers = st.integers(0, 9)
here = st.sampled_from([True, True, True, False])  # most steps are in the first repository
shapes = st.tuples(
    st.sampled_from(EDGES) | st.integers(0, 3000),
    st.binary(max_size=40),
    st.binary(max_size=40),
    st.booleans(),
)
Shape = tuple[int, bytes, bytes, bool]
tasks = st.sampled_from(TASKS)
tools = st.sampled_from(("Bash", "Edit"))
kill_steps = st.sampled_from((0,) * 12 + (1, 4, 7, 9, 10, 11, 12, 13, 14, 16, 20, 30))


class Sources(RuleBasedStateMachine):
    """Two repositories. `answers` counts the steps."""

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
        self.repositories = [Repository(self.folder / name) for name in ("one", "two")]
        for repository in self.repositories:
            repository.expected.branch = Branch(TASKS[1:])
        self.numbers = itertools.count(2)
        self.exports: list[tuple[bytes, dict[str, ExpectedTrace]]] = []
        self.moment = datetime(2026, 1, 1, tzinfo=UTC)
        self.engine(engine)
        self.tick()

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            shutil.rmtree(self.folder)

    def tick(self, step: timedelta = timedelta(milliseconds=1)) -> str:
        """Advance the clock, so that each step has its own time; the time as text."""
        self.moment += step
        os.environ["DEVS_GIT_CLOCK"] = self.moment.isoformat()
        return self.moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{self.moment.microsecond // 1000:03d}Z"

    def count(self, what: str) -> None:
        self.answers[what] = self.answers.get(what, 0) + 1

    def word(self) -> str:
        return f"zq{next(self.numbers)}"

    def make_output(self, shape: Shape) -> tuple[bytes, str]:
        """An output of about this size, and the word in it ('' for none)."""
        size, before, after, planted = shape
        word = self.word() if planted else ""
        text = before + (b" %s " % word.encode()) + after
        text += b"x y\r\n" * (max(0, size - len(text)) // 5 + 1)
        return text[: max(size, len(before) + len(word) + 2)], word

    def do(self, repository: Repository, verb: str, known: dict[str, Any], kill_at: int) -> Any:
        """Run a verb; its result. With `kill_at` it runs in a child: True if it ended, None if it was killed."""
        if not kill_at:
            self.count(verb)
            return run(repository.case.top, verb, known)
        done = repository.completes(verb, known, kill_at)
        self.count(verb if done else f"{verb} killed")
        return done or None

    # What is stored.

    @rule(here=here, name=st.sampled_from(NAMES), task=tasks, tool=tools, shape=shapes, kill_at=kill_steps)
    def put(self, *, here: bool, name: str, task: str, tool: str, shape: Shape, kill_at: int) -> None:
        repository, at = self.repositories[not here], self.tick()
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
        done = self.do(repository, "put", asked, kill_at)
        commit = repository.case.git("rev-parse", "HEAD")
        trace = ExpectedTrace(
            output,
            {**known, "client": "", "commit": commit, "created_at": at},
            frozenset(filter(None, (given, word))),
        )
        if done or any(
            row["trace_id"] == name and row["created_at"] == at for row in repository.trace_rows(rewound=True)
        ):
            repository.expected.traces[name] = trace
        repository.assert_complete(given, *filter(None, (word,)))

    @rule(
        here=here,
        what=st.lists(st.tuples(small_numbers, tasks, tools, shapes, st.booleans()), min_size=1, max_size=5),
        late=st.booleans(),
        kill_at=kill_steps,
    )
    def spool(self, *, here: bool, what: list[Any], late: bool, kill_at: int) -> None:
        """Hooks write payloads. With `late`, no command reads them before the next step."""
        repository = self.repositories[not here]
        for use, task, tool, shape, reads in what:
            self.write_payload(repository, f"{use}", task, tool, shape, reads=reads and use > 6)
        if not late:
            self.do(repository, "ingest", {}, kill_at)
            repository.assert_complete()

    def write_payload(
        self, repository: Repository, use: str, task: str, tool: str, shape: Shape, *, reads: bool
    ) -> None:
        at = self.tick()
        data, word = self.make_output(shape)
        output, given = data.decode("utf-8", "replace"), self.word()
        payload = {"session_id": "captured", "hook_event_name": "PostToolUse", "tool_use_id": use}
        payload |= {"tool_name": "Bash" if reads else tool, "tool_response": output}
        payload["tool_input"] = {"command": f"devs-git trace get {given}" if reads else given}  # type: ignore[assignment]
        raw = json.dumps(payload, ensure_ascii=bool(shape[0] % 2)).encode()
        commit = repository.case.git("rev-parse", "HEAD")
        top = f"claude PostToolUse\nHEAD {commit}\n" + (f"Devs-Task: {task}\n" if task else "")
        folder = repository.case.top / ".git/devs/spool"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{next(self.numbers):016x}.claude.PostToolUse"
        path.write_bytes(top.encode() + b"\n" + raw)
        nanoseconds = (self.moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1) * 1000
        os.utime(path, ns=(nanoseconds, nanoseconds))
        if not reads:  # a call that only prints a stored trace is not stored
            known: dict[str, Any] = {
                "task_id": task,
                "session_id": "captured",
                "agent": "",
                "client": "claude",
            }
            known |= {"tool_name": tool, "commit": commit, "created_at": at}
            words = frozenset(filter(None, (given, word)))
            row = {**known, "is_error": False, "duration_ms": None}
            repository.expected.traces[f"captured {use}"] = ExpectedTrace(output.encode(), row, words, raw)

    @rule(
        here=here,
        session=st.integers(0, 2),
        task=tasks,
        sizes=st.lists(st.sampled_from((0, 400, 501, 2000)), max_size=4),
        new_file=st.booleans(),
        late=st.booleans(),
    )
    def talk(
        self, *, here: bool, session: int, task: str, sizes: list[int], new_file: bool, late: bool
    ) -> None:
        """A client adds messages to a transcript, or writes it again. With `late`, a rewind comes before it is read."""
        repository, name = self.repositories[not here], f"said {session}"
        file = self.folder / f"{repository.case.top.name}-{session}.jsonl"
        said: list[tuple[str, str, int, ExpectedMessage]] = []
        with file.open("wb" if new_file else "ab") as stream:
            for size in (0, *sizes):
                number, at, word = next(self.numbers), self.tick(), self.word()
                text = f"{word} " + "x y\n" * (size // 4)
                parts: Any = [{"type": "tool_result", "tool_use_id": f"call {number}", "content": text}]
                message = {"role": "user", "content": parts if size else text}
                line = {"type": "user", "uuid": f"m{number}", "sessionId": name, "timestamp": at}
                stream.write(json.dumps({**line, "message": message}).encode() + b"\n")
                said.append(
                    (f"m{number}", text if size else "", len(text), ExpectedMessage(name, task, at, word))
                )
        if late:
            self.before_reading(here)
        self.tick()
        repository.expected.messages |= {message_id: known for message_id, *_, known in said}
        conversation_import.run(repository.workspace, conversation_import.Request(file, task=task))
        self.count("talk")
        found = {message.id: message for message in repository.messages(name)}
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
                repository.expected.traces[trace_id] = ExpectedTrace(
                    text.encode(), row, frozenset({known.word})
                )
        repository.assert_complete(*(known.word for *_, known in said))

    def before_reading(self, here: bool) -> None:
        """A step between the writing and the reading of a transcript."""

    @rule(engine=st.sampled_from("54"))
    def engine(self, engine: str) -> None:
        """From now on, SQLite has the other version of full-text search, as with another Python."""
        os.environ["DEVS_FTS"] = engine
