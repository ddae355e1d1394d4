"""The class of a tool: a verb that agents can call. The rows are in `table.py`."""

from __future__ import annotations

from typing import Any, Final

from devs_git.domain.verbs import READS, Verb, verb
from devs_git.values import field, immutable

TEXT: Final = {"type": "string"}
FLAG: Final = {"type": "boolean"}
MOST: Final = (1 << 53) - 1  # the highest integer that every JSON reader represents exactly
# Codes that any tool may answer.
OF_ALL: Final = (
    "INVALID_ARGUMENTS",
    "GIT_NOT_FOUND",
    "NOT_A_REPOSITORY",
    "NOT_INITIALIZED",
    "LEDGER_MISSING",
    "BUSY",
    "RECOVERY_NEEDED",
    "CONFLICT",  # a full disk, for example
    "INTERNAL",
)
COUNT: Final = {"type": "integer", "minimum": 0, "maximum": MOST}


@immutable
class Param:
    """One parameter: its JSON Schema, its description, and the field of the verb's Request that it sets.

    `verbatim`: the text may have NUL. `worktree`: it names the worktree to work in, and is not a field of the Request.
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
    """One tool.

    `meaning`: one or two sentences for the model. `more`: what only the page of tools says beside them.
    `moves_tree`: MCP marks the tool as destructive, so that a client asks first, although nothing is lost.
    `fixed`: fields of the Request that no caller sets.
    `codes`: its refusals in addition to those of all tools. `invalid`: the code for a refused argument.
    """

    name: str
    verb_name: str
    meaning: str
    params: tuple[Param, ...] = ()
    fixed: dict[str, Any] = field(default_factory=dict)
    moves_tree: bool = False
    codes: tuple[str, ...] = ()
    invalid: str = "INVALID_ARGUMENTS"
    more: str = ""

    @property
    def verb(self) -> Verb:
        return verb(self.verb_name)

    @property
    def is_dry_run(self) -> bool:
        """Whether the tool is the dry run of its verb, so that it writes nothing."""
        return self.fixed.get("dry_run") is True

    @property
    def command(self) -> str:
        """The words of the command that does the same."""
        return self.verb_name + (" --dry-run" if self.is_dry_run else "")

    @property
    def tier(self) -> int:
        return READS if self.is_dry_run else self.verb.tier

    @property
    def reads(self) -> bool:
        return self.tier == READS

    @property
    def runs_while_frozen(self) -> bool:
        """Whether the tool works while a gate is open."""
        return self.is_dry_run or self.verb.runs_while_frozen

    @property
    def every_code(self) -> tuple[str, ...]:
        """All refusals that a caller may meet."""
        return (*self.codes, *(() if self.runs_while_frozen else ("GATE_BLOCKED",)), *OF_ALL)

    def input_schema(self) -> dict[str, Any]:
        """JSON Schema of the arguments; no others are allowed."""
        return {
            "type": "object",
            "properties": {one.name: {**one.schema, "description": one.text} for one in self.params},
            "required": [one.name for one in self.params if one.required],
            "additionalProperties": False,
        }
