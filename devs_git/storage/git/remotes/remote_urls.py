"""The URL of each remote when `sync` last ran with it: the file `remote-urls` in our shared folder.

git does not keep the earlier URL of a remote. Without it `sync` could not tell a ledger that was set back from the
ledger of another repository. Credentials in a URL are never stored or shown. The file decides nothing.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from devs_git.storage.git.program import Git
from devs_git.storage.git.remotes import remote_notes

_NOTE: Final = "remote-urls"
# A password may have an @: what stands before the last one is no host.
_CREDENTIALS: Final = re.compile(r"//[^/?#]*@")
_FOLDER: Final = re.compile(r"file:|[./~]|[^:]*$", re.IGNORECASE)


def current(git: Git, remote: str, *, push: bool = False) -> str:
    """The URL from which git fetches, or with `push` to which it pushes, without credentials. '' if there is none."""
    words = ("remote", "get-url", *(("--push",) if push else ()), "--", remote)
    status, out = git.attempt(*words, ok=(0, 2, 128))
    url = out.decode("utf-8", "replace").strip() if not status else ""
    return _CREDENTIALS.sub("//", url)


def last_used(shared: Path, remote: str) -> str:
    """The URL that `note` stored for the remote; '' if it stored none. `shared` is our shared folder."""
    return remote_notes.read(shared / _NOTE, remote)


def note(shared: Path, remote: str, url: str) -> None:
    """Store the URL of a remote, if another one or none is stored."""
    remote_notes.write(shared / _NOTE, remote, url)


def in_message(url: str) -> str:
    """The URL as a message may show it: no message shows a path outside of the repository."""
    return "a folder" if _FOLDER.match(url) else url
