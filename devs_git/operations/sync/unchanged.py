"""Whether nothing that `sync` decides by changed since it last found nothing to do with a remote. Then there is nothing again.

The note `.git/devs/synced` has one digest for each remote. It is written only after a run that changed and reported nothing,
of what was read before that run, if it is the same after it. So the note lets `sync` skip work, and nothing else: a
forged note makes `sync` say that there is nothing to do, until a ref changes here or there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Final

from devs_git import __version__
from devs_git.storage.git.remotes import clone_state, remote_notes, remote_urls
from devs_git.storage.git.remotes.remote_repository import Remote, RemoteRefs
from devs_git.values import immutable
from devs_git.workspace import Workspace

_NOTE: Final = "synced"


@immutable
class Start:
    """What `sync` decides by when it begins: the refs of the remote, and a digest of them and of this clone's state.

    `url`: where it pushes to, without credentials.
    """

    remote: RemoteRefs
    digest: str
    url: str


def look(workspace: Workspace, other: Remote) -> Start:
    """Ask the remote, while git lists what is here. BUSY if the remote cannot be reached."""
    with clone_state.read_alongside(workspace.store_git, workspace.places.common) as here:
        there, urls = other.look(), _urls(other)
        return Start(there, _digest(other, urls, there, here()), urls[1])


def is_noted(workspace: Workspace, other: Remote, start: Start) -> bool:
    """Whether `sync` found nothing to do when all was as it is now."""
    return remote_notes.read(workspace.places.shared / _NOTE, other.remote) == start.digest


def note(workspace: Workspace, other: Remote, start: Start) -> None:
    """Note that there was nothing to do, if this clone is as it was at the start and has judged its ledger."""
    if workspace.ledger.checked_tip != workspace.ledger.tip().oid:
        return
    with clone_state.read_alongside(workspace.store_git, workspace.places.common) as here:
        if _digest(other, _urls(other), start.remote, here()) == start.digest:
            remote_notes.write(workspace.places.shared / _NOTE, other.remote, start.digest)


def _urls(other: Remote) -> tuple[str, str]:
    """The URLs from which git fetches and to which it pushes."""
    return remote_urls.current(other.git, other.remote), remote_urls.current(
        other.git, other.remote, push=True
    )


def _digest(other: Remote, urls: Sequence[str], there: RemoteRefs, here: Sequence[bytes]) -> str:
    words = (__version__, other.remote, *urls, there.printed)
    made = hashlib.sha256()
    for part in (*(word.encode("utf-8", "surrogateescape") for word in words), *here):
        made.update(b"%d\n%s" % (len(part), part))
    return made.hexdigest()
