"""Kill a process that works in this interpreter before its n-th step: whatever opens, moves or removes a file, or starts a program."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable

STEPS = frozenset(
    {
        "fcntl.flock",
        "open",
        "os.link",
        "os.mkdir",
        "os.remove",
        "os.rename",
        "os.rmdir",
        "os.utime",
        "subprocess.Popen",
    }
)
# What the worker answers, apart from being killed.
DONE, FAILED = 0, 3


def run(work: Callable[[], object], at: int = -1) -> bool:
    """Run `work` in a process of its own; whether it was killed before step number `at`. It must not fail."""
    pid = os.fork()
    if not pid:
        seen = -1

        def look(event: str, _arguments: object) -> None:
            nonlocal seen
            if event in STEPS:
                seen += 1
                if seen == at:
                    os.kill(os.getpid(), signal.SIGKILL)

        status = FAILED
        try:
            sys.addaudithook(look)
            work()
            status = DONE
        finally:
            os._exit(status)
    status = os.waitpid(pid, 0)[1]
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == DONE, "the work failed"
    return os.WIFSIGNALED(status)
