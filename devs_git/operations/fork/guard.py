"""Whether gates reach the worktree of a fork: git's hooks, the agents' project files, and the trust of their clients.

git's hooks are in the common git directory. Project files that git does not track are not in a new worktree, so they are
put there. A hooks file that is there is not changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from shlex import quote

from devs_git.domain.clients.client import Client
from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.errors import DevsError
from devs_git.storage.hooks import client_files, client_trust, hook_presence
from devs_git.values import immutable
from devs_git.workspace import Workspace


@immutable
class Guard:
    """`placed`: project files that were put there, from the root. `lacking`: what a person has to do, one sentence each."""

    placed: tuple[str, ...]
    lacking: tuple[str, ...]


def put(source: Path, there: Workspace, started: str = "") -> Guard:
    """Put the project files there that the worktree `source` has, and say what is still missing.

    `started`: the client that has a session there, '' for none. Gates have to reach that client, too.
    """
    placed: list[str] = []
    lacking = [text] if (text := _hooks(there)) else []
    known = client_files.clients_calling_hook(source)
    for client in known:
        if not (there.top / client.hooks_file).exists():
            try:
                placed += _install(there, client)
            except DevsError as error:
                lacking.append(f"{error.message} {error.hint}".strip())
    also = [CLIENTS[started]] if started and CLIENTS[started] not in known else []
    for client in (*known, *also):
        lacking += _of_client(there, client)
    return Guard(tuple(placed), tuple(lacking))


def _hooks(there: Workspace) -> str:
    return hook_presence.warning(there.places, there.git).removeprefix("warning: ")


def _install(there: Workspace, client: Client) -> Iterator[str]:
    done = client_files.install(there.places, there.top, client)
    files = (client.hooks_file, client.server_file, client.small_file)
    yield from (
        action.what for action in done if action.what in files and action.did in ("created", "updated")
    )


def _of_client(there: Workspace, client: Client) -> Iterator[str]:
    folder = client_files.hooks_folder(client, there.places, there.top)
    if client not in client_files.clients_calling_hook(folder):
        text = f"The file {folder / client.hooks_file} does not call our hook for {client.title}."
        yield f"{text} Run: cd {quote(str(folder))} && devs-git agent install {client.name}"
        return
    found = client_trust.of(client, there.places, there.top)
    if found.fix:
        yield f"{found.text} Do this: cd {quote(str(there.top))} && {found.fix}"
