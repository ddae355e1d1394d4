"""Hide our hooks from `git add -A` where they stand in a working tree: a line in `info/exclude` for each.

They hold this machine's paths, and committing them would make them everybody's. Folders that are ignored anyway
(husky's) need no line.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from devs_git.storage.git.files import replace_file
from devs_git.storage.git.places import Places
from devs_git.storage.git.program import REPOSITORY_VARIABLES, Git, GitFailed

_MARK: Final = b"# devs-git: a git hook of this machine\n"


def hide(places: Places, hooks: Iterable[Path]) -> None:
    """Exclude those of `hooks` that git would show as untracked."""
    for hook in hooks:
        git = Git(
            hook.parent, {"GIT_LITERAL_PATHSPECS": "0"}, unset=REPOSITORY_VARIABLES
        )  # check-ignore dies of it
        try:
            if git.says("check-ignore", "-q", "--", hook.name):
                continue
            top = git.run("rev-parse", "--show-prefix").removesuffix(b"\n")
        except GitFailed:  # not in a working tree
            continue
        _write(places, _read(places) + _MARK + _pattern(top + os.fsencode(hook.name)))


def show(places: Places) -> None:
    """Take out every line that `hide` put in."""
    before = _read(places)
    after = re.sub(re.escape(_MARK) + rb"[^\n]*\n", b"", before)
    if after != before:
        _write(places, after)


def _pattern(path: bytes) -> bytes:
    return b"/" + re.sub(rb"([\\*?\[ ])", rb"\\\1", path) + b"\n"


def _file(places: Places) -> Path:
    return places.common / "info" / "exclude"


def _read(places: Places) -> bytes:
    try:
        return _file(places).read_bytes()
    except FileNotFoundError:
        return b""


def _write(places: Places, data: bytes) -> None:
    path = _file(places)
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
    path.parent.mkdir(exist_ok=True)
    replace_file(path, data, mode=mode, exact=True)
