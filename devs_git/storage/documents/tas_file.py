"""The TAS in commits: the blob at its path. Read by full oids, without replace refs."""

from __future__ import annotations

from pathlib import PurePosixPath

from devs_git.domain.gates.gate_model import blob_oid
from devs_git.domain.text import limits
from devs_git.storage.git import bounded
from devs_git.storage.git.program import Git

REGULAR = ("100644", "100755")
_FOLDER = "040000"


def entry(git: Git, commit: str, path: str) -> tuple[str, str]:
    """Mode and oid of the entry at `path` in a commit; both '' if there is no entry, or if `commit` is ''."""
    if not commit:
        return "", ""
    out = git.run("ls-tree", "-z", "--full-tree", commit, "--", path)
    if not out:
        return "", ""
    head = out.split(b"\t", 1)[0].decode().split()
    return head[0], head[2]


def blocking_folder(git: Git, commit: str, path: str) -> str:
    """The parent of `path` that is a file, a link or a submodule in a commit; '' if there is none."""
    folders = (str(folder) for folder in reversed(PurePosixPath(path).parents[:-1]))
    return next((one for one in folders if entry(git, commit, one)[0] not in ("", _FOLDER)), "")


def blob(git: Git, commit: str, path: str) -> str | None:
    """The oid of the TAS in a commit; None if it is not a regular file there."""
    mode, oid = entry(git, commit, path)
    return oid if mode in REGULAR else None


def text(git: Git, oid: str | None) -> str:
    """The text of a blob, with undecodable bytes replaced; '' for None or a missing blob. INVALID_INPUT if it is too large."""
    data = bounded.blob_if_there(git, oid, limits.TAS, "tas") if oid else None
    return data.decode("utf-8", "replace") if data else ""


def with_stored_line_ends(git: Git, path: str, proposed: str) -> str:
    """`proposed` with the line ends that git would store for `path` in this worktree.

    A text from the working tree may have CRLF although commits have LF, by `eol=crlf` or `core.autocrlf`. If it were
    committed unchanged, every line would differ, and the file would always be dirty.
    """
    plain = proposed.replace("\r\n", "\n")
    if plain == proposed:
        return proposed
    status, out = git.attempt(
        "hash-object", "--stdin", f"--path={path}", stdin=proposed.encode(), ok=(0, 1, 128)
    )
    return plain if status == 0 and out.decode().strip() == blob_oid(plain.encode()) else proposed
