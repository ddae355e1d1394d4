"""Three agents and a person at work for a while: `history` tells all of it in the order in which it was done.

The record with which this is compared is the test's own (tests/support/whole_story.py). The agents work through the real
hooks and the real MCP server, each in its own worktree; the person uses the command line.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.support import kills, whole_story
from tests.support.agent_server import AgentServer
from tests.support.git_calls import git
from tests.support.two_agents import Agent
from tests.support.whole_story import Row, Story, Worker, run

pytestmark = pytest.mark.thorough

CHANGES = {
    "sections_to_modify": ["2"],
    "rationale": "No task can be done with the old dates.",
    "risk_assessment": "Readers of the old dates break.",
}


@pytest.fixture
def story(tmp_path: Path) -> Story:
    """The repository with devs-git, its hooks and those of two clients, and an empty remote."""
    top = tmp_path / "ann"
    whole_story.make_repository(top)
    story = Story(top)
    run(top, "init")
    story.note("repository", "begun")
    story.note("repository", "policy")
    for client in ("claude", "codex"):
        run(top, "agent", "install", client)
    git("add", "-A", where=top)
    git("commit", "-qm", "Set up devs-git", where=top)
    git("init", "-q", "--bare", "../origin.git", where=top)
    git("remote", "add", "origin", "../origin.git", where=top)
    git("push", "-q", "-u", "origin", "main", "devs/ledger", where=top)
    return story


@pytest.fixture
def workers(story: Story) -> Iterator[tuple[Worker, Worker, Worker]]:
    """Three agents: two with Claude Code, one with Codex; the last two in linked worktrees."""
    with ExitStack() as stack:
        found = []
        for name, client in (("", "claude"), ("dates", "codex"), ("names", "claude")):
            top = story.worktree(name) if name else story.top
            server = stack.enter_context(AgentServer(top, client=client, session=f"s-{top.name}"))
            found.append(Worker(Agent(top, f"s-{top.name}", client), server, story))
        first, second, third = found
        yield first, second, third


def test_history_tells_the_whole_story_in_its_order(
    story: Story, workers: tuple[Worker, Worker, Worker]
) -> None:
    first, dates, names = workers
    tasks_side_by_side(first, dates, names)
    gates(story, first, dates)
    returns(story, first)
    conversation(story, names)
    fork(story, dates)
    killed(story)
    second_clone(story, first)
    for worker in workers:
        worker.agent.stops()
    rows = story.history()
    told = [(row["actor"], seen(row)) for row in rows if row["event_type"] != "chat"]
    # Both clones worked at the same time, so only the order within each is known.
    assert [row for actor, row in told if "bob" not in actor] == story.rows
    assert [row for actor, row in told if "bob" in actor] == story.rows_of_bob
    said = [row["subject"] for row in rows if row["event_type"] == "chat"]
    assert sorted(said) == sorted(story.said)


def seen(row: dict[str, Any]) -> Row:
    return row["event_type"], row["event_subtype"], row["task_id"], row["event_data"].get("path", "")


def tasks_side_by_side(first: Worker, dates: Worker, names: Worker) -> None:
    first.start("10", "Parse numbers")
    first.edit(numbers_py="1\n")
    dates.start("20", "Parse dates")
    dates.edit(dates_py="1\n")
    names.start("30", "Parse names")
    names.edit(names_py="1\n")
    dates.checkpoint("20", "dates.py")
    names.complete("30", "names.py")
    first.complete("10", "numbers.py")
    first.start("11", "Round numbers")
    first.edit(round_py="1\n")
    first.complete("11", "round.py")
    first.start("12", "Count numbers")
    first.edit(count_py="1\n")
    first.complete("12", "count.py")


def gates(story: Story, first: Worker, dates: Worker) -> None:
    """A revision of the TAS that a person rejects, and one that a person approves. All writes wait meanwhile."""
    for text, answer in (("odd dates", "reject"), ("new dates", "approve")):
        asked = {**CHANGES, "proposed_text": whole_story.TAS.replace("old dates", text)}
        gate = dates.server.call(
            "request_tas_revision",
            agent_id="developer",
            task_id="20",
            blocker_description="Section 2 rules out what the task needs.",
            proposed_changes=asked,
        )["gate_id"]
        story.note("gate", "requested", "20")
        for worker in (first, dates):
            assert "GATE_BLOCKED" in worker.agent.denied("late.py")
            assert worker.server.refused("commit_task", task_id="20") == "GATE_BLOCKED"
        reason = ["--reason", "These dates are odd."] if answer == "reject" else []
        story.person("gate", answer, gate, *reason)
        story.note("gate", f"{answer}ed".replace("ee", "e"), "20")
    # The new text lands on the branch of the worktree that asked.
    assert "new dates" in (dates.top / "TAS.md").read_text()
    assert "old dates" in (story.top / "TAS.md").read_text()
    dates.edit(dates_py="2\n")
    dates.complete("20", "dates.py", change="modified")


def returns(story: Story, first: Worker) -> None:
    """A rewind with its undo, and a task that is dropped from the middle."""
    run(story.top, "rewind", "task-10", "--yes")
    story.note("rewind", "rewound", "10")
    assert not (story.top / "count.py").exists()
    run(story.top, "undo", "--yes")
    story.note("rewind", "undone")
    assert (story.top / "count.py").exists()
    first.server.call("drop_task", task_id="11")
    story.note("task", "dropped", "11")
    assert not (story.top / "round.py").exists()
    assert (story.top / "count.py").exists()


def conversation(story: Story, names: Worker) -> None:
    """The last turn of a conversation is taken back with the code that it led to, brought back, and taken back again."""
    names.start("31", "Sort names")
    kept = names.agent.said
    names.edit(sort_py="1\n")
    names.hears("Sort them by length.")
    names.edit(sort_py="2\n")
    names.complete("31", "sort.py")
    words = ("conversation", "rewind", "--to-message", kept, "--code", "--yes")
    assert run(names.top, *words)["messages_rewound"] == 1
    story.note("rewind", "rewound")
    assert (names.top / "sort.py").read_text() == "1\n"
    run(names.top, "undo", "--yes")
    story.note("rewind", "undone")
    assert (names.top / "sort.py").read_text() == "2\n"
    run(names.top, *words)
    story.note("rewind", "rewound")


def fork(story: Story, dates: Worker) -> None:
    """A fork of a task wins: its work is better than that of its source, which goes back and takes over the fork's branch."""
    before = git("rev-parse", "dates", where=story.top), (dates.top / "dates.py").read_text()
    done = run(dates.top, "fork", "task-20@1", "--name", "20b", "--yes")
    story.note("task", "forked", "20b")
    there = Path(done["worktree"])
    assert (there / "dates.py").read_text() == "1\n"
    assert before == (git("rev-parse", "dates", where=story.top), (dates.top / "dates.py").read_text())
    agent = Agent(there, "s-20b", "claude")
    with AgentServer(there, client="claude", session="s-20b") as server:
        winner = Worker(agent, server, story)
        winner.hears("Parse dates without a library.")
        winner.edit(dates_py="3\n")
        winner.complete("20b", "dates.py", change="modified")
        agent.stops()
    run(dates.top, "rewind", "task-20@1", "--yes")
    story.note("rewind", "rewound", "20")
    git("merge", "-q", "--ff-only", done["branch"], where=dates.top)
    assert (dates.top / "dates.py").read_text() == "3\n"


def killed(story: Story) -> None:
    """A rewind that is killed in the middle: the next command takes it back, and the ledger says that it failed."""
    before = git("rev-parse", "HEAD", where=story.top)
    with kills.driver() as drive:
        done = drive(story.top, "rewind", {"target": "task-10"}, at=6)
    assert done["killed"], done
    run(story.top, "status")
    story.note("repository", "failed")
    assert git("rev-parse", "HEAD", where=story.top) == before
    assert git("status", "--porcelain", where=story.top) == ""


def second_clone(story: Story, first: Worker) -> None:
    """Another clone gets all of it and works offline, as the first one does. Both have all of it in the end, and are green."""
    git("push", "-q", "--all", "origin", where=story.top)
    run(story.top, "sync")
    git("clone", "-q", "../origin.git", "../bob", where=story.top)
    bob = story.top.parent / "bob"
    git("config", "user.email", "bob@example.org", where=bob)
    run(bob, "init")
    story.by_bob("repository", "begun")
    run(bob, "sync")
    assert verified(bob) == []
    first.start("13", "Sort numbers")
    run(bob, "task", "start", "40", "--title", "Parse colours")
    story.by_bob("task", "created", "40")
    (bob / "colours.py").write_text("1\n")
    run(bob, "task", "complete", "--all", "-m", "Parse colours")
    story.by_bob("file", "added", "40", "colours.py")
    story.by_bob("task", "completed", "40")
    run(bob, "sync")
    run(story.top, "sync")
    story.note("repository", "sync")
    run(bob, "sync")
    for top in (story.top, bob):
        assert verified(top) == []
    assert ledger(bob) == ledger(story.top)


def ledger(top: Path) -> str:
    return git("rev-parse", "devs/ledger", where=top)


def verified(top: Path) -> list[str]:
    """The errors that `verify` finds."""
    return [
        one["message"]
        for one in run(top, "verify", "repository", ok=(0, 1))["findings"]
        if one["severity"] == "error"
    ]
