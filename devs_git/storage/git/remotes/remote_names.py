"""Names of the configured remotes, read from the repository's configuration file without starting git.

They are used to refuse a branch with such a name, and to find the remote of a branch. Includes and global files are not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from devs_git.storage.git.places import Places

_SECTION: Final = re.compile(
    r'^[ \t]*\[[ \t]*remote[ \t]+"((?:[^"\\\n]|\\.)*)"[ \t]*\]', re.MULTILINE | re.IGNORECASE
)
_DOTTED: Final = re.compile(r"^[ \t]*\[[ \t]*remote\.([^\]\n]+)\]", re.MULTILINE | re.IGNORECASE)


def split(name: str, remotes: Iterable[str]) -> tuple[str, str]:
    """Remote and branch of `origin/topic/a`. The remote is the longest of `remotes` that fits, else the part before the first slash."""
    for remote in sorted(remotes, key=len, reverse=True):
        if name.startswith(remote + "/"):
            return remote, name.removeprefix(remote + "/")
    remote, _, branch = name.partition("/")
    return remote, branch


def names(places: Places) -> tuple[str, ...]:
    """The names without duplicates, in the order of the file."""
    found: list[str] = []
    for path in (places.common / "config", places.git_dir / "config.worktree"):
        try:
            text = path.read_text(encoding="utf-8", errors="surrogateescape")
        except OSError:
            continue
        found += [re.sub(r"\\(.)", r"\1", name) for name in _SECTION.findall(text)]
        found += _DOTTED.findall(text)
    return tuple(dict.fromkeys(found))
