"""Kill a process that works in this interpreter before its n-th step: whatever opens, moves or removes a file, or starts a program."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Callable

STEPS = frozenset(
    {
        "fcntl.flock",
        "open",
        "os.link",
        "os.mkdir",
        "os.posix_spawn",
        "os.remove",
        "os.rename",
        "os.rmdir",
        "os.utime",
        "subprocess.Popen",
    }
)


def is_killed(work: Callable[[], object]) -> bool:
    """Run `work`, which may kill its process, in a process of its own; whether it was killed. It must not fail."""
    pid = os.fork()
    if not pid:
        failed = 1
        try:
            work()
            failed = 0
        finally:
            if failed:
                traceback.print_exc()
            os._exit(failed)
    status = os.waitpid(pid, 0)[1]
    assert os.WIFSIGNALED(status) or status == 0, "the work failed with an exception"
    return os.WIFSIGNALED(status)


def run(work: Callable[[], object], at: int = -1) -> bool:
    """Run `work` in a process of its own; whether it was killed before step number `at`. It must not fail."""
    seen = -1

    def look(event: str, _arguments: object) -> None:
        nonlocal seen
        if event in STEPS:
            seen += 1
            if seen == at:
                os.kill(os.getpid(), signal.SIGKILL)

    def watched() -> None:
        sys.addaudithook(look)
        work()

    return is_killed(watched)
