"""The verb table: what each verb may do, and what an open gate does to it.

The router, the ledger, the command line, the documentation and `verify` read this table. The verb `gate request` is in
`devs_git/commands/gate_request.py`, with `Request`, `run` and `Result`. A name that is not in the table is unknown:
it has tier 2 and is refused while a gate is open.
"""

from __future__ import annotations

from devs_git.values import TYPE_CHECKING, Any, Final, immutable, replace

if TYPE_CHECKING:
    from typing import Self, TypeVar

    Kind = TypeVar("Kind")

READS, CHANGES, UNKNOWN, DESTROYS = 0, 1, 2, 3


class VerbRequest:
    """The base of every verb's `Request`: what the router and the entry points read of each request.

    A verb that supports one of these has a field of that name. All other verbs have the value here.
    """

    # Whether to show only what would happen.
    dry_run: bool = False
    # The id of the plan that a dry run showed: only this plan is carried out.
    plan_id: str | None = None
    # Why a person overrides a gate; None or "": nobody does.
    override_reason: str | None = None
    # Whether a person may be at the terminal.
    at_terminal: bool = False
    # The folder of relative paths; None if the verb takes no paths.
    folder: str | None = None

    @property
    def only_reads(self) -> bool:
        """Whether this request writes nothing, though its verb may: then the verb has tier 0 for it."""
        return False

    @property
    def frozen_option(self) -> str:
        """The option with which the request waits while a gate is open, though its verb does not; "" for none."""
        return ""

    def as_dry_run(self) -> Self:
        """The same request as a dry run; TypeError if the verb has none."""
        return _changed(self, dry_run=True)

    def bound_to(self, plan_id: str) -> Self:
        """The same request for this plan alone; TypeError if the verb has no plans."""
        return _changed(self, plan_id=plan_id)

    def from_folder(self, folder: str) -> Self:
        """The same request with paths that begin at `folder`; TypeError if the verb takes no paths."""
        return _changed(self, folder=folder)

    def goes_on(self, result: Any) -> bool:
        """Whether there may be a request after this result. It is asked before the result is shown, so it asks nobody."""
        return self.next_request(result) is not None

    def next_request(self, result: Any) -> Self | None:  # noqa: ARG002 - a verb with more to show reads it
        """The request to run after this result, as long as somebody reads; None for no other."""
        return None


def _changed(request: Kind, **members: object) -> Kind:
    # Type checkers let `replace` change only fields: the class of the verb has them, the base does not.
    any_verbs: Any = request
    changed: Kind = replace(any_verbs, **members)
    return changed


class VerbResult:
    """The base of a `Result` with one of these members, which the entry points read."""

    # Why nobody may believe the ledger; "" if it is sound.
    not_believed: str = ""
    # Of a dry run: the refusals of the real run, as JSON.
    blocked_by: tuple[dict[str, Any], ...] = ()
    # Of a dry run: the id of the plan that it shows; "" if it has none.
    plan_id: str = ""

    @property
    def needs_question(self) -> bool:
        """Whether a person at a terminal has to agree to what this dry run shows."""
        return True


@immutable
class Verb:
    """One row of the table.

    `while_frozen`: the verb also runs while a gate is open, as all verbs do that only read or record. `records`: it
    writes only to the catalog, and leaves no event. `seconds`: its time limit, after which everything is as before.
    `before_init`: it also runs where the ledger has no policy yet; all others are refused there (NOT_INITIALIZED).
    """

    name: str
    tier: int
    summary: str
    while_frozen: bool = False
    entry_points: tuple[str, ...] = ("cli",)
    records: bool = False
    seconds: float | None = None
    before_init: bool = False

    @property
    def runs_while_frozen(self) -> bool:
        return self.tier == READS or self.while_frozen or self.records

    @property
    def module(self) -> str:
        return "devs_git.commands." + self.name.replace(" ", "_").replace("-", "_")


_ROWS: Final = (
    Verb(
        "init",
        CHANGES,
        "Set up this repository: ledger, policy, git hooks.",
        while_frozen=True,
        before_init=True,
    ),
    Verb("task start", CHANGES, "Start a task in this worktree."),
    Verb("task complete", CHANGES, "Commit what is staged and tag the task as completed."),
    Verb(
        "task switch",
        CHANGES,
        "Make another active task of this worktree the current one, or take an abandoned one up again.",
    ),
    Verb("task abandon", CHANGES, "Give an active task up. To take it up again: task switch."),
    Verb("task result", CHANGES, "Record a task's result, read from standard input."),
    Verb("task status", READS, "Show one task, or the active one."),
    Verb("contract start", CHANGES, "Name a line of work, and the session that steers it."),
    Verb("contract show", READS, "Show a contract: its phase, its tasks, the conversation that steers it."),
    Verb("phase set", CHANGES, "Say in which phase a contract or a task is."),
    Verb(
        "directive add",
        CHANGES,
        "Tell the agent of a task something, with its next prompt.",
        while_frozen=True,
    ),
    Verb("directive list", READS, "List directives: which of them wait, and which reached their agent."),
    Verb("directive withdraw", CHANGES, "Take a directive back.", while_frozen=True),
    Verb("checkpoint", CHANGES, "Commit what is staged and record a numbered checkpoint."),
    Verb("log", READS, "List checkpoints, newest first."),
    Verb("history", READS, "List everything that was recorded, newest first, or as it happens."),
    Verb("show", READS, "Show one checkpoint or moment."),
    Verb("diff", READS, "Show what a task changed, or what changed since a checkpoint, a moment or HEAD."),
    Verb("why", READS, "Show where a line comes from: commit, task, message and gate."),
    Verb("status", READS, "Show working tree, active task and open gates."),
    Verb("rewind", CHANGES, "Go back to a checkpoint or a moment without losing anything."),
    Verb("drop", CHANGES, "Undo one task in the middle, and keep the later ones."),
    Verb("fork", CHANGES, "Start a task from an earlier state, in a branch and a worktree of its own."),
    Verb("undo", CHANGES, "Take back the last rewind, restore, drop or undo of this worktree and branch."),
    Verb(
        "resume",
        CHANGES,
        "Print what a new session needs to know to go on with a task or a contract; without a name, list them.",
        while_frozen=True,
    ),
    Verb("checkout", CHANGES, "Switch to a local branch.", seconds=10.0),
    Verb("branch", CHANGES, "Create a branch at a checkpoint, without switching to it."),
    Verb("restore", CHANGES, "Restore files from a checkpoint as a new commit, or from a moment."),
    Verb(
        "snapshot create",
        CHANGES,
        "Save the working tree as a commit on a snapshot branch.",
        while_frozen=True,
    ),
    Verb("snapshot list", READS, "List snapshots."),
    Verb("snapshot open", CHANGES, "Open a snapshot in a separate worktree."),
    Verb("snapshot prune", DESTROYS, "Delete old snapshots."),
    Verb(
        "history-rewritten",
        CHANGES,
        "Move the checkpoints to the new commits of a rewritten history.",
        while_frozen=True,
    ),
    Verb(
        "verify",
        READS,
        "Check the ledger, tags, commits, TAS and policy (for CI).",
        before_init=True,
    ),
    Verb("report", READS, "Write one HTML page of tasks, gates and what verify finds."),
    Verb(
        "gate request",
        CHANGES,
        "Ask a person to decide. Commands that change work are refused until then.",
        while_frozen=True,
    ),
    Verb("gate list", READS, "List the gates that wait for a decision."),
    Verb("gate approve", CHANGES, "Approve what a gate asks.", while_frozen=True),
    Verb("gate reject", CHANGES, "Reject what a gate asks, with a reason.", while_frozen=True),
    Verb("gate wait", READS, "Wait until a person has decided on a gate."),
    Verb("gate show", READS, "Show one gate on one page, and how to answer it."),
    Verb("purge", DESTROYS, "Remove a secret from everything that devs-git stores."),
    Verb(
        "prune",
        DESTROYS,
        "Delete what is older than the policy keeps it: moments, backups, conversations and more.",
    ),
    Verb(
        "archive", CHANGES, "Keep the checkpoints of old tasks behind one ref, so that git lists fewer refs."
    ),
    Verb("du", READS, "Show how much space moments, backups, traces and the rest take."),
    Verb("sync", CHANGES, "Merge this clone's ledger and checkpoints with a remote's.", while_frozen=True),
    Verb("trace put", CHANGES, "Store a tool's whole output, read from standard input.", records=True),
    Verb("trace get", READS, "Print the whole output of a tool, or a part of it."),
    Verb("trace list", READS, "List stored tool outputs, newest first."),
    Verb("trace search", READS, "Search stored tool outputs."),
    Verb("trace prune", DESTROYS, "Delete old tool outputs."),
    Verb("trace export", READS, "Export stored tool outputs and sessions as compressed lines of JSON."),
    Verb("trace import", CHANGES, "Import exported tool outputs and sessions.", records=True),
    Verb("trace ingest", CHANGES, "Store in the catalog what agent hooks have captured.", records=True),
    Verb("conversation show", READS, "Print the conversation of a session, a task or a checkpoint."),
    Verb("conversation import", CHANGES, "Read the new messages of a session's transcript.", records=True),
    Verb("conversation snapshot", CHANGES, "Record the current state of a conversation.", records=True),
    Verb(
        "conversation rewind",
        CHANGES,
        "Take the last messages back, and go on in a session that is cut there.",
    ),
    Verb("conversation snapshots", READS, "List the recorded states of conversations, newest first."),
    Verb("doctor", READS, "Look for problems and name the command that fixes each.", before_init=True),
)

VERBS: Final[dict[str, Verb]] = {verb.name: verb for verb in _ROWS}

# Commands that start an entry point. They have no module in `commands` and leave no event.
OTHER_COMMANDS: Final[dict[str, str]] = {
    "hook": "Called by the installed git and agent hooks.",
    "agent install": "Add devs-git to the project files of a coding agent; --uninstall removes it.",
    "agent list": "List the coding agents that devs-git knows, and what works with each.",
    "aliases install": "Add git aliases: git checkpoint, git rewind-task, git gates, git approve.",
    "aliases uninstall": "Remove these git aliases.",
    "mcp": "Serve agents over MCP on standard input and output.",
    "serve": "Serve agents and programs over HTTP: MCP, REST and a stream of events.",
    "demo": "Show the main commands at work in a temporary repository.",
    "completion": "Print the shell completion for bash, zsh or fish.",
    "help": "Show help for a command, or what a word means.",
}


def verb(name: str) -> Verb:
    """The row of `name`. An unknown name has tier 2."""
    return VERBS.get(name) or Verb(name, UNKNOWN, "unknown", entry_points=())
