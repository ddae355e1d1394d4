"""Task ids and references to checkpoints: `10`, `task-10`, `task-10@3`, or the oid of a checkpoint.

`task-10@0` is where the task began. `task-10^` is the same commit, and means the state before the task: a rewind to it
undoes the task itself, too (`--before task-10`). `task-10@<oid>` is the checkpoint of this task that has the oid. An oid may be shortened, as `log` prints it, to no less than seven digits. Rules, each refused with INVALID_ARGUMENTS:
- letters, digits, `.`, `_`, `-`, beginning with a letter or digit; at most 100 characters without the prefix;
- valid inside a ref name: no `..`, not ending in `.` or `.lock`;
- one prefix `task-` at most: `task-task-10` and a bare `task-` are no ids.
"""

from __future__ import annotations

import re

from devs_git.errors import DevsError, invalid
from devs_git.values import Final, immutable

PREFIX: Final = "task-"
MAX_LENGTH: Final = 100
# Patterns for schemas and help. They accept some ids that the rules above refuse.
OID_FORM: Final = "[0-9a-f]{40}"
OPERATION_FORM: Final = "[0-9A-Za-z][0-9A-Za-z-]*"
DIRECTIVE_FORM: Final = "[0-9]{8}T[0-9]{6}-[0-9a-f]{8}"
NUMBER_FORM: Final = "[1-9][0-9]{0,8}"
TASK_FORM: Final = f"({PREFIX})?[A-Za-z0-9][A-Za-z0-9._-]{{0,{MAX_LENGTH - 1}}}"
TARGET_FORM: Final = f"{TASK_FORM}(\\^|@(0|{NUMBER_FORM}|{OID_FORM}))?"
BEFORE: Final = "^"
# Below the folder of numbered refs: an older devs-git fetches archives with them. No task's folder has this name.
ARCHIVES: Final = "refs/devs/checkpoints/archive"
# Of the files of a task in the tree of the ledger (see `task_folders`).
_FLAT: Final = "tasks"
_TOP: Final = "work"
_SPREAD: Final = 3
# The format from which on events may write below the digits.
SPREAD_SINCE: Final = 2
# What may stand in front of a task's id in a path, as part of a pattern.
FOLDERS_FORM: Final = f"(?:{_FLAT}/|{_TOP}/(?:[0-9a-f]/){{{_SPREAD}}})"
_BARE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*", re.ASCII)
_OID = re.compile(OID_FORM, re.ASCII)
_OPERATION = re.compile(OPERATION_FORM, re.ASCII)
_SHORT_OID = re.compile(r"(?=.*[a-f])[0-9a-f]{7,39}", re.ASCII)  # digits alone are first a task's id
_DIGITS = re.compile(r"[0-9]{7,39}", re.ASCII)
_TAGS = "refs/tags/"
_VISIBLE = "devs/"
# What a name of git's may have, and no name of a checkpoint: `HEAD~2`, `main^`, `origin/main`.
_OF_GIT = re.compile(r"[~^/:{]|^HEAD$|^@$", re.ASCII)


def is_oid(text: str) -> bool:
    return _OID.fullmatch(text) is not None


def oid_or_nothing(text: str) -> str:
    """The oid; '' for another text, which git could take for an option."""
    return text if is_oid(text) else ""


def is_operation(text: str) -> bool:
    """Whether a text is the id of an operation. Ask before it becomes part of a path: it may be any file name."""
    return _OPERATION.fullmatch(text) is not None


def task_id(text: str, *, field: str = "task_id") -> str:
    """The canonical id (`task-10`) of what a caller typed (`10` or `task-10`)."""
    bare = text.removeprefix(PREFIX)
    hint = "Use letters, digits, '.', '_' and '-', for example: 10 or task-10."
    if len(bare) > MAX_LENGTH:
        raise invalid(
            field, f"A task id has at most {MAX_LENGTH} characters; this one has {len(bare)}.", hint=hint
        )
    if not _BARE.fullmatch(bare) or bare.startswith(PREFIX):
        raise invalid(field, f"{text!r} is not a task id.", hint=hint)
    if ".." in bare or bare.endswith((".", ".lock")):
        raise invalid(field, f"{text!r} cannot be part of a ref name.", hint=hint)
    return PREFIX + bare


def bare(task: str) -> str:
    """The id without its prefix: `10` of `task-10`."""
    return task.removeprefix(PREFIX)


@immutable
class Target:
    """The checkpoint that a caller names: a task's completion, a numbered checkpoint of it, or an oid.

    `short` is a text that may be the beginning of an oid if no task has that id. With a `task` and an `oid` it is the
    checkpoint of that task. Number 0 is where the task began; `before`: the state before the task is meant.
    """

    task: str = ""
    number: int | None = None
    oid: str = ""
    short: str = ""
    before: bool = False

    @property
    def beginning(self) -> str:
        """What may be the beginning of an oid: `short`, or a task's id that has only digits; "" if nothing is."""
        if self.short or self.oid or self.number is not None:
            return self.short
        return bare(self.task) if _DIGITS.fullmatch(bare(self.task)) else ""

    def __str__(self) -> str:
        if self.before:
            return f"{self.task}{BEFORE}"
        if self.task and self.oid:
            return f"{self.task}@{self.oid}"
        if self.oid or self.short:
            return self.oid or self.short
        return self.task if self.number is None else f"{self.task}@{self.number}"


def parse_target(text: str, *, field: str = "target") -> Target:
    """Parse `task-10`, `10`, `task-10@3`, `task-10^`, the tag `devs/task-10`, or an oid, also of a task.

    A text of 40 hexadecimal digits is always an oid.
    """
    if is_oid(text):
        return Target(oid=text)
    text = _without_tag(text)
    if text.endswith(BEFORE) and not _OF_GIT.search(text.removesuffix(BEFORE)):
        return Target(task_id(text.removesuffix(BEFORE), field=field), 0, before=True)
    name, at, number = text.partition("@")
    if _OF_GIT.search(text if at and not name else name):
        raise _name_of_git(text, field)
    if is_oid(number):
        return Target(task_id(name, field=field), oid=number)
    if at and number != "0" and not re.fullmatch(NUMBER_FORM, number, re.ASCII):
        raise invalid(
            field,
            f"{text!r} is not the name of a checkpoint.",
            hint="A numbered checkpoint is written task-10@3.",
        )
    short = text if _SHORT_OID.fullmatch(text) else ""
    return Target(task_id(name, field=field), int(number) if at else None, short=short)


def _without_tag(text: str) -> str:
    """`task-10` of the visible tag `devs/task-10`; any other text as it is."""
    name = text.removeprefix(_TAGS).removeprefix(_VISIBLE)
    return name if name.startswith(PREFIX) else text


def _name_of_git(text: str, field: str) -> DevsError:
    return invalid(
        field,
        f"{text!r} is not the name of a checkpoint.",
        hint="A checkpoint is named task-10, task-10@3, or by its oid. List them: devs-git log. "
        "For a branch at any commit: git branch NAME COMMIT",
    )


def completed_tag(task: str) -> str:
    """The ref of the visible tag of a completion: `refs/tags/devs/task-10`."""
    return f"refs/tags/devs/{PREFIX}{bare(task)}"


def checkpoint_ref(task: str, number: int) -> str:
    """The ref that keeps a checkpoint and never moves: `refs/devs/checkpoints/task-10/3`."""
    return f"refs/devs/checkpoints/{PREFIX}{bare(task)}/{number}"


def digits(task: str) -> str:
    """The folders between `work/` and the folder of the task: `a/b/c/`."""
    import zlib  # few commands need it

    return "".join(f"{digit}/" for digit in f"{zlib.crc32(task.encode()):08x}"[:_SPREAD])


def task_file(task: str, op_id: str, before: int) -> str:
    """The path of the file that an operation writes for a task. `before` is the format of the event before it.

    A devs-git that knows format 1 only calls a person because of a path that it does not know. So it has to find the number
    of the format in an earlier event: then it says that a newer devs-git is needed.
    """
    return f"{task_folders(task)[before >= SPREAD_SINCE]}/{op_id}.yaml"


def task_folders(task: str) -> tuple[str, ...]:
    """The folders of the ledger in which files of the task may lie: `tasks/<task_id>`, and `work/<a>/<b>/<c>/<task_id>`.

    Events of format 1 wrote to the first. But an event writes anew each folder above its file, and with 100,000 tasks in
    one folder that is 2.4 MB. So now the first three digits of the CRC-32 of the id, in hexadecimal, spread the tasks. They have
    a top folder of their own: in `tasks/` the old entries would be written anew with each new file.
    """
    return f"{_FLAT}/{task}", f"{_TOP}/{digits(task)}{task}"


def view_path(parts: tuple[str, ...]) -> tuple[str, ...]:
    """The parts of a path as people see them in the view, without the digits: `tasks/<task_id>/<op_id>.yaml`."""
    after = parts[_SPREAD + 1 :]
    return (_FLAT, *after) if parts[0] == _TOP and after else parts
