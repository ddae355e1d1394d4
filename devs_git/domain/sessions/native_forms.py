"""The clients for which we can write a session, and how: the folder, the file's place, its lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from devs_git.domain.clients.claude import CLAUDE
from devs_git.domain.clients.client import Client
from devs_git.domain.clients.codex import CODEX
from devs_git.domain.recall.session_entries import SessionEntry
from devs_git.domain.sessions import claude_session, codex_session
from devs_git.domain.sessions.new_session import NewSession


class NativeForm(NamedTuple):
    """How the sessions of a client are written.

    `home`: the variable with the client's folder, and the folder without it. `place`: the file's path below it.
    `for_model`: of a session of this client, the entries to write. `resume`: the command that goes on, before the id.
    `settings`: the file below the client's folder that says something which each session has, '' for none.
    `reads_back`: whether the client's program can be asked what it reads of a session.
    """

    client: Client
    home: tuple[str, str]
    place: Callable[[NewSession], str]
    for_model: Callable[[Sequence[SessionEntry]], list[SessionEntry]]
    lines: Callable[[Sequence[SessionEntry], NewSession], Iterator[dict[str, Any]]]
    resume: tuple[str, ...]
    settings: str = ""
    reads_back: bool = False


NATIVE_FORMS: Final = {
    "claude": NativeForm(
        CLAUDE,
        ("CLAUDE_CONFIG_DIR", "~/.claude"),
        claude_session.place,
        claude_session.for_model,
        claude_session.lines,
        ("claude", "--resume"),
    ),
    "codex": NativeForm(
        CODEX,
        ("CODEX_HOME", "~/.codex"),
        codex_session.place,
        codex_session.for_model,
        codex_session.lines,
        ("codex", "resume"),
        settings="config.toml",
        reads_back=True,
    ),
}
