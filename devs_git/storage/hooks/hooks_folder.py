"""Find the folder where git looks for hooks, and decide whether we may write our hooks there.

We may write to the repository's own folder, and to an untracked folder inside the repository (husky's `.husky/_`). A
tracked folder belongs to everybody who clones, and a folder outside the repository belongs to all repositories. Then our
hooks are in our own folder, and a line in git's folder must call them. We never set `core.hooksPath`.
"""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Literal

from devs_git.storage.git.places import Places
from devs_git.storage.git.program import REPOSITORY_VARIABLES, Git, GitFailed, split_z
from devs_git.storage.hooks.hook_slot import owner_of
from devs_git.values import immutable

Kind = Literal["own", "untracked", "tracked", "outside", "none"]


@immutable
class HookFolder:
    """`asked` is the folder where git looks for hooks. `ours` is the folder that we write to. `name` is for messages."""

    kind: Kind
    asked: Path
    ours: Path
    name: str
    scope: str = ""

    @property
    def chained(self) -> bool:
        """Whether our hooks are where git looks. If not, a line there has to call them."""
        return self.kind in {"own", "untracked"}

    @property
    def husky(self) -> Path | None:
        """The tracked folder of husky 9; None if husky is not used. Husky overwrites the files in `asked`, which call it.

        https://typicode.github.io/husky: `.husky/_/<hook>` reads `.husky/_/h`, which runs `.husky/<hook>`, if it is there.
        """
        is_huskys = self.kind == "untracked" and self.asked.name == "_" and (self.asked / "h").is_file()
        return self.asked.parent if is_huskys else None

    @property
    def husky_command(self) -> str:
        """The command that writes husky's folder, if this worktree has none: git does not track it. '' if none is needed."""
        top = os.path.dirname(self.name)  # noqa: PTH120 - as it is configured
        if self.kind != "untracked" or not f"/{self.name}".endswith("/.husky/_") or self.asked.exists():
            return ""
        return "npx husky" if top == ".husky" else f"npx husky {shlex.quote(top)}"


def default_folder(places: Places) -> Path:
    """The hooks folder that all worktrees share."""
    return places.common / "hooks"


def fallback_folder(places: Places) -> Path:
    """The folder for our hooks if we may not write into git's folder."""
    return places.shared / "hooks"


def find(places: Places, git: Git) -> HookFolder:
    """The folder for hooks of this worktree, by git's configuration."""
    scope, value = _configured_path(git)
    base = places.top or places.git_dir
    asked = base / value if scope else default_folder(places)
    if scope and (not value or (asked.exists() and not asked.is_dir())):
        return HookFolder("none", asked, fallback_folder(places), "core.hooksPath", scope)
    kind = _kind(places, Path(os.path.realpath(asked)))
    names = {"own": os.path.relpath(asked, places.common), "outside": "core.hooksPath"}
    ours = asked if kind in {"own", "untracked"} else fallback_folder(places)
    return HookFolder(kind, asked, ours, names.get(kind, os.path.relpath(asked, base)), scope)


def _configured_path(git: Git) -> tuple[str, str]:
    """Scope and value of core.hooksPath, with `~` expanded. If it is not set, the scope is ''."""
    words = ("config", "--show-scope", "-z", "--type=path", "--get", "core.hooksPath")
    status, answer = git.attempt(*words, ok=(0, 1))
    if status:
        return "", "hooks"
    scope, value = (os.fsdecode(part) for part in answer.split(b"\0")[:2])
    return scope, value


def _kind(places: Places, folder: Path) -> Kind:
    if folder.is_relative_to(os.path.realpath(places.common)):
        return "own"
    standing = next(parent for parent in (folder, *folder.parents) if parent.is_dir())
    git = Git(standing, unset=REPOSITORY_VARIABLES)
    try:
        common = git.text("rev-parse", "--path-format=absolute", "--git-common-dir")
        if not Path(common).samefile(places.common):
            return "outside"
        tracked = split_z(git.run("ls-files", "-z", "--", os.path.relpath(folder, standing)))
        return "tracked" if tracked and not _ours_stand_in(folder, tracked) else "untracked"
    except (GitFailed, OSError):
        return "outside"


def _ours_stand_in(folder: Path, tracked: list[str]) -> bool:
    """Whether our hooks were installed before the folder was tracked, and are not tracked themselves."""
    names = {path.rsplit("/", 1)[-1] for path in tracked}
    files = folder.iterdir() if folder.is_dir() else ()
    return any(owner_of(path) == "ours" and path.name not in names for path in files)
