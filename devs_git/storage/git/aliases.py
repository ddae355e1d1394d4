"""git aliases for what people type most: `git checkpoint`, `git rewind-task`, `git gates`, `git approve`.

They stand in the configuration that all worktrees of the repository share and start the interpreter that installed
them, because an agent's PATH is not its person's. One that is not ours, by its value, is never touched.
"""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from typing import Final

from devs_git.domain.audit.findings import Action
from devs_git.errors import DevsError
from devs_git.storage.git.program import Git, GitFailed

ALIASES: Final = {
    "checkpoint": "checkpoint",
    "rewind-task": "rewind",
    "gates": "gate list",
    "approve": "gate approve",
}
# git runs the shell at the top of the worktree and says in GIT_PREFIX where its caller was. In a linked worktree it sets
# GIT_DIR too, and then takes the folder that it is started in for the top: so the top is named before we leave it.
_BEGIN: Final = '![ -z "$GIT_PREFIX" ] || { [ -z "$GIT_DIR" ] || export GIT_WORK_TREE="$PWD"; cd "$GIT_PREFIX" || exit; }; '
_RUN: Final = " -P -m devs_git "


def value(verb: str, python: str) -> str:
    """What the alias for `verb` is set to; git adds the caller's arguments."""
    return f"{_BEGIN}{shlex.quote(python)}{_RUN}{verb}"


def is_ours(text: str, verb: str) -> bool:
    """Whether an alias was written by us, by whatever interpreter, and not changed since."""
    found = re.fullmatch(re.escape(_BEGIN) + "(.+)" + re.escape(_RUN + verb), text)
    try:
        return bool(found and len(words := shlex.split(found[1])) == 1 and shlex.quote(words[0]) == found[1])
    except ValueError:
        return False


def install(git: Git, python: str = sys.executable) -> tuple[Action, ...]:
    """Set every alias that is free or ours; what the user has under that name stays, and is told."""
    return tuple(_put_in(git, name, value(verb, python)) for name, verb in ALIASES.items())


def uninstall(git: Git) -> tuple[Action, ...]:
    """Take out exactly what `install` set."""
    return tuple(_take_out(git, name) for name in ALIASES)


def _put_in(git: Git, name: str, wanted: str) -> Action:
    what, verb = f"alias {name}", ALIASES[name]
    here = _values(git, name, "--local")
    if any(not is_ours(text, verb) for text in _values(git, name)):
        return Action(what, "skipped", f"git {name} is an alias of yours; it is left alone.")
    if shutil.which(f"git-{name}"):
        return Action(
            what, "skipped", f"git {name} starts the program git-{name} on PATH, whatever an alias says."
        )
    if here == [wanted]:
        return Action(what, "kept")
    _config(git, "--replace-all", f"alias.{name}", wanted)
    return Action(what, "updated" if here else "created")


def _take_out(git: Git, name: str) -> Action:
    what = f"alias {name}"
    here = _values(git, name, "--local")
    if not here:
        return Action(what, "kept")
    if any(not is_ours(text, ALIASES[name]) for text in here):
        return Action(what, "skipped", f"git {name} is an alias of yours; it is left alone.")
    _config(git, "--unset-all", f"alias.{name}")
    return Action(what, "removed")


def _values(git: Git, name: str, *scope: str) -> list[str]:
    """Every value that the alias has, of all scopes that git reads or of one."""
    _, out = git.attempt("config", *scope, "-z", "--get-all", f"alias.{name}", ok=(0, 1))
    return [part.decode("utf-8", "surrogateescape") for part in out.split(b"\0")[:-1]]


def _config(git: Git, *words: str) -> None:
    try:
        git.run("config", "--local", *words)
    except GitFailed as error:
        raise DevsError(
            "BUSY",
            "The configuration of this repository cannot be written now: another git has its lock, or it is read-only.",
            hint="Look who may write it: ls -l $(git rev-parse --git-common-dir)/config*",
        ) from error
