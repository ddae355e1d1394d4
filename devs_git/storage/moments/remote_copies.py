"""Which remotes have backups or commits of moments, as far as this clone knows without the network.

Backups contain untracked files. Moments themselves are in a store that no push takes along; their commits may be on no branch.

The file `remote-copies` in our shared folder has one line for each such remote. The hook `pre-push` adds the remote to which
a push sends them, and `sync` writes what it sees there. The refs of a remote that is a folder of this machine are read.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from devs_git.domain.audit.findings import Finding
from devs_git.domain.checkpoints import refspecs
from devs_git.domain.moments.moment import BASE
from devs_git.domain.text.plain_text import printable
from devs_git.storage.git.children import GitTimedOut
from devs_git.storage.git.files import replace_file
from devs_git.storage.git.program import REPOSITORY_VARIABLES, Git, GitFailed
from devs_git.storage.git.refs import BACKUPS
from devs_git.storage.git.remotes.remote_repository import PRIVATE
from devs_git.values import immutable

_NOTE: Final = "remote-copies"
# Bytes of the note that are read; a hook adds a line with each push of such refs.
_MOST: Final = 1 << 16
_MOMENT, _BACKUP = f"{BASE}x", f"{BACKUPS}x"
_SETTINGS: Final = r"^remote\..*\.(url|fetch|push|mirror)$"
# Seconds for a remote that is a folder, which may be on a slow disk.
_SECONDS: Final = 5.0


@immutable
class _Remote:
    """A remote's settings."""

    name: str
    urls: tuple[str, ...]
    fetch: tuple[str, ...]
    push: tuple[str, ...]
    mirror: bool


def note(shared: Path, remote: str, *, has_some: bool) -> None:
    """Note whether a remote has such refs, as somebody just saw there. `shared` is our shared folder."""
    known = _noted(shared)
    if (remote in known) != has_some:
        left = [*known, remote] if has_some else [one for one in known if one != remote]
        replace_file(shared / _NOTE, "".join(f"{one}\n" for one in left).encode("utf-8", "surrogateescape"))


def findings(git: Git, shared: Path) -> Iterator[Finding]:
    """A warning for each remote that has such refs, or whose settings would send or delete them."""
    remotes = list(_remotes(git))
    noted = _noted(shared)
    for remote in remotes:
        there = _look(git, remote)
        if there or (there is None and remote.name in noted):
            yield _has(remote.name, seen=bool(there))
        if remote.mirror or refspecs.pushes(remote.push, _MOMENT) or refspecs.pushes(remote.push, _BACKUP):
            yield _sends(remote)
        if refspecs.fetches(remote.fetch, _BACKUP):
            yield _overwrites(remote.name)
    known = {each for remote in remotes for each in (remote.name, *remote.urls)}
    # A push may name an address, which may have a password.
    yield from (_has(re.sub("//[^/@]*@", "//", name), seen=False) for name in noted if name not in known)


def delete_command(remote: str) -> str:
    """The command that deletes such refs from a remote, and nothing else."""
    name = _quoted(remote)
    patterns = " ".join(f"'{folder}*'" for folder in PRIVATE)
    mirror = _quoted(f"remote.{remote}.mirror=false")
    return f"git ls-remote --refs {name} {patterns} | cut -f2 | xargs -r -n 100 git -c {mirror} push {name} --delete"


def _has(remote: str, *, seen: bool) -> Finding:
    how = "has" if seen else "has, or had when this clone last pushed there or ran sync,"
    text = (
        f"The remote {printable(remote, '')} {how} refs that belong to one clone alone: backups, which contain untracked "
        "files, or commits that moments keep. Everybody can read them who can fetch from there."
    )
    return Finding("REMOTE_HAS_MOMENTS", "warning", text, delete_command(remote))


def _sends(remote: _Remote) -> Finding:
    section = f"remote.{remote.name}"
    text = (
        f"A push to the remote {printable(remote.name, '')} sends all refs, also backups, which contain "
        "untracked files, and commits that only moments keep."
    )
    steps = [("--unset-all", "mirror", ""), ("--add", "push", "+refs/*:refs/*")] if remote.mirror else []
    steps += [("--add", "push", f"^{folder}*") for folder in PRIVATE]
    fix = " && ".join(
        f"git config {how} {_quoted(f'{section}.{key}')}" + (f" '{value}'" if value else "")
        for how, key, value in steps
    )
    return Finding("REMOTE_TAKES_MOMENTS", "warning", text, fix)


def _overwrites(remote: str) -> Finding:
    text = (
        f"git fetch --prune {printable(remote, '')} deletes the backups and the checkpoints of this clone, because its "
        "refspec takes all refs."
    )
    fix = f"git config --add {_quoted(f'remote.{remote}.fetch')} '^refs/devs/*'"
    return Finding("REMOTE_PRUNES_MOMENTS", "warning", text, fix)


def _look(git: Git, remote: _Remote) -> bool | None:
    """Whether a remote that is a folder of this machine has such refs; None if the remote is elsewhere."""
    url = remote.urls[0].removeprefix("file://") if remote.urls else ""
    place = Path(os.path.expanduser(url)) if url.startswith("~") else git.where / url  # noqa: PTH111 - as git does
    if not url or ":" in url.partition("/")[0] or not place.is_dir():
        return None
    asked = ("for-each-ref", "--count=1", "--format=%(refname)", *(each.rstrip("/") for each in PRIVATE))
    with contextlib.suppress(GitFailed, GitTimedOut):
        there = Git(place, unset=REPOSITORY_VARIABLES, offline=True)
        return bool(there.run(*asked, timeout=_SECONDS).strip())
    return None


def _remotes(git: Git) -> Iterator[_Remote]:
    out = git.run("config", "--null", "--get-regexp", _SETTINGS, ok=(0, 1))
    found: dict[str, list[tuple[str, str]]] = {}
    for line in out.split(b"\0"):
        key, _, value = os.fsdecode(line).partition("\n")
        if key:
            name, _, what = key.removeprefix("remote.").rpartition(".")
            found.setdefault(name, []).append((what, value))
    for name, pairs in found.items():
        values = {what: tuple(value for key, value in pairs if key == what) for what, _ in pairs}
        mirror = (values.get("mirror") or ("false",))[-1].lower() not in ("false", "no", "off", "0")
        yield _Remote(name, values.get("url", ()), values.get("fetch", ()), values.get("push", ()), mirror)


def _noted(shared: Path) -> tuple[str, ...]:
    try:
        with (shared / _NOTE).open("rb") as stream:
            text = stream.read(_MOST).decode("utf-8", "surrogateescape")
    except OSError:
        return ()
    return tuple(dict.fromkeys(line for line in text.splitlines() if line))


def _quoted(text: str) -> str:
    # Only a refusal or a finding needs it.
    from shlex import quote

    return quote(text)
