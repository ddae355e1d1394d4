"""Whether the version of a client that we write a session for reads it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from devs_git.domain.recall.session_entries import SessionEntry
from devs_git.domain.sessions import codex_session
from devs_git.domain.sessions.native_forms import NativeForm
from devs_git.domain.sessions.new_session import NewSession
from devs_git.errors import DevsError
from devs_git.workspace import Workspace

# Bytes that Codex may print of a thread.
_MOST: Final = 256 << 20


def for_writing(
    workspace: Workspace,
    form: NativeForm,
    written: str,
    unknown_forms: Callable[[], Sequence[str] | None] | None,
    installed: str | None,
) -> str:
    """The version to write for: the installed one, else the one that wrote the transcript, else the tried one.

    `written`: the version that wrote the transcript, '' if unknown. `unknown_forms`: the parts of the transcript that we do
    not know; None if nobody can say it, or if another client wrote it. `installed`: None for the version on the PATH.

    CONFLICT if the version was not tried and cannot be asked, and the transcript does not show that we know its form.
    """
    from devs_git.storage.hooks import client_programs

    evidence = form.client.evidence
    if installed is None:
        installed = client_programs.installed_version(form.resume[0], workspace.places)
    version = installed or written or evidence.version
    if evidence.has_tried(version) or form.reads_back:
        return version
    unknown = unknown_forms() if unknown_forms else None
    if unknown or unknown is None:
        raise _untried(form, version, "this one has parts that devs-git does not know", unknown or [])
    return version


def check(
    workspace: Workspace, form: NativeForm, new: NewSession, file: Path, entries: Sequence[SessionEntry]
) -> None:
    """If this version was not tried, ask the client what it reads of the file. CONFLICT if it does not read all; the file is removed."""
    from devs_git.storage.hooks import client_programs

    if not form.reads_back or form.client.evidence.has_tried(new.version):
        return
    asked = {"threadId": new.session_id, "includeTurns": True}
    try:
        answer = client_programs.ask(
            (form.resume[0], "app-server"), workspace.places, "thread/read", asked, most=_MOST
        )
        found = answer["result"]
        if isinstance(found, dict) and codex_session.is_read_back(found.get("thread"), entries):
            return
        reason = "it does not read this one back as it was written"
    except client_programs.NoAnswerError as error:
        reason = f"it was not asked: {error}"
    # The file is ours: nobody else has seen its name.
    file.unlink()
    raise _untried(form, new.version, reason, [])


def _untried(form: NativeForm, version: str, reason: str, unknown: Sequence[str]) -> DevsError:
    title, tried = form.client.title, form.client.evidence.version
    return DevsError(
        "CONFLICT",
        f"devs-git was not tested with sessions of {title} {version}, and {reason}.",
        hint=f"Use {title} {tried}, or start a new session.",
        unknown=list(unknown),
    )
