"""Where the files of a task lie in the tree of the ledger.

An event writes anew each folder above its file. In one flat folder of 100,000 tasks that would be 2.4 MB, so the folders
of tasks are spread: `tasks/<a>/<b>/<c>/<task_id>/<op_id>.yaml`, where a, b and c are the first three digits of the CRC-32
of the id, in hexadecimal. Events of format 1 wrote `tasks/<task_id>/<op_id>.yaml`, which is still read.
"""

from __future__ import annotations

import zlib
from typing import Final

_TOP: Final = "tasks"
_SPREAD: Final = 3
# The format from which on events may write below the digits.
SINCE: Final = 2
# The digits in front of a task's id, as part of a pattern.
DIGITS_FORM: Final = f"(?:[0-9a-f]/){{{_SPREAD}}}"


def digits(task: str) -> str:
    """The folders between `tasks/` and the folder of the task: `a/b/c/`."""
    return "".join(f"{digit}/" for digit in f"{zlib.crc32(task.encode()):08x}"[:_SPREAD])


def path(task: str, op_id: str, before: int) -> str:
    """The path of the file that an operation writes for a task. `before` is the format of the event before it.

    A devs-git that knows format 1 only calls a person because of a path that it does not know. So it has to find the number
    of the format in an earlier event: then it says that a newer devs-git is needed.
    """
    return f"{folders(task)[before >= SINCE]}/{op_id}.yaml"


def folders(task: str) -> tuple[str, ...]:
    """All folders in which files of the task may lie, the one of format 1 first."""
    return f"{_TOP}/{task}", f"{_TOP}/{digits(task)}{task}"


def shown(parts: tuple[str, ...]) -> tuple[str, ...]:
    """The parts of a path as people see them in the view, without the digits: `tasks/<task_id>/<op_id>.yaml`."""
    between, after = parts[1 : _SPREAD + 1], parts[_SPREAD + 1 :]
    spread = parts[0] == _TOP and after and all(len(part) == 1 for part in between)
    return (_TOP, *after) if spread else parts
