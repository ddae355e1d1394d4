"""One `sync` as a process of its own, which waits for the others after it has looked for the first time.

Run as a program: `syncer.py <top> <arm> <start>`. Arm `guarded` is sync as it is; `forced` pushes its ledger over whatever is
there, as a sync without fast-forward would.
"""

from __future__ import annotations

import fcntl
import os
import sys
from pathlib import Path
from typing import Any

from devs_git.commands import sync
from devs_git.entrypoints import router
from devs_git.storage.git.remotes.remote_repository import Remote, RemoteRefs
from devs_git.workspace import Workspace


def main(top: str, arm: str, start: str) -> None:
    look = Remote.look

    def waiting(self: Remote) -> RemoteRefs:
        found = look(self)
        Remote.look = look  # type: ignore[method-assign]
        os.write(1, b"ready\n")
        with Path(start).open() as stream:
            fcntl.flock(stream, fcntl.LOCK_SH)
        return found

    def forced(self: Remote, ledger: str, *_others: Any) -> None:
        # The other clone may hold the remote's ref at this moment; what is shown is the loss, not that lock.
        push = ("push", "-q", "--force", self.remote, f"{ledger}:refs/heads/devs/ledger")
        assert any(self.git.attempt(*push, ok=(0, 1))[0] == 0 for _ in range(100))

    Remote.look = waiting  # type: ignore[method-assign]
    if arm == "forced":
        Remote.push = forced  # type: ignore[method-assign,assignment]
    router.call("sync", Workspace.open(Path(top)), sync.Request())


if __name__ == "__main__":
    main(*sys.argv[1:])
