"""Every refusal that a caller can get: one class, and one table of codes.

Only this table says which exit status and HTTP status a code has, and whether trying again may help. Any other exception
is a bug of ours, which the entry points report as INTERNAL.
"""

from __future__ import annotations

from devs_git.values import Any, Final, Literal, get_args, immutable

# A check failed, or a gate is open or rejected.
EXIT_NO = 1
EXIT_USAGE = 2
# A value is refused or not found.
EXIT_REFUSED = 3
# A conflict, or busy: look again.
EXIT_CONFLICT = 4
# The ledger is damaged: call a person.
EXIT_DAMAGED = 5
EXIT_INTERNAL = 70
EXIT_INTERRUPTED = 130


@immutable
class Code:
    """What a code means to programs: exit status, HTTP status, and whether a retry may help."""

    exit_status: int
    http_status: int
    retryable: bool = False


_NOT_FOUND = Code(EXIT_REFUSED, 404)
_REFUSED = Code(EXIT_REFUSED, 422)
_CONFLICT = Code(EXIT_CONFLICT, 409)
_LOOK_AGAIN = Code(EXIT_CONFLICT, 409, retryable=True)
_SAYS_NO = Code(EXIT_NO, 403)
_DAMAGED = Code(EXIT_DAMAGED, 500)

CODES: Final[dict[str, Code]] = {
    "TASK_NOT_FOUND": _NOT_FOUND,
    "CHECKPOINT_NOT_FOUND": _NOT_FOUND,
    "NO_CHECKPOINT": _NOT_FOUND,
    "TASK_EXISTS": _CONFLICT,
    "TASK_ACTIVE": _CONFLICT,
    "TASK_RUNNING": _CONFLICT,  # a session is at work on it
    "GIT_RESET_FAILED": _CONFLICT,
    "HISTORY_REWRITTEN": _CONFLICT,
    "PLAN_STALE": _LOOK_AGAIN,
    "NOTHING_TO_UNDO": _NOT_FOUND,
    "CONFLICT": _CONFLICT,
    "RECOVERY_NEEDED": _CONFLICT,
    "INVALID_BRANCH": _REFUSED,
    "CHECKOUT_FAILED": _CONFLICT,
    "CHECKOUT_TIMEOUT": Code(EXIT_CONFLICT, 504, retryable=True),
    "GIT_NOT_FOUND": Code(EXIT_REFUSED, 500),
    "NOT_A_REPOSITORY": _NOT_FOUND,
    "NOT_INITIALIZED": _CONFLICT,
    "INVALID_ARGUMENTS": _REFUSED,
    "GATE_ALREADY_ACTIVE": _CONFLICT,
    "GATE_BLOCKED": Code(EXIT_NO, 409),
    "GATE_NOT_FOUND": _NOT_FOUND,
    "GATE_ALREADY_RESOLVED": _CONFLICT,
    "TERMINAL_REQUIRED": _SAYS_NO,
    "SELF_APPROVAL": _SAYS_NO,
    "UNKNOWN_SIGNER": _SAYS_NO,
    "BAD_SIGNATURE": _SAYS_NO,
    "REPLAYED": _SAYS_NO,
    "STALE_REQUEST": _CONFLICT,
    "TRACE_NOT_FOUND": _NOT_FOUND,
    "MESSAGE_NOT_FOUND": _NOT_FOUND,
    "SNAPSHOT_NOT_FOUND": _NOT_FOUND,
    "MOMENT_NOT_FOUND": _NOT_FOUND,
    "CONTRACT_NOT_FOUND": _NOT_FOUND,
    "DIRECTIVE_NOT_FOUND": _NOT_FOUND,
    "INVALID_INPUT": _REFUSED,
    "LEDGER_MISSING": _DAMAGED,
    "LEDGER_FORK": _DAMAGED,
    "LEDGER_ROLLBACK": _DAMAGED,
    "LEDGER_MUTATED": _DAMAGED,
    "COMMITTED_WHILE_FROZEN": _SAYS_NO,
    "UNBOUND_COMMIT": _SAYS_NO,
    "LEDGER_REGRESSION": _SAYS_NO,
    "UNSEEN_AT_FREEZE": _SAYS_NO,
    "TAS_UNAPPROVED": _SAYS_NO,
    "TAS_MISMATCH": _SAYS_NO,
    "TAG_MOVED": _SAYS_NO,
    "TAG_MISSING": _SAYS_NO,
    "TAG_NOT_ANNOTATED": _SAYS_NO,
    "BUSY": _LOOK_AGAIN,
    "READ_ONLY": _CONFLICT,
    "FORMAT_TOO_NEW": _CONFLICT,
    "POLICY_INVALID": _REFUSED,
    "INTERNAL": Code(EXIT_INTERNAL, 500),
}

# Why a working tree is not moved: `reason` of GIT_RESET_FAILED and CHECKOUT_FAILED, for programs.
Reason = Literal[
    "dirty",  # tracked files have changes, and the request does not say how to save them
    "untracked_in_the_way",
    "nested_repository",
    "special_file",  # a socket, a pipe or a device in the way
    "operation_under_way",  # a merge, a rebase, a cherry-pick, a revert, am or a bisect
    "unmerged",
    "no_commit",
    "no_branch",
    "other_worktree",  # another worktree has the branch checked out
    "not_an_ancestor",
    "other_branch",  # a moment of a branch that is not checked out
    "new_commits",
    "later_tasks",
    "missing_objects",  # not fetched by a partial clone, removed by a gc, or damaged
    "no_folder",  # a file is where the TAS needs a folder
    "too_large",  # more to save first than the policy allows
    "moved_meanwhile",  # another git moved a ref
    "not_as_written",  # git wrote something else than was asked for; it was undone
    "disk",
    "git_failed",
]
REASONS: Final[tuple[str, ...]] = get_args(Reason)


class DevsError(Exception):
    """A refusal: a code, a sentence that says what is wrong, and a hint that says what to run.

    `details` are members of the envelope (`task_id`, `field`, `gate_id` …). ValueError if CODES has no such code.
    """

    def __init__(self, code: str, message: str, *, hint: str = "", **details: Any) -> None:
        if code not in CODES:
            raise ValueError(f"{code} is not in the table of codes")
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.details = details

    @property
    def exit_status(self) -> int:
        return CODES[self.code].exit_status

    def envelope(self) -> dict[str, Any]:
        """The error as every entry point returns it."""
        return {
            "error": self.code,
            "code": self.code,
            "message": self.message,
            "hint": self.hint,
            "retryable": CODES[self.code].retryable,
            **self.details,
        }


def invalid(field: str, message: str, *, hint: str = "") -> DevsError:
    """INVALID_ARGUMENTS for one field. The name of a nested field has dots."""
    return DevsError("INVALID_ARGUMENTS", message, hint=hint, field=field)


def stale_plan(message: str) -> DevsError:
    """PLAN_STALE: what the plan was made of is not as it was."""
    return DevsError("PLAN_STALE", message, hint="Make a new plan, then decide again.")


def immovable(
    reason: Reason, message: str, *, code: str = "GIT_RESET_FAILED", hint: str = "", **details: Any
) -> DevsError:
    """The working tree is not moved, for this reason: GIT_RESET_FAILED, or CHECKOUT_FAILED as `code`."""
    return DevsError(code, message, hint=hint, reason=reason, **details)
