"""What a tool is: a verb as agents call it. The rows are in `table.py`."""

from __future__ import annotations

from typing import Any, Final

from devs_git.domain.verbs import READS, Verb, verb
from devs_git.values import field, immutable

TEXT: Final = {"type": "string"}
FLAG: Final = {"type": "boolean"}
MOST: Final = (1 << 53) - 1  # what every reader of JSON can tell from the number beside it
# What any tool may answer.
OF_ALL: Final = (
    "INVALID_ARGUMENTS",
    "GIT_NOT_FOUND",
    "NOT_A_REPOSITORY",
    "NOT_INITIALIZED",
    "LEDGER_MISSING",
    "BUSY",
    "RECOVERY_NEEDED",
    "CONFLICT",  # a disk that is full, if nothing else
    "INTERNAL",
)
COUNT: Final = {"type": "integer", "minimum": 0, "maximum": MOST}


@immutable
class Param:
    """One argument: its JSON Schema, what it means, and the field of the verb's Request that it becomes.

    Only in a `verbatim` text may stand what no name, title or message can hold: NUL. One that names the `worktree` to
    work in is no field of the Request.
    """

    name: str
    schema: dict[str, Any]
    text: str
    field: str = ""
    required: bool = False
    verbatim: bool = False
    worktree: bool = False

    @property
    def target(self) -> str:
        return self.field or self.name


@immutable
class Tool:
    """`moves_tree` tools are announced as destructive, although nothing is lost: a client should ask before it calls.

    What a tool `reads_traces` prints is not stored as a trace again. `fixed` are fields that no caller chooses. `codes`
    are the refusals of its own, beside those that every tool has. `invalid` is the code for an argument that is refused.
    """

    name: str
    verb_name: str
    meaning: str
    params: tuple[Param, ...] = ()
    fixed: dict[str, Any] = field(default_factory=dict)
    moves_tree: bool = False
    reads_traces: bool = False
    codes: tuple[str, ...] = ()
    invalid: str = "INVALID_ARGUMENTS"

    @property
    def verb(self) -> Verb:
        return verb(self.verb_name)

    @property
    def reads(self) -> bool:
        return self.verb.tier == READS

    @property
    def every_code(self) -> tuple[str, ...]:
        """All refusals that a caller may meet."""
        return (*self.codes, *(() if self.verb.runs_while_frozen else ("GATE_BLOCKED",)), *OF_ALL)

    def input_schema(self) -> dict[str, Any]:
        """JSON Schema of the arguments; nothing else may be given."""
        return {
            "type": "object",
            "properties": {one.name: {**one.schema, "description": one.text} for one in self.params},
            "required": [one.name for one in self.params if one.required],
            "additionalProperties": False,
        }
