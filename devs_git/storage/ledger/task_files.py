"""The ledger's files of a task: `tasks/<task_id>/<op_id>.yaml`, immutable, one for each thing said of it."""

from __future__ import annotations

from collections.abc import Mapping

from devs_git.domain.ledger.events import Event
from devs_git.domain.text.trailers import Work
from devs_git.errors import invalid
from devs_git.storage.documents import yaml_documents
from devs_git.storage.ledger.store import Tip


def file(op_id: str, event: Event, work: Work, told: Mapping[str, str]) -> tuple[str, bytes]:
    """Path and bytes of what an event says of a task; empty values are left out. INVALID_ARGUMENTS where too long."""
    values = {
        "task_id": work.task,
        "event": event.type,
        "created_at": event.finished,
        "agent": work.agent,
        "client": work.client,
        "phase": work.phase,
        **told,
    }
    data = yaml_documents.dump({key: value for key, value in values.items() if value}, "task")
    if len(data) > yaml_documents.MAX_BYTES:
        longest = max(told, key=lambda key: len(told[key]))
        raise invalid(longest, f"The {longest} is too long to be stored with the task.")
    return f"tasks/{work.task}/{op_id}.yaml", data


def newest(tip: Tip, task_id: str) -> dict[str, str]:
    """What the task's files say, the newest winning key by key."""
    paths = [f"tasks/{task_id}/{name}" for name in tip.names(f"tasks/{task_id}")]
    files = [yaml_documents.load(tip.read(path) or b"", path, "task") for path in paths]
    told: dict[str, str] = {}
    for values in sorted(files, key=lambda values: str(values.get("created_at", ""))):
        if values.get("event") == "task.started":
            told = {}  # started again: an older plan or result was another life's
        told |= {key: str(value) for key, value in values.items()}
    return told
