"""The verb table: what each verb may do, and what a gate does to it.

Guard, ledger, command line, documentation and `verify` read this one table. A verb `gate request` lives in
`devs_git/commands/gate_request.py` as `Request`, `run` and `Result`; its input and result types are theirs.
A name that is not here is tier 2, unknown to us, and does not go on while a gate is open.
"""

from __future__ import annotations

from typing import Any, Final, Self, TypeVar

from devs_git.values import immutable, replace

Kind = TypeVar("Kind")

READS, CHANGES, UNKNOWN, DESTROYS = 0, 1, 2, 3


class VerbRequest:
    """The base of every verb's `Request`: what the router and the entry points read of each.

    A verb that knows one of these names has a field of that name. For all other verbs the value here holds.
    """

    # Only say what would happen.
    dry_run: bool = False
    # The id of a plan that a dry run showed: no other is carried out.
    plan_id: str | None = None
    # Why a person overrides a gate; None or "": nobody does.
    override_reason: str | None = None
    # Whether a person may be there to be asked.
    at_terminal: bool = False
    # Where relative paths begin; None where the verb takes no paths.
    folder: str | None = None

    @property
    def releases(self) -> bool:
        """Whether this takes guards away: then it waits while a gate is open, even where its verb goes on."""
        return False

    def as_dry_run(self) -> Self:
        """The same request as a dry run; TypeError where the verb has none."""
        return _changed(self, dry_run=True)

    def bound_to(self, plan_id: str) -> Self:
        """The same request for this plan alone; TypeError where the verb has no plans."""
        return _changed(self, plan_id=plan_id)

    def from_folder(self, folder: str) -> Self:
        """The same request with paths that begin at `folder`; TypeError where the verb takes no paths."""
        return _changed(self, folder=folder)

    def next_request(self, result: Any) -> Self | None:  # noqa: ARG002 - the verb that goes on reads it
        """What to ask after this result, for as long as somebody reads; None: nothing."""
        return None


def _changed(request: Kind, **members: object) -> Kind:
    # Type checkers let `replace` change fields alone: the verb's own class has them, the base has not.
    any_verbs: Any = request
    changed: Kind = replace(any_verbs, **members)
    return changed


class VerbResult:
    """The base of a verb's `Result` that can say one of these, which the entry points read."""

    # Why the ledger is not to be believed; "" where it is.
    not_believed: str = ""
    # Of a dry run: the refusals of the real one, as JSON.
    blocked_by: tuple[dict[str, Any], ...] = ()
    # Of a dry run: the id of the plan that it shows; "" where it has none.
    plan_id: str = ""


@immutable
class Verb:
    """One row: `while_frozen` says whether it goes on while a gate is open; reading and recording always do,
    and so does `snapshot create`, which only saves.

    What `records` writes to the catalog alone, which is its record: it leaves no event. `seconds` is how long a verb may
    take; then everything is as it was. `before_init`: it answers also where the ledger has no policy yet; every other
    verb is refused there (NOT_INITIALIZED).
    """

    name: str
    tier: int
    summary: str
    while_frozen: bool = False
    doors: tuple[str, ...] = ("cli",)
    records: bool = False
    seconds: float | None = None
    before_init: bool = False

    @property
    def goes_on_while_frozen(self) -> bool:
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
    Verb("task start", CHANGES, "Make a task active in this worktree."),
    Verb("task complete", CHANGES, "Commit what is staged and tag the task as completed."),
    Verb("task result", CHANGES, "Record a task's result, read from standard input."),
    Verb("task status", READS, "Show one task, or the active one."),
    Verb("checkpoint", CHANGES, "Commit what is staged and record a numbered checkpoint."),
    Verb("log", READS, "List checkpoints, newest first."),
    Verb("history", READS, "List what happened, newest first, or as it happens."),
    Verb("show", READS, "Show one checkpoint."),
    Verb("diff", READS, "Show what changed up to a checkpoint, or since HEAD."),
    Verb("status", READS, "Show working tree, active task and open gates."),
    Verb("rewind", CHANGES, "Go back to a checkpoint, losing nothing."),
    Verb("undo", CHANGES, "Return from the last rewind, restore or undo."),
    Verb("checkout", CHANGES, "Switch to a local branch.", seconds=10.0),
    Verb("branch", CHANGES, "Make a branch at a checkpoint, without switching."),
    Verb("restore", CHANGES, "Bring files of a checkpoint back as a new commit."),
    Verb(
        "snapshot create",
        CHANGES,
        "Save the working tree as a commit on a snapshot branch.",
        while_frozen=True,
    ),
    Verb("snapshot list", READS, "List snapshots."),
    Verb("snapshot open", CHANGES, "Look into a snapshot in a detached worktree of its own."),
    Verb("snapshot prune", DESTROYS, "Delete old snapshots."),
    Verb(
        "history-rewritten",
        CHANGES,
        "Move the checkpoints to the commits of a history that was rewritten.",
        while_frozen=True,
    ),
    Verb(
        "verify",
        READS,
        "Prove that ledger, tags, commits, TAS and policy are what they claim (for CI).",
        before_init=True,
    ),
    Verb(
        "gate request",
        CHANGES,
        "Ask a person; freezes write work until there is an answer.",
        while_frozen=True,
    ),
    Verb("gate list", READS, "List the gates that wait for a decision."),
    Verb("gate approve", CHANGES, "Approve what a gate asks.", while_frozen=True),
    Verb("gate reject", CHANGES, "Reject what a gate asks, with a reason.", while_frozen=True),
    Verb("gate wait", READS, "Wait until a person has decided on a gate."),
    Verb("gate show", READS, "Show one gate on one page, and how to answer it."),
    Verb("purge", DESTROYS, "Take a secret out of all places where devs-git keeps things."),
    Verb("sync", CHANGES, "Join this clone's ledger and checkpoints with a remote's.", while_frozen=True),
    Verb("trace put", CHANGES, "Store a tool's whole output, read from standard input.", records=True),
    Verb("trace get", READS, "Print the whole output of a tool, or a part of it."),
    Verb("trace list", READS, "List stored tool outputs, newest first."),
    Verb("trace search", READS, "Find stored tool outputs by what they say."),
    Verb("trace prune", DESTROYS, "Delete old tool outputs."),
    Verb("trace export", READS, "Write stored tool outputs as compressed lines of JSON."),
    Verb("trace import", CHANGES, "Put exported tool outputs into the catalog.", records=True),
    Verb("trace ingest", CHANGES, "Take what agent hooks have captured into the catalog.", records=True),
    Verb(
        "conversation show", READS, "Print what was said in an agent's session, or up to a checkpoint of it."
    ),
    Verb("conversation import", CHANGES, "Read what is new in a session's transcript.", records=True),
    Verb("conversation snapshot", CHANGES, "Name what was said so far, to return to it.", records=True),
    Verb("conversation snapshots", READS, "List the named states of conversations, newest first."),
    Verb("doctor", READS, "Look for problems and name the command that fixes each.", before_init=True),
)

VERBS: Final[dict[str, Verb]] = {verb.name: verb for verb in _ROWS}

# Doors start, and guard what comes through them; they have no command module and leave no event.
DOORS: Final[dict[str, str]] = {
    "hook": "Called by the installed git and agent hooks.",
    "agent install": "Tell a coding agent's project files of our hooks and MCP server; --uninstall.",
    "aliases install": "Add git aliases: git checkpoint, git rewind-task, git gates, git approve.",
    "aliases uninstall": "Take these git aliases out again.",
    "mcp": "Serve agents over MCP on standard input and output.",
    "serve": "Serve agents and programs over HTTP: MCP, REST and a stream of events.",
    "demo": "Run the main job in a repository made for it.",
    "completion": "Print the shell completion for bash, zsh or fish.",
    "help": "Show help for a command.",
}


def verb(name: str) -> Verb:
    """The row of `name`; an unknown name is tier 2 and is guarded."""
    return VERBS.get(name) or Verb(name, UNKNOWN, "unknown to us", doors=())
