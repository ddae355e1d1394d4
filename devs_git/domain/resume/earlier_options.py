"""The options of the modes of `resume` that go on from an earlier state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from devs_git.domain.checkpoints.rewind_selection import preserve_mode, require_untracked_mode
from devs_git.domain.resume.choices import FROM_EARLIER
from devs_git.domain.text import field_values
from devs_git.errors import invalid

NAMES: Final = ("checkpoint", "name", "plan", "fork", "preserve", "untracked")


def check(mode: str, given: Mapping[str, Any]) -> None:
    """INVALID_ARGUMENTS for a value that cannot be, or that does not go with the mode. `given` has each of NAMES."""
    field_values.check_value("name", given["name"])
    field_values.check_body("plan", given["plan"])
    preserve_mode(given["preserve"])
    require_untracked_mode(given["untracked"])
    for name in NAMES:
        if given[name] and mode not in FROM_EARLIER:
            hint = "Use one of: " + ", ".join(FROM_EARLIER)
            raise invalid(name, f"{name} goes with a mode that goes on from an earlier state.", hint=hint)
    if given["checkpoint"] and mode != "from_checkpoint":
        raise invalid("checkpoint", "checkpoint goes with the mode from_checkpoint.")
    if given["fork"] and not given["name"]:
        raise invalid("name", "The new task needs a name.", hint="For example: --fork --name task-10b")
