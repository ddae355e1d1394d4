"""`log --graph` says what was built on what: branches, rewinds with their undo, forks, gates and merges, from real histories."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from devs_git.commands import drop, fork, gate_reject, log, restore, task_complete
from devs_git.errors import DevsError
from devs_git.workspace import Workspace
from tests.support import gate_scene
from tests.support.own_calls import devs_git
from tests.support.read_lanes import MARK, read_edges
from tests.support.rewind_cases import Case
from tests.support.terminal_person import at_terminal

Mark = Callable[..., str]
Shape = list[tuple[str, list[str]]]


def graph(case: Case, **more: object) -> log.GraphResult:
    done = log.run(case.workspace, log.Request(graph=True, **more))  # type: ignore[arg-type]
    assert isinstance(done, log.GraphResult)
    return done


def shape(case: Case, **more: object) -> Shape:
    """Each row, newest first, with the rows on which it was built; one that is not live ends in `x`."""
    done = graph(case, **more)
    names = {point.tag: f"{point.task_id}@{point.number}" for point in done.checkpoints}
    names |= {one.event: one.type for one in done.operations}
    names |= {row.key: f"open {names[row.key]}" for row in done.graph if row.kind == "open gate"}
    called = {row.key: names.get(row.key, row.key) + ("" if row.live else " x") for row in done.graph}
    return [(called[row.key], [called[key] for key in row.parents]) for row in done.graph]


@pytest.fixture
def three(case: Case) -> Case:
    for number in (1, 2, 3):
        case.stage(str(number), {f"{number}.txt": b"work\n"})
    return case


@pytest.mark.quick
def test_a_rewind_with_its_undo_and_the_undo_of_that(three: Case) -> None:
    three.rewind("task-1")
    rewound = ("rewound", ["task-1@1"])
    gone = [("task-3@1 x", ["task-2@1 x"]), ("task-2@1 x", ["task-1@1"]), ("task-1@1", [])]
    assert shape(three) == [rewound, *gone]
    three.undo()
    line = [("task-3@1", ["task-2@1"]), ("task-2@1", ["task-1@1"]), ("task-1@1", [])]
    undone = ("undone", ["task-3@1", "rewound x"])
    assert shape(three) == [undone, ("rewound x", ["task-1@1"]), *line]
    three.undo()
    assert shape(three) == [
        ("undone", ["task-1@1", "undone x"]),
        ("undone x", ["task-3@1 x", "rewound"]),
        rewound,
        *gone,
    ]


def test_the_work_after_a_rewind_is_built_on_the_rewind(three: Case) -> None:
    three.rewind("task-1")
    three.stage("4", {"4.txt": b"other\n"})
    assert shape(three)[:3] == [
        ("task-4@1", ["rewound"]),
        ("rewound", ["task-1@1"]),
        ("task-3@1 x", ["task-2@1 x"]),
    ]


def test_two_branches_meet_in_a_merge(three: Case) -> None:
    three.git("switch", "-qc", "side", "HEAD~1")
    three.stage("4", {"4.txt": b"side\n"})
    three.git("switch", "-q", "main")
    three.git("merge", "-q", "--no-edit", "side")
    assert shape(three)[0] == ("HEAD", ["task-3@1", "task-4@1"])
    three.stage("5", {"5.txt": b"both\n"})
    assert shape(three) == [
        ("task-5@1", ["task-3@1", "task-4@1"]),
        ("task-4@1", ["task-2@1"]),
        ("task-3@1", ["task-2@1"]),
        ("task-2@1", ["task-1@1"]),
        ("task-1@1", []),
    ]


def test_a_fork_into_a_worktree_stands_at_its_checkpoint(three: Case) -> None:
    made = fork.run(three.workspace, fork.Request("task-2", "2b", conversation=False))
    place = Path(made.worktree)
    (place / "b.txt").write_text("fork\n")
    task_complete.run(Workspace.open(place), task_complete.Request("2b", everything=True, message="the fork"))
    assert shape(three)[:3] == [
        ("task-2b@1", ["task.started"]),
        ("task.started", ["task-2@1"]),
        ("task-3@1", ["task-2@1"]),
    ]


def test_gates_are_open_approved_and_rejected(three: Case) -> None:
    first = gate_scene.ask(three.workspace, kind="MANUAL", agent_id="architect")
    gate_scene.approve(three.workspace, first)
    second = gate_scene.ask(three.workspace, kind="MANUAL", agent_id="architect")
    gate_reject.run(
        three.workspace, gate_reject.Request(second, ask=gate_scene.yes, reason="Not in this way.")
    )
    gate_scene.ask(three.workspace, kind="MANUAL", agent_id="architect")
    assert shape(three)[:5] == [
        ("open gate.requested", []),
        ("gate.resolved", ["gate.requested"]),
        ("gate.requested", []),
        ("gate.resolved", ["gate.requested"]),
        ("gate.requested", []),
    ]
    shown = devs_git("log", "--graph", where=three.top)
    assert "  ?" in shown.splitlines()[0]
    assert "open gate: architect asks" in shown


def test_a_restore_and_a_drop_are_commits_of_the_branch(three: Case) -> None:
    three.commit({"4.txt": b"wrong\n"}, "wrong\n\nDevs-Task: task-4")
    three.point("4")
    restore.run(three.workspace, restore.Request("task-1", ("2.txt",)))
    drop.run(three.workspace, drop.Request("task-4"))
    three.stage("5", {"5.txt": b"more\n"})
    assert shape(three)[:4] == [
        ("task-5@1", ["dropped"]),
        ("dropped", ["restored"]),
        ("restored", ["task-4@1 x"]),
        ("task-4@1 x", ["task-3@1"]),
    ]


def test_head_is_a_row_of_its_own_if_no_checkpoint_is_there(three: Case) -> None:
    three.commit({"more.txt": b"more\n"})
    assert shape(three)[:2] == [("HEAD", ["task-3@1"]), ("task-3@1", ["task-2@1"])]
    assert shape(three, task="3") == [("task-3@1", [])]


def test_a_page_says_which_rows_were_built_on_an_older_one(three: Case) -> None:
    first = graph(three, limit=2)
    assert [(row.parents != (), row.older) for row in first.graph] == [(True, False), (False, True)]
    (last,) = graph(three, limit=2, cursor=first.next_cursor).graph
    assert (last.parents, last.older) == ((), False)
    assert "~  " in devs_git("log", "--graph", "-n", "2", where=three.top)


def test_an_older_commit_that_was_recorded_later_stands_below_the_newer_one(case: Case) -> None:
    case.commit({"a.txt": b"a\n"})
    case.stage("1", {"b.txt": b"b\n"})
    case.git("switch", "-q", "--detach", "HEAD~1")
    case.point("2")
    assert shape(case) == [("task-1@1", ["task-2@1"]), ("task-2@1", [])]


def test_the_text_has_the_edges_of_the_result(three: Case) -> None:
    three.rewind("task-1")
    three.stage("4", {"4.txt": b"other\n"})
    three.rewind("task-1")
    three.undo()
    rows = graph(three).graph
    place = {row.key: at for at, row in enumerate(rows)}
    expected = {(at, place[key]) for at, row in enumerate(rows) for key in row.parents}
    for style, words in (("unicode", ()), ("ascii", ("--ascii",))):
        shown = devs_git("log", "--graph", *words, where=three.top).splitlines()
        lanes = [line[: 2 * len(rows)] for line in _lanes_of(shown)]
        assert read_edges(lanes, style) == expected


def _lanes_of(shown: list[str]) -> list[str]:
    """The lanes without what stands beside them; each mark as one sign."""
    wide = min(found.start() for line in shown if (found := re.search("  [0-9a-f]{10}  20[0-9]{2}-", line)))
    return ["".join(MARK if sign in "@*ox<>" else sign for sign in line[:wide]).rstrip() for line in shown]


def test_no_line_is_wider_than_the_terminal_and_a_pipe_has_no_colour(three: Case) -> None:
    three.rewind("task-1")
    for wide in (80, 40):
        status, shown = at_terminal(three.top, "log", "--graph", size=(60, wide), env={"NO_COLOR": "1"})
        assert status == 0
        assert max(map(len, shown.splitlines())) <= wide
    assert "\x1b" not in devs_git("log", "--graph", where=three.top)
    _, coloured = at_terminal(
        three.top, "log", "--graph", size=(60, 80), env={"TERM": "xterm", "NO_COLOR": ""}
    )
    assert "\x1b[90mx" in coloured


def test_ascii_alone_and_moments_in_a_graph_are_refused_with_the_way_out(three: Case) -> None:
    with pytest.raises(DevsError, match="not shown with"):
        log.Request(graph=True, moments=True)
    status, said = at_terminal(three.top, "log", "--ascii")
    assert (status, "Add --graph" in said) == (2, True)


def test_json_has_the_graph_only_if_it_was_asked_for(three: Case) -> None:
    assert "graph" not in json.loads(devs_git("log", "--json", where=three.top))
    told = json.loads(devs_git("log", "--graph", "--json", where=three.top))
    assert list(told["graph"][0]) == ["key", "kind", "parents", "live", "older"]
    assert [row["key"] for row in told["graph"]] == [row["tag"] for row in told["checkpoints"]]
