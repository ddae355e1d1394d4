"""A directive: what a person tells the agent of a task. The ledger has its text, and the catalog of each clone its states."""

from __future__ import annotations

from typing import Final, Literal

from devs_git.errors import DevsError
from devs_git.values import immutable

State = Literal["written", "handed", "seen", "withdrawn"]
STATES: Final[tuple[State, ...]] = ("written", "handed", "seen", "withdrawn")
# How often a directive is handed over if no transcript shows it.
TRIES: Final = 3


@immutable
class Standing:
    """What the catalog knows of a directive. A time is '' for what has not happened.

    `digest`: SHA-256 of its file, if it was written in this clone at a terminal. `handed_at`: when it was handed over last;
    `handed_to`: to which session, '' if unknown. `rewound_at`: when a rewind undid its task.
    """

    directive_id: str
    task_id: str
    written_at: str
    withdrawn_at: str = ""
    rewound_at: str = ""
    digest: str = ""
    handed_at: str = ""
    handed_to: str = ""
    seen_at: str = ""
    tries: int = 0
    # Whether a transcript can show that the last hand-over arrived.
    provable: bool = True

    @property
    def gone_at(self) -> str:
        """When it was withdrawn, by a person or by a rewind; '' if it counts."""
        return self.withdrawn_at or self.rewound_at

    @property
    def state(self) -> State:
        if self.gone_at:
            return "withdrawn"
        return "seen" if self.seen_at else "handed" if self.handed_at else "written"

    @property
    def waits(self) -> bool:
        """Whether the next prompt hands it over, if who wrote it is believed."""
        left = not self.tries or (self.provable and self.tries < TRIES)
        return left and not self.gone_at and not self.seen_at


def file_of(directive_id: str) -> str:
    """The path in the ledger of its text."""
    return f"directives/{directive_id}.yaml"


def not_found(directive_id: str) -> DevsError:
    """The refusal of an id that no directive has."""
    return DevsError(
        "DIRECTIVE_NOT_FOUND",
        "There is no such directive.",
        hint="List them: devs-git directive list",
        directive_id=directive_id,
    )
