"""A session that is written for a client: what is known of it beside its messages."""

from __future__ import annotations

from collections.abc import Callable

from devs_git.values import immutable


@immutable
class ClientSession:
    """A session that was written for a client. `tokens` is an estimate."""

    client: str
    session_id: str
    file: str
    messages: int
    tokens: int


@immutable
class NewSession:
    """The session to write: its id, its worktree, and of which session (`source`) it is the beginning.

    `version`: that of the client which reads it. `at`: when it is written, UTC with milliseconds. `branch`: that of the
    worktree, '' for none. `new_id` makes ids of its lines. `settings`: the text of the client's settings, as its
    `NativeForm` names the file.
    """

    session_id: str
    source: str
    cwd: str
    version: str
    at: str
    new_id: Callable[[], str]
    title: str = ""
    branch: str = ""
    settings: str = ""
