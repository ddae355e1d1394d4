"""One of several processes that write to one ledger: `appender.py FOLDER NAME EVENTS ARM START`.

Arms: `guarded` is the ledger as it is; `unlocked` leaves the race to the compare-and-swap alone; `blind` takes both
away, which loses events, or the test could not see a loss. START is a file that the test holds locked until all are ready.
"""

from __future__ import annotations

import fcntl
import sys
from collections.abc import Sequence
from pathlib import Path

from devs_git.domain.ledger.events import Draft, RefUpdate
from devs_git.storage.git import refs
from devs_git.storage.git.program import Git
from devs_git.storage.ledger.store import Tip
from devs_git.workspace import Workspace


def blindly(git: Git, updates: Sequence[RefUpdate], message: str) -> None:
    for update in updates:
        git.run("update-ref", "-m", message, update.ref, update.new)


class Start:
    """Says that this process is ready, and goes on when the test lets go: once."""

    def __init__(self, path: str) -> None:
        self.path, self.passed = path, False

    def wait(self) -> None:
        if self.passed:
            return
        self.passed = True
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        with Path(self.path).open() as stream:
            fcntl.flock(stream, fcntl.LOCK_SH)


def main(folder: str, name: str, events: int, arm: str, start: Start) -> None:
    workspace = Workspace.open(Path(folder))
    if arm == "blind":
        refs.transaction = blindly
    else:
        start.wait()
    for number in range(events):
        append(workspace, f"{name}-{number}", arm, start)


def append(workspace: Workspace, subject: str, arm: str, start: Start) -> None:
    def build(_tip: Tip) -> Draft:
        start.wait()  # of the blind arm: all have read the same tip now
        event = workspace.event("task.started", subject, verb_name="task start")
        return Draft(event, ((f"tasks/{subject}.yaml", b"x\n"),))

    workspace.ledger.append(build, lock=arm == "guarded")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4], Start(sys.argv[5]))
