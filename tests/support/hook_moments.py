"""What a client tells the agent hook around a turn, and the moments that the hook made."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from devs_git.domain.moments.moment import Details, Moment
from devs_git.storage.moments import behind, read_moments
from devs_git.workspace import Workspace
from tests.support.agent_calls import HookAnswer


def prompt(words: str = "make it quick", **more: Any) -> dict[str, Any]:
    return {"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": words, **more}


def stop(**more: Any) -> dict[str, Any]:
    return {"session_id": "s", "hook_event_name": "Stop", **more}


def kept(top: Path) -> list[tuple[Moment, Details]]:
    """All moments of a worktree, oldest first, with those that are still made behind the client."""
    workspace = Workspace.open(top)
    while behind.is_at_work(workspace.places.own / "moments"):
        time.sleep(0.02)
    found = read_moments.list_moments(
        workspace.store_git, workspace.objects, worktree=workspace.places.worktree_id
    )
    return [(one, read_moments.load(workspace.objects, one.id)[1]) for one in reversed(found)]


def kinds(top: Path) -> list[str]:
    return [moment.kind for moment, _ in kept(top)]


def devs(*words: str) -> str:
    """What a command of ours prints here."""
    done = subprocess.run(
        [sys.executable, "-m", "devs_git", *words], capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


def silent(answer: HookAnswer) -> bool:
    return (answer.status, answer.out, answer.err) == (0, "", "")
