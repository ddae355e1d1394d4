"""Write a directive into the ledger: a person at a terminal, or an approver with a signature."""

from __future__ import annotations

import hashlib
from typing import Any

from devs_git.domain.checkpoints import task_states
from devs_git.domain.directives import signed_text
from devs_git.domain.directives.directive import file_of
from devs_git.domain.ledger.event_tasks import DirectiveAdded
from devs_git.domain.ledger.events import Draft, Event
from devs_git.domain.text.plain_text import cut
from devs_git.errors import DevsError, invalid
from devs_git.operations.directives import judge, waiting_directives
from devs_git.storage.documents import yaml_documents
from devs_git.storage.ledger.store import Tip
from devs_git.values import immutable
from devs_git.workspace import Workspace

_COMMENT = "A directive; written once."


@immutable
class WrittenDirective:
    """The record of a directive, its proved author, the status of its task, and its event."""

    record: dict[str, Any]
    author: str
    task_status: str
    event: Event


def require_person(workspace: Workspace, what: str, *, at_terminal: bool) -> None:
    """TERMINAL_REQUIRED unless a person is at a terminal. `what` is the beginning of the message."""
    if at_terminal and not workspace.agent_variable:
        return
    reason = (
        f"an agent runs here ({workspace.agent_variable} is set)"
        if at_terminal
        else "there is no terminal here"
    )
    raise DevsError(
        "TERMINAL_REQUIRED",
        f"Only a person at a terminal can {what}, and {reason}.",
        hint="Run the command in your own terminal.",
    )


def write(workspace: Workspace, task_id: str, text: str, *, key: str | None) -> WrittenDirective:
    """Write a directive for a task. `key` is None without a signature, '' for the key of ssh-agent, else the key's file.

    TASK_NOT_FOUND; CONFLICT if the task was rewound or dropped; UNKNOWN_SIGNER, BAD_SIGNATURE, SELF_APPROVAL. If the command is killed before the event is written,
    there is no directive.
    """
    tip = workspace.ledger.require()
    status = tip.standing_of_task(task_id).status
    task_states.require_reader(task_id, status)
    directive_id = workspace.new_id("directive", task_id)
    record: dict[str, Any] = {
        "directive_id": directive_id,
        "text": text,
        "author": workspace.actor,
        "task_id": task_id,
        "created_at": workspace.now(),
    }
    author = workspace.actor if key is None else _sign(workspace, tip, record, key)
    data = yaml_documents.dump(record, "directive", comment=_COMMENT)
    if len(data) > yaml_documents.MAX_BYTES:
        raise invalid(
            "text", f"The text is larger than {yaml_documents.MAX_BYTES // 1024} KiB with its record."
        )
    if key is None:
        _note(workspace, directive_id, data)
    waiting_directives.announce(workspace, task_id)
    content = DirectiveAdded(directive_id, task_id)
    subject = f"directive: for {task_id}: {cut(text)}"

    def build(_tip: Tip) -> Draft:
        event = workspace.event_of(content, subject, verb_name="directive add")
        return Draft(event, ((file_of(directive_id), data),))

    return WrittenDirective(record, author, status, workspace.append(build))


def _sign(workspace: Workspace, tip: Tip, record: dict[str, Any], key: str) -> str:
    """Add the signature to the record, and return who signed it. The signature is checked as each reader will check it."""
    from devs_git.operations.gates import own_signature

    repository = tip.ledger.git.text("rev-list", "--max-parents=0", tip.oid)
    message = signed_text.canonical(repository, record)
    signature = own_signature.make(workspace, workspace.policy, message, key, signed_text.NAMESPACE)
    author = judge.require_signed(workspace, record, repository, signature)
    record["signature"] = signature.decode("ascii")
    return author


def _note(workspace: Workspace, directive_id: str, data: bytes) -> None:
    """Note that this clone wrote it. Before the event: a directive without this note is never handed over."""
    from devs_git.operations.recall import open_catalog
    from devs_git.storage.catalog import directives

    with open_catalog.open_catalog(workspace) as catalog:
        directives.note_own(catalog, directive_id, hashlib.sha256(data).hexdigest())
