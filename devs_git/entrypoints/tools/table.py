"""The tool table: what each tool is called, which verb it is, what it takes, and what it means (DESIGN 5).

Tier, guard and result come from the verb table and the verb's own types. A tool names its parameters as agents know
them. No tool approves, rejects, prunes or adds a directive.
"""

from __future__ import annotations

from typing import Final

from devs_git.entrypoints.tools.tool import COUNT, FLAG, TEXT, Param, Tool

CHECKPOINT: Final = (
    "A checkpoint: task-10 (its completion), task-10@3 (its third numbered one), or the oid of one."
)
TASK: Final = Param("task_id", TEXT, "The task's id: 10 or task-10.", required=True)
LIMIT: Final = Param("limit", {**COUNT, "minimum": 1}, "At most so many rows.")
CURSOR: Final = Param("cursor", TEXT, "The next_cursor of an earlier answer: go on there.")
PRESERVE: Final = Param(
    "preserve",
    {"type": "string", "enum": ["branch", "create_branch", "stash", "discard"]},
    "What is left of the present state beside the backup that is always kept: a branch, a stash entry, or neither. "
    "Without it a clean tree leaves a branch, and tracked changes refuse the call.",
)
BRANCH_NAME: Final = Param("branch_name", TEXT, "What the preserved branch is called.")
MESSAGE: Final = Param("message", TEXT, "The commit's and the checkpoint's message.")

_TASKS: Final = (
    Tool(
        "list_checkpoints",
        "log",
        "List checkpoints, newest first, with the rewinds between them.",
        (LIMIT, Param("task_id", TEXT, "Only this task's.", "task"), CURSOR),
    ),
    Tool(
        "show_checkpoint",
        "show",
        "Show one checkpoint, live or undone.",
        (Param("checkpoint", TEXT, CHECKPOINT, "target", required=True),),
    ),
    Tool(
        "checkpoint_diff",
        "diff",
        "What changed up to a checkpoint, file by file, with totals; lines on demand, up to a limit "
        "that the answer tells of.",
        (
            Param("checkpoint", TEXT, CHECKPOINT, "target", required=True),
            Param(
                "against", TEXT, "Where to begin: a checkpoint, HEAD or a commit; else the checkpoint before."
            ),
            Param("hunks", FLAG, "The changed lines, too."),
            Param("hunk_lines", COUNT, "At most so many lines in all."),
        ),
    ),
    Tool(
        "task_status",
        "task status",
        "Show one task, or the one that is active in this worktree.",
        (Param("task_id", TEXT, "The task's id; else the active one."),),
    ),
    Tool(
        "start_task",
        "task start",
        "Make a task active in this worktree. From then on each commit is recorded as a checkpoint.",
        (
            TASK,
            Param("title", TEXT, "What it is about, in one line."),
            Param("plan", TEXT, "How it is to be done."),
            Param("contract", TEXT, "The named line of work; else the branch."),
            Param(
                "agent",
                {"type": "string", "enum": ["researcher", "architect", "developer", "reviewer"]},
                "The agent's role.",
            ),
            Param("client", TEXT, "The agent's program."),
            Param(
                "phase",
                {"type": "string", "enum": ["research", "specify", "plan", "execute", "review"]},
                "The phase.",
            ),
        ),
    ),
    Tool(
        "commit_task",
        "task complete",
        "Commit everything that is new, changed or deleted, and tag the task as completed.",
        (TASK, MESSAGE),
        {"everything": True},
    ),
    Tool(
        "create_checkpoint",
        "checkpoint",
        "Commit everything that is new, changed or deleted, and record a numbered checkpoint of "
        "the active task.",
        (MESSAGE,),
        {"everything": True},
    ),
    Tool(
        "write_task_result",
        "task result",
        "Record what came out of a task, in your own words. The newest result counts.",
        (TASK, Param("result", TEXT, "The result.", "text", required=True)),
    ),
    Tool(
        "branch_from_checkpoint",
        "branch",
        "Make a local branch at a checkpoint, without switching to it.",
        (
            Param("checkpoint", TEXT, CHECKPOINT, "target", required=True),
            Param("branch_name", TEXT, "The new branch.", "name", required=True),
        ),
    ),
)
_TREE: Final = (
    Tool("git_status", "status", "Show working tree, branch, active task and open gates of this worktree."),
    Tool("list_snapshots", "snapshot list", "List the snapshots: saved working trees on local branches."),
    Tool(
        "create_snapshot",
        "snapshot create",
        "Save the working tree with its untracked files as a commit on a local branch, "
        "without touching HEAD, index or files.",
        (Param("message", TEXT, "What this state is, in one line."),),
    ),
    Tool(
        "git_checkout",
        "checkout",
        "Switch this worktree to a local branch, to look around or work there. Remotes' branches, "
        "special refs and anything like an option are refused.",
        (Param("branch_name", TEXT, "A local branch.", required=True),),
        moves_tree=True,
    ),
    Tool(
        "restore_files",
        "restore",
        "Bring files of a checkpoint or snapshot back as a new commit on this branch: history is kept. "
        "Refused where tracked changes or untracked files would be overwritten; undo_rewind takes it back.",
        (
            Param("checkpoint", TEXT, CHECKPOINT + " Or a snapshot's branch.", "target", required=True),
            Param(
                "paths",
                {"type": "array", "items": TEXT},
                "Only these, relative to the repository's root; else all.",
            ),
        ),
        moves_tree=True,
    ),
    Tool(
        "rewind_to_task",
        "rewind",
        "Go back to a checkpoint: branch and tracked files become what they were then, tasks finished "
        "since become rewound. Untracked and ignored files stay where they are; a file tracked now and absent then leaves, "
        "and stays reachable. Everything that moves is kept behind a backup ref first, and undo_rewind brings it back to the "
        "byte. Not covered: ignored files, nested repositories and submodules (not_covered names them). Call it with dry_run "
        "first: that writes nothing and gives a plan_id; a call with this plan_id does exactly that, or answers PLAN_STALE.",
        (
            Param("task_id", TEXT, CHECKPOINT, "target"),
            Param("dry_run", FLAG, "Only say what would happen."),
            PRESERVE,
            BRANCH_NAME,
            Param("plan_id", TEXT, "A dry run's plan_id, in place of the other arguments."),
        ),
        moves_tree=True,
    ),
    Tool(
        "undo_rewind",
        "undo",
        "Return to before the last rewind, restore or undo of this worktree and branch, to the byte. Calling it "
        "again goes forward again.",
        (
            Param("rewind_id", TEXT, "An operation further back; else the last.", "op_id"),
            PRESERVE,
            BRANCH_NAME,
            Param("dry_run", FLAG, "Only say what would happen."),
        ),
        moves_tree=True,
    ),
)
_GATES: Final = (
    Tool(
        "request_tas_revision",
        "gate request",
        "Ask a person to let the Technical Architecture Specification be revised. All write "
        "work freezes until a person has decided; wait for that. No tool decides.",
        (
            Param(
                "agent_id",
                {"type": "string"},
                "Your role: researcher, architect, developer or reviewer.",
                required=True,
            ),
            Param("task_id", TEXT, "The task that is blocked.", required=True),
            Param(
                "blocker_description", TEXT, "What stands in the way: 20 to 2000 characters.", required=True
            ),
            Param(
                "proposed_changes",
                {
                    "type": "object",
                    "properties": {
                        "sections_to_modify": {
                            "type": "array",
                            "items": TEXT,
                            "description": "Headings or numbers; one at least.",
                        },
                        "rationale": {"type": "string", "description": "Why: 20 characters or more."},
                        "risk_assessment": {
                            "type": "string",
                            "description": "What could go wrong: 20 characters or more.",
                        },
                        "proposed_text": {
                            "type": "string",
                            "description": "The whole TAS as it should become.",
                        },
                    },
                    "required": ["sections_to_modify", "rationale", "risk_assessment"],
                    "additionalProperties": False,
                },
                "What is to be changed.",
                required=True,
            ),
        ),
        {"gate_type": "TAS_REVISION"},
    ),
    Tool(
        "list_gates",
        "gate list",
        "List the gates that wait for a person's decision.",
        (
            Param(
                "status",
                {"type": "string", "enum": ["PENDING_APPROVAL", "APPROVED", "REJECTED", "ALL"]},
                "Which; else those that wait.",
            ),
            Param(
                "gate_type",
                {"type": "string", "enum": ["TAS_REVISION", "MANUAL", "POLICY_CHANGE"]},
                "Only of this type.",
            ),
        ),
    ),
    Tool(
        "get_gate",
        "gate show",
        "Show one gate: what is asked, what is frozen, and once decided the decision with its reason.",
        (Param("gate_id", TEXT, "The gate's id.", required=True),),
    ),
)
_TRACES: Final = (
    Tool(
        "get_task_trace",
        "trace get",
        "The full, verbatim output of a tool call whose output you got shortened, or a part of it.",
        (
            Param("traceId", TEXT, "The id that stands in the shortened output.", "trace_id", required=True),
            Param("offset", COUNT, "Begin at this byte."),
            Param("limit", {**COUNT, "minimum": 4}, "At most so many bytes."),
        ),
        reads_traces=True,
    ),
    Tool(
        "search_traces",
        "trace search",
        'Find stored tool outputs: words, "phrases", prefix*, -not, and task: tool: session: agent: '
        "error:yes since: before:.",
        (
            Param("query", TEXT, "What to look for."),
            LIMIT,
            CURSOR,
            Param("rewound", FLAG, "Those of rewound tasks, too."),
        ),
        reads_traces=True,
    ),
    Tool(
        "store_trace",
        "trace put",
        "Store a tool's whole output, so that it can be found and handed on shortened.",
        (
            Param("output", TEXT, "The output.", required=True, verbatim=True),
            Param("traceId", TEXT, "Its id; else a new one.", "trace_id"),
            Param("task_id", TEXT, "The task; else the active one."),
            Param("tool_name", TEXT, "Which tool printed it."),
            Param("input", TEXT, "What the tool was called with.", verbatim=True),
            Param("session_id", TEXT, "The agent's session."),
            Param("is_error", FLAG, "The call failed."),
            Param("duration_ms", COUNT, "How long it took."),
        ),
        idempotent=True,
        reads_traces=True,
    ),
)
TOOLS: Final[dict[str, Tool]] = {tool.name: tool for tool in (*_TASKS, *_TREE, *_GATES, *_TRACES)}
