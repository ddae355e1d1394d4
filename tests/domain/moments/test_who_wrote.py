"""Who wrote a path, compared with worlds in which every single write is known.

In a world, sessions run calls of a shell and edit files, a person writes, and commits move HEAD. Moments are made as the
hooks make them: at a prompt, and at the beginning and the end of a call, unless nothing changed. `who_wrote` is given the
moments, the calls and the edits. The world itself keeps a list of all writes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from devs_git.domain.moments.who_wrote import RUNNING, Call, Edit, Look, Writers, who_wrote

pytestmark = pytest.mark.quick

PATHS = ("f", "g", "h")
PERSON = ""


def at(tick: int) -> str:
    return f"{tick:06}"


@dataclass
class World:
    """Everything that happened. `shots` are the moments: their ticks, and what was in each file. `looked`: the ticks at which
    one would have been made if something had changed.
    """

    content: dict[str, int]
    head: dict[str, int] = field(default_factory=lambda: dict.fromkeys(PATHS, 0))
    tick: int = 0
    running: dict[str, int] = field(default_factory=dict)
    shots: list[tuple[int, dict[str, int]]] = field(default_factory=list)
    looked: list[int] = field(default_factory=list)
    calls: list[tuple[str, int, int]] = field(default_factory=list)
    # Tick, path, session; PERSON for a person.
    written: list[tuple[int, str, str]] = field(default_factory=list)
    # Tick, path, session, and the tick at which its hook ended.
    edited: list[tuple[int, str, str, int]] = field(default_factory=list)

    def look(self) -> None:
        self.looked.append(self.tick)
        if not self.shots or self.shots[-1][1] != self.content:
            self.shots.append((self.tick, dict(self.content)))

    def do(self, step: tuple[Any, ...]) -> None:
        self.tick += 10
        what, who, path, value, late = step
        if what in ("shell", "edit", "person") and self.content[path] == value:
            return  # nothing would change
        if what == "begin" and who not in self.running:
            # A client begins the next call of a session after the hook of the one before.
            self.edited = [
                (*edit[:3], min(edit[3], self.tick) if edit[2] == who else edit[3]) for edit in self.edited
            ]
            self.look()
            self.running[who] = self.tick
        elif what == "end" and who in self.running:
            self.look()
            self.calls.append((who, self.running.pop(who), self.tick))
        elif what == "shell" and who in self.running:
            self.content[path] = value
            self.written.append((self.tick, path, who))
        elif what == "edit":
            self.content[path] = value
            self.edited.append((self.tick, path, who, self.tick + late))
        elif what == "person":
            self.content[path] = value
            self.written.append((self.tick, path, PERSON))
        elif what == "prompt":
            self.look()
        elif what == "commit":
            self.head[path] = self.content[path]

    def looks(self) -> list[Look]:
        made, before = [], self.head
        for tick, shot in self.shots:
            changed = frozenset(path for path in PATHS if shot[path] != before[path])
            same = frozenset(path for path in changed if shot[path] == self.head[path])
            made.append(Look(at(tick), changed, same))
            before = shot
        return made

    def answer(self) -> dict[str, Writers]:
        calls = [Call(who, at(begun), at(ended)) for who, begun, ended in self.calls]
        calls += [Call(who, at(begun), RUNNING) for who, begun in self.running.items()]
        edits = [Edit(who, path, at(tick - 1), at(late)) for tick, path, who, late in self.edited]
        return who_wrote(self.looks(), calls, edits)

    def changes(self, path: str) -> list[tuple[int, int]]:
        """The ticks between which moments show a change of the path, since it was last seen as in HEAD."""
        found: list[tuple[int, int]] = []
        before = (-1, {path: self.head[path]})
        for tick, shot in self.shots:
            if shot[path] != before[1][path]:
                found.append((before[0], tick))
            if shot[path] == self.head[path]:
                found.clear()
            before = (tick, shot)
        return found

    def is_running(self, who: str, tick: int) -> bool:
        known = [(begun, ended) for name, begun, ended in self.calls if name == who]
        known += [(self.running[who], tick)] if who in self.running else []
        return any(begun < tick <= ended for begun, ended in known)


STEP = st.tuples(
    st.sampled_from(("begin", "begin", "end", "end", "shell", "shell", "edit", "person", "prompt", "commit")),
    st.sampled_from(("A", "B", "C")),
    st.sampled_from(PATHS),
    st.integers(0, 3),
    st.sampled_from((0, 0, 5, 25)),
)
START = st.fixed_dictionaries({path: st.sampled_from((0, 0, 1)) for path in PATHS})


def lived(start: dict[str, int], steps: list[tuple[Any, ...]]) -> World:
    world = World(dict(start))
    world.look()
    for step in steps:
        world.do(step)
    world.tick += 10
    world.look()
    return world


@settings(max_examples=300, deadline=None)
@given(START, st.lists(STEP, max_size=60))
@example(
    {"f": 0, "g": 0, "h": 0},
    [("begin", "B", "f", 0, 0), ("edit", "A", "f", 1, 25), ("begin", "A", "f", 0, 0)],
)
def test_no_writer_is_missed_and_nobody_is_named_who_could_not_have_written(
    start: dict[str, int], steps: list[tuple[Any, ...]]
) -> None:
    world = lived(start, steps)
    found = world.answer()
    assert set(found) == {path for path in PATHS if world.content[path] != world.head[path]}
    for path, writers in found.items():
        changes = world.changes(path)
        for since, until in changes:
            if since < 0:
                assert writers.unknown
                continue
            here = {who for tick, name, who, _ in world.edited if name == path and since < tick <= until}
            assert here <= writers.sessions
            # An edit explains the change alone, so a shell that wrote at the same time is not seen.
            if not any(name == path and since < late <= until for _, name, _, late in world.edited):
                by_shell = {
                    who for tick, name, who in world.written if name == path and since < tick <= until
                }
                assert by_shell - {PERSON} <= writers.sessions
                if by_shell == {PERSON} and not here and not any(world.is_running(s, until) for s in "ABC"):
                    assert writers.unknown
        editors = {who for _, name, who, _ in world.edited if name == path}
        running = {who for who in "ABC" for _, until in changes if world.is_running(who, until)}
        assert writers.sessions <= editors | running


# B's shell takes back what it wrote before it ends: so nothing of it is in the change that A's edit makes.
@settings(max_examples=300, deadline=None)
@given(START, st.lists(STEP, max_size=60))
@example(
    {"f": 0, "g": 0, "h": 0},
    [
        ("begin", "B", "f", 0, 0),
        ("shell", "B", "g", 1, 0),
        ("shell", "B", "g", 0, 0),
        ("edit", "A", "g", 1, 0),
    ],
)
def test_where_no_two_write_at_once_the_answer_is_exact(
    start: dict[str, int], steps: list[tuple[Any, ...]]
) -> None:
    """A moment lies between the writes of any two, and nobody else writes while a call runs."""
    quiet: list[tuple[Any, ...]] = []
    inside = ""
    for what, who, path, value, _ in steps:
        if inside and what in ("edit", "person", "begin"):
            quiet.append(("end", inside, path, value, 0))
            inside = ""
        if what in ("end", "shell") and who != inside:
            continue
        inside = {"begin": who, "end": ""}.get(what, inside)
        alone = [("prompt", who, path, value, 0)] if what in ("edit", "person") else []
        quiet += [*alone, (what, who, path, value, 0), *alone]
    world = lived(start, quiet)
    writes = [*world.written, *((tick, path, who) for tick, path, who, _ in world.edited)]
    for path, writers in world.answer().items():
        names: set[str] = set()
        for before, until in world.changes(path):
            # All was as before when somebody looked last, even if no moment was made then.
            since = max(before, *(tick for tick in world.looked if tick < until), -1)
            inside_it = {who for tick, name, who in writes if name == path and since < tick <= until}
            names |= inside_it or {PERSON}
        assert writers == Writers(frozenset(names - {PERSON}), PERSON in names)


def look(time: str, *changed: str, same: tuple[str, ...] = ()) -> Look:
    return Look(time, frozenset(changed), frozenset(same))


def test_what_changed_in_calls_of_two_sessions_that_overlap_counts_for_both() -> None:
    looks = [look("0"), look("3", "f"), look("5", "g"), look("7", "h")]
    calls = [Call("A", "1", "5"), Call("B", "2", "7")]
    found = who_wrote(looks, calls, ())
    assert {path: sorted(one.sessions) for path, one in found.items()} == {
        "f": ["A", "B"],
        "g": ["A", "B"],
        "h": ["B"],
    }


def test_an_edit_during_a_long_command_of_another_session_counts_for_the_edit_alone() -> None:
    looks = [look("0"), look("9", "f", "g")]
    found = who_wrote(looks, [Call("A", "1", "9")], [Edit("B", "f", "4", "5")])
    assert {path: sorted(one.sessions) for path, one in found.items()} == {"f": ["B"], "g": ["A"]}


def test_an_edit_that_does_not_explain_all_of_a_change_counts_together_with_the_calls() -> None:
    looks = [look("0"), look("9", "f", "g")]
    edits = [Edit("B", "f", "4", "5"), Edit("B", "g", "4", "5")]
    found = who_wrote(looks, [Call("A", "1", "9")], edits, lambda number, path, _: (number, path) == (1, "g"))
    assert found == {"f": Writers(frozenset("AB")), "g": Writers(frozenset("B"))}


def test_a_call_that_made_no_moment_at_its_end_wrote_nothing_that_is_seen_later() -> None:
    found = who_wrote([look("0"), look("9", "f")], [Call("A", "1", "4")], ())
    assert found == {"f": Writers(unknown=True)}


def test_what_was_written_before_a_path_was_as_in_head_does_not_count() -> None:
    looks = [look("0", "f"), look("2", "f", same=("f",)), look("4", "f")]
    assert who_wrote(looks, [Call("A", "3", "4")], ()) == {"f": Writers(frozenset("A"))}


def test_an_edit_whose_hook_ended_after_the_moment_that_shows_it_still_counts() -> None:
    looks = [look("0"), look("2", "f"), look("6", "g")]
    edit = Edit("A", "f", "1", "3")
    assert who_wrote(looks, (), [edit])["f"] == Writers(frozenset("A"))
    assert who_wrote(looks, [Call("B", "1", "2")], [edit])["f"] == Writers(frozenset("AB"))
    before = Edit("C", "f", "0", "1")
    assert who_wrote(looks, (), [before, edit])["f"] == Writers(frozenset("AC"))


def test_an_edit_after_which_no_moment_was_made_is_not_taken_for_an_earlier_change() -> None:
    looks = [look("0"), look("2", "f")]
    assert who_wrote(looks, (), [Edit("A", "f", "3", "4")]) == {"f": Writers(unknown=True)}
