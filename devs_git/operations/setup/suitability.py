"""Whether devs-git can work in a repository. `init` asks before it writes anything.

INVALID_ARGUMENTS{repository}: a bare repository, the SHA-256 or reftable format, the home folder or `/`, and branches or
tags whose names devs-git needs as folders (git cannot have a ref and a folder of the same name).
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from devs_git.domain.ledger.events import LEDGER
from devs_git.errors import DevsError, invalid
from devs_git.operations.setup import adopt_ledger
from devs_git.storage.git import refs
from devs_git.storage.git.places import Places
from devs_git.storage.git.program import Git, GitFailed

VIEW: Final = ".devs"
_ANCESTORS: Final = (
    "refs/heads/devs",
    "refs/tags/devs",
    "refs/devs",
    "refs/heads/devs/preserved",
    "refs/devs/checkpoints",
    "refs/devs/backup",
    "refs/heads/snapshot",
)


def check(places: Places, git: Git, store_git: Git) -> None:
    """Raises where `init` must stop; writes nothing. `store_git` reads refs and the ledger without replace refs."""
    if places.top is None:
        raise _no_tree(git)
    _folder(places.top)
    _format(git)
    _names(store_git)
    if git.run("ls-files", "-z", "--", VIEW):
        raise refusal(
            f"The folder {VIEW}/ is tracked here, and devs-git needs it.", f"Run: git mv {VIEW} <other>"
        )


def check_server(places: Places, git: Git) -> None:
    """Raises where `init --server` must stop."""
    if places.top is not None or git.text("rev-parse", "--is-bare-repository") != "true":
        raise refusal(
            "This is not a bare repository; --server is for one that others push to.",
            "Name the bare repository: devs-git init --server --repo <its path>",
        )
    _format(git)


def refusal(message: str, hint: str) -> DevsError:
    return invalid("repository", message, hint=hint)


def _no_tree(git: Git) -> DevsError:
    if git.text("rev-parse", "--is-bare-repository") == "true":
        return refusal(
            "This is a bare repository; devs-git works in a working tree.",
            "Run it in a worktree: git worktree add",
        )
    return refusal("This is inside the git directory.", "Go to the working tree.")


def _folder(top: Path) -> None:
    here, home = top.resolve(), os.environ.get("HOME")
    if here == Path(here.anchor):
        raise refusal(
            "The repository is the root folder of this machine.",
            "Use a separate repository for each project.",
        )
    if home and here == Path(home).resolve():
        raise refusal("The repository is the home folder.", "Use a separate repository for each project.")


def _format(git: Git) -> None:
    if git.text("rev-parse", "--show-object-format") != "sha1":
        raise refusal(
            "This repository has the SHA-256 format, which devs-git cannot read.", "Use a SHA-1 repository."
        )
    if git.text("config", "--get", "extensions.refStorage", ok=(0, 1)) not in {"", "files"}:
        raise refusal(
            "This repository keeps its refs in the reftable format, which devs-git cannot read.",
            "With git 2.46 or newer: git refs migrate --ref-format=files",
        )


def _names(git: Git) -> None:
    # Where file names ignore case (macOS), a branch `Devs` is in the way of the folder `devs`.
    folds = git.text("config", "--type=bool", "--get", "core.ignoreCase", ok=(0, 1)) == "true"
    option = ("--ignore-case",) if folds else ()
    taken = refs.list_refs(
        git, *option, "refs/heads/devs", "refs/tags/devs", "refs/devs", "refs/heads/snapshot"
    )
    for name in taken:
        ours = name.lower() if folds else name
        blocks = ours in _ANCESTORS or ours.startswith(LEDGER + "/")
        if blocks or (ours.startswith("refs/tags/devs/task-") and ours.count("/") > 3):
            kind = {"heads": "branch", "tags": "tag"}.get(name.split("/")[1], "ref")
            short = name.removeprefix("refs/heads/").removeprefix("refs/tags/")
            way = {  # each keeps what is there under another name
                "branch": f"git branch -m {short} <other>",
                "tag": f"git tag <other> {short} && git tag -d {short}",
                "ref": f"git update-ref refs/<other> {name} && git update-ref -d {name}",
            }[kind]
            raise refusal(
                f"The {kind} {short} has a name that devs-git needs for its own refs.", f"Rename it: {way}"
            )
    if LEDGER in taken and _is_another(git):
        other = git.text("symbolic-ref", "--quiet", LEDGER, ok=(0, 1)).removeprefix("refs/heads/")
        raise refusal(
            f"The branch devs/ledger is only another name of {other}."
            if other
            else "The branch devs/ledger is not a ledger of devs-git.",
            f"Delete the name and check again: git symbolic-ref --delete {LEDGER}; devs-git doctor"
            if other
            else "Run: git branch -m devs/ledger <other>",
        )


def _is_another(git: Git) -> bool:
    """Whether the branch is not a ledger. A branch that git cannot read may be one: `doctor` says what is missing."""
    try:
        return adopt_ledger.roots(git, genuine=True) == ()
    except GitFailed as error:
        if error.status < 0:  # git was killed, so nobody knows
            raise
        return False
