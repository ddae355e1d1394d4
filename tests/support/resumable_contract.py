"""A contract with one task, two checkpoints and a conversation, and the bundles that `resume` makes of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from devs_git.commands import checkpoint, contract_start, phase_set, resume, task_start
from devs_git.domain.resume import bundle_text
from devs_git.domain.resume.bundle import tokens
from devs_git.storage.documents import schemas
from devs_git.values import plain
from devs_git.workspace import Workspace
from tests.support.turn_scene import Turns

SESSION = "4d5611e5-241a-462a-8d15-5122611a9569"
TALK = ("One, please.", "One is done.", "Two, please.", "Two is done.")
NOTHING = {"files": [], "stats": {"files_changed": 0, "insertions": 0, "deletions": 0}}


def begin(top: Path, folder: Path) -> Turns:
    """Something is said, checkpoint 1, more is said, checkpoint 2, and one file is not committed. Transcripts are in `folder`."""
    made = Turns(Workspace.open(top), folder)
    contract_start.run(made.now(0), contract_start.Request("c", SESSION))
    phase_set.run(made.now(0.5), phase_set.Request("execute", contract="c"))
    task_start.run(made.now(1), task_start.Request("1", title="Count", plan="One.\nTwo.", contract="c"))
    made.says(2, SESSION, "user", "One, please.")
    made.says(3, SESSION, "assistant", "One is done.")
    made.edit("one.txt", "1\n")
    made.read_here(4)
    checkpoint.run(made.now(5), checkpoint.Request("one", everything=True))
    made.says(6, SESSION, "user", "Two, please.")
    made.says(7, SESSION, "assistant", "Two is done.")
    made.edit("two.txt", "2\n")
    made.read_here(8)
    checkpoint.run(made.now(9), checkpoint.Request("two", everything=True))
    made.edit("left.txt", "3\n")
    return made


def numbers(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("*.txt") if path.stem in ("one", "two", "left"))


def whole(found: resume.Result) -> dict[str, Any]:
    """The bundle as JSON, without what its own text determines."""
    assert list(schemas.problems("resume-bundle", plain(found.bundle))) == []
    shown: dict[str, Any] = json.loads(json.dumps(plain(found.bundle)))
    assert shown.pop("tokens") == tokens(bundle_text.as_markdown(found.bundle))
    assert shown.pop("holds_secret") in (False, None)
    return shown


def expected(turns: Turns, mode: str, **more: Any) -> dict[str, Any]:
    """The bundle of the story, with what is different."""
    return {
        "schema": "resume-bundle.v1",
        "mode": mode,
        "task": task(turns),
        "code": {"commit": commit_of(turns, 2), "branch": "main", "worktree": ".", "dirty": True},
        "changes": since("task-1@2"),
        "gates": [],
        "directives": [],
        "rewound": [],
        "conversation": [said(turns, number) for number in range(4)],
        "omitted": {"messages": 0, "tokens": 0},
        "point": "",
        "checkpoints": [point(turns, 1), point(turns, 2)],
        "context": "",
        "shortened": [],
        **more,
    }


def task(turns: Turns, name: str = "task-1", **more: str) -> dict[str, str]:
    known = Workspace.open(turns.workspace.top).ledger.tip().here.tasks[name]
    return {
        "task_id": name,
        "title": "Count",
        "phase": "execute",
        "plan": "One.\nTwo.",
        "status": "active",
        "contract": "c",
        "author": known.actor,
        **more,
    }


def since(name: str, *paths: str) -> dict[str, Any]:
    files = [
        {"path": path, "action": "untracked", "additions": 0, "deletions": 0}
        for path in paths or ("left.txt",)
    ]
    return {
        "since": name,
        "files": files,
        "stats": {"files_changed": len(files), "insertions": 0, "deletions": 0},
    }


def commit_of(turns: Turns, number: int) -> str:
    history = turns.workspace.ledger.tip().here
    return history.tasks["task-1"].started_on if number == 0 else history.of_task("task-1")[number - 1].commit


def point(turns: Turns, number: int) -> dict[str, str]:
    one = turns.workspace.ledger.tip().here.of_task("task-1")[number - 1]
    return {
        "name": one.name,
        "commit": one.commit,
        "message": ("one", "two")[number - 1],
        "created_at": turns.at((5, 9)[number - 1]),
    }


def said(turns: Turns, number: int) -> dict[str, Any]:
    role = ("user", "assistant")[number % 2]
    return {
        "message_id": f"{SESSION}-{number}",
        "session_id": SESSION,
        "role": role,
        "author": f"{role} in session {SESSION} of claude",
        "content": TALK[number],
        "created_at": turns.at((2, 3, 6, 7)[number]),
        "trace_id": "",
        "left_out": 0,
        "rewound": False,
    }


def contract_of(turns: Turns) -> dict[str, Any]:
    return {
        "contract": "c",
        "phase": "execute",
        "author": task(turns)["author"],
        "tasks": [{"task_id": "task-1", "title": "Count", "status": "active", "phase": "execute"}],
    }
