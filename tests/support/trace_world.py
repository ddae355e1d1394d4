"""The world that `test_trace_model` runs: what rewinds, prunes and copies what `trace_sources` put into two catalogs."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from devs_git.commands import rewind, task_complete, task_start, trace_export, trace_prune, undo
from devs_git.errors import DevsError
from tests.support.trace_oracle import Held, Line
from tests.support.trace_place import Place
from tests.support.trace_sources import TASKS, Sources, deaths, few, here

REFUSALS = {"NOTHING_TO_UNDO", "TASK_EXISTS"}


class World(Sources):
    """Work is rewound and taken up again, traces are pruned, and go from one repository to the other and back."""

    def meanwhile(self, here: bool) -> None:
        self.rewind(here, 0)

    # What moves the branch.

    @rule(here=here, task=st.sampled_from(TASKS[1:]))
    def complete(self, here: bool, task: str) -> None:
        """Each task once on a branch; what was rewound may be done again."""
        place = self.places[not here]
        line = place.held.line
        if task not in line.tasks:
            self.tick()
            task_start.run(place.workspace, task_start.Request(task))
            place.case.write({f"{task}.txt": self.word().encode()})
            task_complete.run(place.workspace, task_complete.Request(everything=True))
            place.held.line = Line((*line.tasks, task), line.hidden)
            place.must_hold()

    @rule(here=here, at=few)
    def rewind(self, here: bool, at: int) -> None:
        place = self.places[not here]
        line = place.held.line
        if line.tasks:
            now = self.tick()
            target = at % len(line.tasks)
            done = rewind.run(place.workspace, rewind.Request(line.tasks[target], preserve="branch"))
            assert isinstance(done, rewind.Result)
            self.note_move(place, done.rewind_id, Line(line.tasks[: target + 1], line.hidden), now)

    @precondition(lambda self: any(place.held.before for place in self.places))
    @rule(here=here, at=st.none() | few)
    def undo(self, here: bool, at: int | None) -> None:
        place, now = self.places[not here], self.tick()
        known = list(place.held.before)
        op_id = known[at % len(known)] if known and at is not None else None
        try:
            done = undo.run(place.workspace, undo.Request(op_id, preserve="branch"))
        except DevsError as error:
            if error.code not in REFUSALS:
                raise
            self.count(error.code)
            place.must_hold()
            return
        self.count("undo")
        self.note_move(place, done.undo_id, place.held.before[done.undone_operation], now)

    def note_move(self, place: Place, operation: str, then: Line, now: str) -> None:
        held = place.held
        held.before[operation] = held.line
        held.line = held.line.after_move(then, now)
        self.count("moved")
        place.must_hold()

    # What takes away, and what copies.

    @rule(here=here, age=st.integers(0, 60), size=st.sampled_from(("", "", "0B", "100kB", "120kB", "1GB")))
    def prune(self, here: bool, age: int, size: str) -> None:
        place = self.places[not here]
        place.must_hold()  # and has taken in what a dry run would leave
        self.tick(timedelta(seconds=age))
        asked: dict[str, Any] = {"older_than": "" if size else "30s", "max_size": size}
        foreseen = trace_prune.run(place.workspace, trace_prune.Request(**asked, dry_run=True))
        place.must_hold()
        done = trace_prune.run(place.workspace, trace_prune.Request(**asked, plan_id=foreseen.plan_id))
        assert (done.traces, done.bytes, done.upto) == (foreseen.traces, foreseen.bytes, foreseen.upto)
        limit = (self.moment - timedelta(seconds=30)).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
        oldest = place.held.oldest_first()
        old = [name for name in oldest if place.held.traces[name].at < limit]
        going = {"": old, "0B": oldest, "1GB": []}.get(size, oldest[: done.traces])
        gone = [place.held.traces.pop(name) for name in going]
        assert (done.traces, done.bytes) == (len(gone), sum(len(kept.output) for kept in gone))
        self.count("prune")
        place.must_hold(*(word for kept in gone[:3] for word in kept.words))

    @rule(here=here)
    def export(self, here: bool) -> None:
        place, packed = self.places[not here], bytearray()
        done = trace_export.run(place.workspace, trace_export.Request(packed.extend))
        assert done.traces == len(place.held.traces)
        self.exports.append((bytes(packed), dict(place.held.traces)))

    @precondition(lambda self: self.exports)
    @rule(here=here, which=few, dies=deaths)
    def take(self, here: bool, which: int, dies: int) -> None:
        """Any export into any of both, the one that it came from too."""
        place = self.places[not here]
        packed, traces = self.exports[which % len(self.exports)]
        self.tick()
        place.must_hold()
        done = self.do(place, "import", {"source": packed}, dies)
        if done is None:  # all of it, or nothing
            have = {row["trace_id"]: row["created_at"] for row in place.trace_rows(rewound=True)}
            wanted = Held({**traces, **place.held.traces}).rows().values()
            done = sorted(have.values()) == sorted(str(row["created_at"]) for row in wanted)
        if done:
            new = place.held.takes(traces)
            assert done is True or (done.traces, done.new) == (len(traces), new)
        place.must_hold()
