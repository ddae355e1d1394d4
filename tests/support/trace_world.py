"""The state machine of `test_trace_model`. It adds to the steps of `trace_sources` those that rewind, prune, export and import."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from devs_git.commands import rewind, task_complete, task_start, trace_export, trace_prune, undo
from devs_git.errors import DevsError
from tests.support.trace_oracle import Branch, ExpectedCatalog
from tests.support.trace_repository import Repository
from tests.support.trace_sources import TASKS, Sources, here, kill_steps, small_numbers

REFUSALS = {"NOTHING_TO_UNDO", "TASK_EXISTS"}


class World(Sources):
    """Steps that complete, rewind and undo tasks, prune traces, and copy traces between the two repositories."""

    def before_reading(self, here: bool) -> None:
        self.rewind(here, 0)

    # What moves the branch.

    @rule(here=here, task=st.sampled_from(TASKS[1:]))
    def complete(self, here: bool, task: str) -> None:
        """Complete a task that is not on the branch; a rewound task may be completed again."""
        repository = self.repositories[not here]
        branch = repository.expected.branch
        if task not in branch.tasks:
            self.tick()
            task_start.run(repository.workspace, task_start.Request(task))
            repository.case.write({f"{task}.txt": self.word().encode()})
            task_complete.run(repository.workspace, task_complete.Request(everything=True))
            repository.expected.branch = Branch((*branch.tasks, task), branch.hidden)
            repository.assert_complete()

    @rule(here=here, at=small_numbers)
    def rewind(self, here: bool, at: int) -> None:
        repository = self.repositories[not here]
        branch = repository.expected.branch
        if branch.tasks:
            now = self.tick()
            target = at % len(branch.tasks)
            done = rewind.run(repository.workspace, rewind.Request(branch.tasks[target], preserve="branch"))
            assert isinstance(done, rewind.Result)
            self.note_move(repository, done.rewind_id, Branch(branch.tasks[: target + 1], branch.hidden), now)

    @precondition(lambda self: any(repository.expected.before for repository in self.repositories))
    @rule(here=here, at=st.none() | small_numbers)
    def undo(self, here: bool, at: int | None) -> None:
        repository, now = self.repositories[not here], self.tick()
        known = list(repository.expected.before)
        op_id = known[at % len(known)] if known and at is not None else None
        try:
            done = undo.run(repository.workspace, undo.Request(op_id, preserve="branch"))
        except DevsError as error:
            if error.code not in REFUSALS:
                raise
            self.count(error.code)
            repository.assert_complete()
            return
        self.count("undo")
        self.note_move(repository, done.undo_id, repository.expected.before[done.undone_operation], now)

    def note_move(self, repository: Repository, operation: str, then: Branch, now: str) -> None:
        expected = repository.expected
        expected.before[operation] = expected.branch
        expected.branch = expected.branch.after_move(then, now)
        self.count("moved")
        repository.assert_complete()

    # Prune, export and import.

    @rule(here=here, age=st.integers(0, 60), size=st.sampled_from(("", "", "0B", "100kB", "120kB", "1GB")))
    def prune(self, here: bool, age: int, size: str) -> None:
        repository = self.repositories[not here]
        repository.assert_complete()  # this also reads the payloads that hooks have written
        self.tick(timedelta(seconds=age))
        asked: dict[str, Any] = {"older_than": "" if size else "30s", "max_size": size}
        foreseen = trace_prune.run(repository.workspace, trace_prune.Request(**asked, dry_run=True))
        repository.assert_complete()
        done = trace_prune.run(repository.workspace, trace_prune.Request(**asked, plan_id=foreseen.plan_id))
        assert (done.traces, done.bytes, done.upto) == (foreseen.traces, foreseen.bytes, foreseen.upto)
        limit = (self.moment - timedelta(seconds=30)).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
        oldest = repository.expected.oldest_first()
        old = [name for name in oldest if repository.expected.traces[name].at < limit]
        going = {"": old, "0B": oldest, "1GB": []}.get(size, oldest[: done.traces])
        gone = [repository.expected.traces.pop(name) for name in going]
        assert (done.traces, done.bytes) == (len(gone), sum(len(trace.output) for trace in gone))
        self.count("prune")
        repository.assert_complete(*(word for trace in gone[:3] for word in trace.words))

    @rule(here=here)
    def export(self, here: bool) -> None:
        repository, packed = self.repositories[not here], bytearray()
        done = trace_export.run(repository.workspace, trace_export.Request(packed.extend))
        assert done.traces == len(repository.expected.traces)
        self.exports.append((bytes(packed), dict(repository.expected.traces)))

    @precondition(lambda self: self.exports)
    @rule(here=here, which=small_numbers, kill_at=kill_steps)
    def take(self, here: bool, which: int, kill_at: int) -> None:
        """Import one of the exports into one of the repositories, which may be its own."""
        repository = self.repositories[not here]
        packed, traces = self.exports[which % len(self.exports)]
        self.tick()
        repository.assert_complete()
        done = self.do(repository, "import", {"source": packed}, kill_at)
        if done is None:  # it was killed: all traces are there, or none of the new ones
            have = {row["trace_id"]: row["created_at"] for row in repository.trace_rows(rewound=True)}
            wanted = ExpectedCatalog({**traces, **repository.expected.traces}).rows().values()
            done = sorted(have.values()) == sorted(str(row["created_at"]) for row in wanted)
        if done:
            new = repository.expected.add_import(traces)
            assert done is True or (done.traces, done.new) == (len(traces), new)
        repository.assert_complete()
