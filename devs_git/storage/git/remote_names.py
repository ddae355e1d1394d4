"""Names of the configured remotes, read from the repository's configuration file without starting git.

Only names are wanted, to refuse them as branches and to tell whose a branch is; an include or a global file that adds one is not followed.
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


def split(name: str, known: Iterable[str]) -> tuple[str, str]:
    """Remote and branch of `origin/topic/a`: the longest of the `known` remotes that it begins with, else its first part."""
    for remote in sorted(known, key=len, reverse=True):
        if name.startswith(remote + "/"):
            return remote, name.removeprefix(remote + "/")
    remote, _, branch = name.partition("/")
    return remote, branch


def names(places: Places) -> tuple[str, ...]:
    """Names in the order of the file, each once."""
    found: list[str] = []
    for path in (places.common / "config", places.git_dir / "config.worktree"):
        try:
            text = path.read_text(encoding="utf-8", errors="surrogateescape")
        except OSError:
            continue
        found += [re.sub(r"\\(.)", r"\1", name) for name in _SECTION.findall(text)]
        found += _DOTTED.findall(text)
    return tuple(dict.fromkeys(found))
