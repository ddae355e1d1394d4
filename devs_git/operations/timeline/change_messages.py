"""The message that led to a change, and the call of a tool that made it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from devs_git.domain.recall.conversation import Message, canonical, is_prompt
from devs_git.operations.timeline.line_commit import Origin
from devs_git.storage.catalog import conversation_snapshots, messages
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.catalog.messages import OfTask, Place
from devs_git.values import immutable

_AT_ONCE = 500


@immutable
class ChangeMessages:
    """The prompt before the call, and the call. Either is None if it is not known."""

    prompt: Place | None = None
    call: Place | None = None


def find(catalog: Catalog, task_id: str, tag: str, origin: Origin) -> ChangeMessages:
    """What led to a line of a task. `tag`: the tag of the checkpoint that has the change, '' for none.

    Without a call that wrote the line, the last prompt before the checkpoint is told.
    """
    last_prompt: Place | None = None
    call: Place | None = None
    for place in _backwards(catalog, task_id, tag):
        if call and is_prompt(place.message):
            return ChangeMessages(place, call)
        if not call and _writes(place.message, origin):
            call = place
        if last_prompt is None and is_prompt(place.message):
            last_prompt = place
    return ChangeMessages(None if call else last_prompt, call)


def _backwards(catalog: Catalog, task_id: str, tag: str) -> Iterator[Place]:
    """The messages up to the checkpoint, the last one first; of the task if no conversation belongs to the checkpoint."""
    snapshot = conversation_snapshots.of_tag(catalog, tag) if tag else None
    offset = 0
    while True:
        if snapshot:
            found = messages.places(
                catalog, snapshot.session_id, snapshot.message_count, _AT_ONCE, offset=offset
            )
        else:
            found = messages.of_task(catalog, OfTask(task_id), _AT_ONCE, offset=offset)
        yield from reversed(found)
        offset += len(found)
        if len(found) < _AT_ONCE:
            return


def _writes(message: Message, origin: Origin) -> bool:
    """Whether a call of a tool has the line and the name of its file in its input."""
    line, name = origin.text.strip(), PurePosixPath(origin.path).name
    # As JSON, as the input is: a quotation mark in the line is escaped there.
    said = canonical(line)[1:-1]
    return bool(said) and any(
        said in text and name in text for text in (canonical(one.input) for one in message.tool_calls or ())
    )
