"""A story that calls each tool at least once, in a repository of its own, with a fixed clock and identity.

The page of the tools shows these calls and answers.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from devs_git.commands import conversation_import, init
from devs_git.entrypoints import router
from devs_git.entrypoints.tools import calling
from devs_git.workspace import Workspace

BEGIN: Final = datetime(2001, 2, 3, 4, 5, 6, tzinfo=UTC)
KEPT: Final = ("PATH", "TMPDIR", "PYTHONPATH", "LD_LIBRARY_PATH", "SSL_CERT_FILE")
GITCONFIG: Final = "[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n"
SAID: Final[tuple[dict[str, Any], ...]] = (
    {"role": "user", "content": "Greet people by their name."},
    {"role": "assistant", "content": [{"type": "text", "text": "I will ask for it."}]},
)
CHANGES: Final = {
    "sections_to_modify": ["2.3"],
    "rationale": "It wants two names, and most people gave one.",
    "risk_assessment": "Greetings without a family name are shorter.",
}


@dataclass(frozen=True)
class Call:
    tool: str
    arguments: dict[str, Any]
    answer: calling.Answer


@dataclass
class Story:
    """The repository at `top`. Each call is one minute later than the one before."""

    top: Path
    calls: list[Call] = field(default_factory=list)
    moment: datetime = BEGIN

    def tick(self) -> None:
        self.moment += timedelta(minutes=1)
        for name in ("DEVS_GIT_CLOCK", "GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):
            os.environ[name] = self.moment.isoformat()

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        self.tick()
        answer = calling.call(tool, arguments, self.top)
        self.calls.append(Call(tool, arguments, answer))
        return answer.value

    def write(self, name: str, text: str) -> None:
        (self.top / name).write_text(text)

    def git(self, *words: str) -> None:
        self.tick()
        subprocess.run(["git", *words], cwd=self.top, check=True, capture_output=True)


def tell_story() -> list[Call]:
    """Carry out the story in this process; its environment is replaced."""
    kept = {name: value for name, value in os.environ.items() if name in KEPT}
    with tempfile.TemporaryDirectory(prefix="devs-git-") as folder:
        home = Path(folder).resolve() / "home"
        home.mkdir()
        (home / ".gitconfig").write_text(GITCONFIG)
        os.environ.clear()
        os.umask(0o022)  # a backup contains the permissions of files
        os.environ.update({**kept, "HOME": str(home), "TZ": "UTC", "GIT_CONFIG_NOSYSTEM": "1"})
        top = home.parent / "greeter"
        top.mkdir()
        story = Story(top)
        for part in (_begin, _tasks, _moves, _traces, _gates):
            part(story)
        return story.calls


def _begin(story: Story) -> None:
    story.git("init", "-q")
    story.write("app.py", 'print("Hello")\n')
    story.git("add", "app.py")
    story.git("commit", "-qm", "Say hello")
    router.call("init", Workspace.open(story.top), init.Request())
    story.git("add", "devs-policy.yaml")
    story.git("commit", "-qm", "Set up devs-git")


def _tasks(story: Story) -> None:
    story.call("start_task", task_id="1", title="Greet by name", agent="developer")
    story.write("app.py", 'name = input("Name? ")\nprint("Hello")\n')
    story.call("git_status")
    story.call("git_diff", hunks=True)
    story.call("create_checkpoint", message="Ask for the name")
    story.write("app.py", 'name = input("Name? ")\nprint("Hello", name)\n')
    story.call("commit_task", task_id="1", message="Greet by name")
    story.call("write_task_result", task_id="1", result="The program asks for a name and greets by it.")
    story.call("task_status", task_id="1")
    story.call("show_checkpoint", checkpoint="task-1@1")
    story.call("checkpoint_diff", checkpoint="task-1", hunks=True)
    story.call("list_checkpoints", limit=1)
    story.call("get_history", limit=1)
    story.call("branch_from_checkpoint", checkpoint="task-1@1", branch_name="try")


def _moves(story: Story) -> None:
    story.call("git_checkout", branch_name="try")
    story.git("switch", "-q", "main")
    story.call("start_task", task_id="2", title="Make it faster")
    story.write("app.py", 'print("Hi")\n')
    story.call("create_snapshot", message="Before I go on")
    story.call("list_snapshots")
    story.call("commit_task", task_id="2", message="Make it faster")
    plan = story.call("preview_rewind", task_id="task-1")
    story.call("rewind_to_task", plan_id=plan["plan_id"])
    story.call("undo_rewind")
    story.call("restore_files", checkpoint="task-1", paths=["app.py"])
    story.call("undo_rewind")
    story.call("drop_task", task_id="2")
    story.call("fork_task", task_id="task-1@1", new_task_name="1b", include_conversation=False)


def _traces(story: Story) -> None:
    story.call("store_trace", output="1 passed\n", traceId="pytest-1", tool_name="pytest", task_id="1")
    story.call("get_task_trace", traceId="pytest-1")
    story.call("search_traces", query="passed tool:pytest")
    lines = [
        {
            "type": one["role"],
            "uuid": f"m-{at}",
            "sessionId": "s-1",
            "timestamp": f"2001-02-03T05:00:0{at}Z",
            "message": one,
        }
        for at, one in enumerate(SAID)
    ]
    file = story.top.parent / "s-1.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    router.call("conversation import", Workspace.open(story.top), conversation_import.Request(file, task="1"))
    story.call("get_conversation", task_id="1")
    story.call("create_conversation_snapshot", task_id="1")
    story.call("list_conversation_snapshots", task_id="1", limit=1)
    # A real call answers with random ids and a folder of this machine.
    story.call("rewind_conversation", by_message_count=1, dry_run=True)
    story.call("show_contract", contract="main", limit=1)
    story.call("resume_task", task_id="1")
    story.call("resume_task", limit=1)


def _gates(story: Story) -> None:
    gate = story.call(
        "request_tas_revision",
        agent_id="developer",
        task_id="2",
        blocker_description="Section 2.3 wants a family name, which nobody gave.",
        proposed_changes=CHANGES,
    )["gate_id"]
    story.call("list_gates")
    story.call("get_gate", gate_id=gate)
    story.call("start_task", task_id="3", title="Ask for both names")


def answers(calls: list[Call], tool: str) -> Iterator[Call]:
    return (one for one in calls if one.tool == tool)
