"""The ledger's files of a task: `tasks/<task_id>/<op_id>.yaml`, immutable, one for each thing said of it."""

from __future__ import annotations

import json
from collections.abc import Mapping

from devs_git.domain.events import Event
from devs_git.domain.trailers import Work
from devs_git.storage.ledger import Tip


def file(op_id: str, event: Event, work: Work, told: Mapping[str, str]) -> tuple[str, bytes]:
    """Path and bytes of what an event says of a task; values that are empty are left out."""
    known = {
        "version": 1,
        "event": event.type,
        "task_id": work.task,
        "created_at": event.get("Devs-Finished"),
    }
    named = {"agent": work.agent, "client": work.client, "phase": work.phase, **told}
    values = known | {key: value for key, value in named.items() if value}
    return f"tasks/{work.task}/{op_id}.yaml", (
        json.dumps(values, indent=2, ensure_ascii=False) + "\n"
    ).encode()


def newest(tip: Tip, task_id: str) -> dict[str, str]:
    """What the task's files say, the newest winning key by key."""
    names = tip.names(f"tasks/{task_id}")
    files = [json.loads(tip.read(f"tasks/{task_id}/{name}") or b"{}") for name in names]
    told: dict[str, str] = {}
    for values in sorted(files, key=lambda values: str(values.get("created_at", ""))):
        if values.get("event") == "task.started":
            told = {}  # started again: an older plan or result was another life's
        told |= {key: str(value) for key, value in values.items()}
    return told
