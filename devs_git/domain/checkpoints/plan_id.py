"""A plan's id: target and options, readable for people, and a digest of the state that the plan was made from.

`task-10@3:branch:1a2b…`, `task-10:stash+save:…`, `task-10:none+remove:…`, `task-10:branch=old-work:…`; `none` if no way
to preserve was chosen. The plan for a moment begins with its name, which has a colon: `moment:3fa9…:none:…`.
"""

from __future__ import annotations

from typing import Final

from devs_git.domain.checkpoints.rewind_selection import UNTRACKED
from devs_git.errors import invalid
from devs_git.values import immutable

FORM: Final = "(moment:)?[^:]+:[^:]+:[^:]+"


@immutable
class Options:
    """The options of a rewind that are part of its plan."""

    target: str
    preserve: str | None = None
    branch_name: str | None = None
    untracked: str | None = None

    def text(self, digest: str) -> str:
        mode = self.preserve or "none"
        name = f"={self.branch_name}" if self.branch_name else ""
        return f"{self.target}:{mode}{name}{f'+{self.untracked}' if self.untracked else ''}:{digest}"


def read_plan_id(plan_id: str) -> Options:
    """The options in a plan's id; INVALID_ARGUMENTS if the text is not a plan's id."""
    parts = plan_id.rsplit(":", 2)
    if len(parts) != 3 or not all(parts) or ":" in parts[0].removeprefix("moment:"):
        raise invalid(
            "plan_id",
            f"{plan_id!r} is not a plan id.",
            hint="Make a plan and take its id: devs-git rewind TARGET --dry-run --json",
        )
    target, options, _digest = parts
    untracked = next((mode for mode in UNTRACKED if options.endswith(f"+{mode}")), None)
    mode, _, name = options.removesuffix(f"+{untracked}").partition("=")
    return Options(target, None if mode == "none" else mode, name or None, untracked)


def require_agreement(own: Options, planned: Options) -> None:
    """INVALID_ARGUMENTS for an option that the plan does not have: to ignore it would be a surprise."""
    pairs = (
        ("branch_name", own.branch_name, planned.branch_name),
        ("preserve", own.preserve, planned.preserve),
        ("untracked", own.untracked, planned.untracked),
    )
    for name, said, in_plan in pairs:
        if said and said != in_plan:
            raise invalid(
                name,
                "The plan was made without this option.",
                hint=f"Make a plan with it: devs-git rewind {planned.target} --dry-run …",
            )
