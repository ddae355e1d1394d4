"""The URL of each remote when `sync` last ran with it: the file `remote-urls` in our shared folder.

git does not keep the earlier URL of a remote. Without it `sync` could not tell a ledger that was set back from the
ledger of another repository. Credentials in a URL are never stored or shown. The file decides nothing.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from devs_git.storage.git.files import replace_file
from devs_git.storage.git.program import Git, split_lines

_NOTE: Final = "remote-urls"
# Bytes of the note that are read.
_MOST: Final = 1 << 16
_CREDENTIALS: Final = re.compile(r"//[^/@]*@")
_FOLDER: Final = re.compile(r"file:|[./~]|[^:]*$", re.IGNORECASE)


def current(git: Git, remote: str, *, push: bool = False) -> str:
    """The URL from which git fetches, or with `push` to which it pushes, without credentials. '' if there is none."""
    words = ("remote", "get-url", *(("--push",) if push else ()), "--", remote)
    status, out = git.attempt(*words, ok=(0, 2, 128))
    url = out.decode("utf-8", "replace").strip() if not status else ""
    return _CREDENTIALS.sub("//", url)


def last_used(shared: Path, remote: str) -> str:
    """The URL that `note` stored for the remote; '' if it stored none. `shared` is our shared folder."""
    return _rows(shared).get(remote, "")


def note(shared: Path, remote: str, url: str) -> None:
    """Store the URL of a remote, if another one or none is stored."""
    rows = _rows(shared)
    if url and "\n" not in url and rows.get(remote) != url:
        rows[remote] = url
        text = "".join(f"{name}\t{each}\n" for name, each in rows.items())
        replace_file(shared / _NOTE, text.encode("utf-8", "surrogateescape"))


def in_message(url: str) -> str:
    """The URL as a message may show it: no message shows a path outside of the repository."""
    return "a folder" if _FOLDER.match(url) else url


def _rows(shared: Path) -> dict[str, str]:
    try:
        with (shared / _NOTE).open("rb") as stream:
            text = stream.read(_MOST).decode("utf-8", "surrogateescape")
    except OSError:
        return {}
    rows = (line.partition("\t") for line in split_lines(text))
    return {name: url for name, _, url in rows if url}
