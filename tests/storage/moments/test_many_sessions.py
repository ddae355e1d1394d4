"""Many sessions at once make, prune and pack moments in several worktrees, beside a person's own git in each of them."""

from __future__ import annotations

import os
import random
import subprocess
import time
import traceback
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

from devs_git.domain.moments.moment import Occasion
from devs_git.errors import DevsError
from devs_git.storage.git import refs
from devs_git.storage.moments import make_moment, prune_moments, read_moments
from devs_git.values import replace
from devs_git.workspace import Workspace
from tests.conftest import Run
from tests.storage.moments.test_moment_store import check_whole
from tests.support.moment_scene import maker, prune

pytestmark = pytest.mark.thorough

SESSIONS = int(os.environ.get("DEVS_TEST_COUNT_SESSIONS", "10"))
WORKTREES = int(os.environ.get("DEVS_TEST_COUNT_SESSION_WORKTREES", "3"))
SECONDS = int(os.environ.get("DEVS_TEST_COUNT_SESSION_SECONDS", "5"))
# Days ago: those of the first day stay, the others are pruned at any moment.
KEPT, OLD = 0, (20, 21, 22)
Told = Callable[[str, object], None]


def in_a_process(folder: Path, name: str, work: Callable[[Callable[[str], None]], None]) -> int:
    """Start `work` in a process of its own. It writes its lines, and its failure, to files of this name."""
    pid = os.fork()
    if pid:
        return pid
    try:
        with (folder / f"{name}.log").open("w", buffering=1) as log:
            work(lambda line: print(line, file=log))
    except BaseException:  # noqa: BLE001 - the test must see each failure
        (folder / f"{name}.failed").write_text(traceback.format_exc())
    finally:
        os._exit(0)


def session(top: Path, number: int, until: float, say: Callable[[str], None]) -> None:
    """Change files of its own, and make moments; of all that were made today their ids are said."""
    dice, own = random.Random(number), top / f"of session {number}"
    own.mkdir()
    turn = 0
    while time.time() < until:
        turn += 1
        (own / f"file {turn % 7}.txt").write_text(f"{number} {turn}\n" * dice.randrange(1, 50))
        here, ago = Workspace.open(top), dice.choice((KEPT, KEPT, *OLD))
        now = datetime.now(UTC) - timedelta(days=ago)
        occasion = Occasion(
            dice.choice(("prompt", "call", "after")), f"s{number}", "claude", "", f"turn {turn}"
        )
        try:
            made = make_moment.make(
                replace(maker(here), clock=partial(datetime.fromtimestamp, now.timestamp(), UTC)),
                occasion,
                keep_refs=turn % 5 == 0,
            )
        except DevsError as error:
            if error.code != "BUSY":
                raise
            say("busy")
            continue
        if made.made and ago == KEPT:
            say(made.moment_id)


def person(top: Path, number: int, until: float, say: Callable[[str], None]) -> None:
    """Plain git all the time: none of its commands may fail."""
    turn = 0
    while time.time() < until:
        turn += 1
        (top / f"by hand {number}.txt").write_text(f"{turn}\n")
        commands = [("add", f"by hand {number}.txt"), ("status", "--porcelain"), ("diff", "HEAD", "--stat")]
        # A moment is of one HEAD, so it waits for a commit that another process makes.
        commands += [("commit", "-q", "-m", f"by hand {turn}")] if turn % 10 == 0 else [("stash", "list")]
        for words in commands:
            done = subprocess.run(["git", *words], cwd=top, capture_output=True, text=True, check=False)
            assert (done.returncode, done.stderr) == (0, ""), (words, done.stderr)
            say(words[0])


def pruner(top: Path, until: float, say: Callable[[str], None]) -> None:
    today = datetime.now(UTC).strftime("%Y-%m-%d")
    dice = random.Random(0)
    while time.time() < until:
        git = Workspace.open(top).store_git
        old = [day for day in prune_moments.days(git) if day.day < today and dice.random() < 0.5]
        try:
            say(f"pruned {prune(git, old)}")
        except (refs.RefMoved, refs.RefLocked):
            say("moved meanwhile")
        if dice.random() < 0.3:
            prune_moments.free_space(git)
            say("packed")


def test_no_moment_is_lost_or_torn_and_plain_git_meets_no_lock(
    workspace: Workspace, git: Run, tmp_path: Path, record_property: Told
) -> None:
    git("config", "gc.auto", "0")
    tops = [workspace.top]
    for number in range(1, WORKTREES):
        tops.append(tmp_path / f"worktree {number}")
        git("worktree", "add", "-q", "-b", f"branch-{number}", str(tops[-1]))
    logs, until = tmp_path / "logs", time.time() + SECONDS
    logs.mkdir()
    running = [
        in_a_process(logs, f"session {n}", partial(session, tops[n % WORKTREES], n, until))
        for n in range(SESSIONS)
    ]
    running += [
        in_a_process(logs, f"person {n}", partial(person, top, n, until)) for n, top in enumerate(tops)
    ]
    running.append(in_a_process(logs, "pruner", partial(pruner, workspace.top, until)))
    for pid in running:
        os.waitpid(pid, 0)
    assert [path.read_text() for path in logs.glob("*.failed")] == []
    lines = [line for path in logs.glob("session *.log") for line in path.read_text().splitlines()]
    made = {line for line in lines if line != "busy"}
    opened = Workspace.open(workspace.top)
    listed = read_moments.list_moments(opened.store_git, opened.objects)
    assert made <= {one.id for one in listed}
    assert len(made) > SESSIONS
    for one in listed:
        assert read_moments.look_up(opened.objects, one.id)[1].created_at == one.created_at
    check_whole(workspace.top)
    assert git("fsck", "--connectivity-only", "--no-dangling") == ""
    locks = [path for path in (workspace.top / ".git").rglob("*.lock") if "devs" not in path.parts]
    assert locks == []
    said = [line for path in logs.glob("p*.log") for line in path.read_text().splitlines()]
    told = f"{len(made)} moments stayed, {len(lines) - len(made)} times busy, {len(said)} commands beside"
    record_property(
        "counted", f"{SESSIONS} sessions in {WORKTREES} worktrees for {SECONDS} s: {told}, 0 lost"
    )
