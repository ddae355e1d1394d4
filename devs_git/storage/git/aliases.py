"""git aliases for what people type most: `git checkpoint`, `git rewind-task`, `git gates`, `git approve`.

`install` writes them to the configuration that all worktrees share. They start the interpreter that installed them,
because an agent's PATH differs from the user's. An alias with any other value belongs to the user and is never changed.
"""

from __future__ import annotations

import re
import shlex
import shutil
import sys

from devs_git.domain.audit.findings import Action
from devs_git.errors import DevsError
from devs_git.storage.git.program import Git, GitFailed
from devs_git.values import Final

ALIASES: Final = {
    "checkpoint": "checkpoint",
    "rewind-task": "rewind",
    "gates": "gate list",
    "approve": "gate approve",
}
# git runs the shell at the top of the worktree, and GIT_PREFIX names the caller's folder. In a linked worktree git also sets
# GIT_DIR, and a git that we start would take its current folder as the top. So we set GIT_WORK_TREE before we change folder.
_BEGIN: Final = '![ -z "$GIT_PREFIX" ] || { [ -z "$GIT_DIR" ] || export GIT_WORK_TREE="$PWD"; cd "$GIT_PREFIX" || exit; }; '
_RUN: Final = " -P -m devs_git "


def value(verb: str, python: str) -> str:
    """The value of the alias for `verb`. git appends the caller's arguments."""
    return f"{_BEGIN}{shlex.quote(python)}{_RUN}{verb}"


def is_ours(text: str, verb: str) -> bool:
    """Whether devs-git wrote this alias, for any interpreter, and nobody changed it since."""
    found = re.fullmatch(re.escape(_BEGIN) + "(.+)" + re.escape(_RUN + verb), text)
    try:
        return bool(found and len(words := shlex.split(found[1])) == 1 and shlex.quote(words[0]) == found[1])
    except ValueError:
        return False


# `git devs` for shells that do not find the program `git-devs`: a login shell forgets the PATH of a virtual environment.
_DEVS: Final = "devs"
# Hints then name `git devs` (`cli.terminal`).
CALLED: Final = "DEVS_GIT_CALLED"


def _devs_value() -> str:
    return f"{_BEGIN}{CALLED}='git devs' {shlex.quote(sys.executable)} -P -m devs_git"


def _is_our_devs(text: str) -> bool:
    return text.startswith(f"{_BEGIN}{CALLED}=") and text.endswith(" -P -m devs_git")


def install_devs(git: Git) -> tuple[Action, ...]:
    """Set `git devs`, if this Python is one of a virtual environment. An alias of the user stays. BUSY."""
    if sys.prefix == sys.base_prefix:
        return ()
    what, setting = "alias git devs", _devs_value()
    here = _values(git, _DEVS, "--local")
    if any(not _is_our_devs(text) for text in _values(git, _DEVS)):
        return (Action(what, "skipped", "git devs is your own alias; it was not changed."),)
    if here == [setting]:
        return (Action(what, "kept"),)
    _config(git, "--replace-all", f"alias.{_DEVS}", setting)
    return (Action(what, "updated" if here else "created"),)


def uninstall_devs(git: Git) -> tuple[Action, ...]:
    """Remove `git devs`, if `install_devs` set it. BUSY."""
    here = _values(git, _DEVS, "--local")
    if not here or not all(map(_is_our_devs, here)):
        return ()
    _config(git, "--unset-all", f"alias.{_DEVS}")
    return (Action("alias git devs", "removed"),)


def install(git: Git, python: str = sys.executable) -> tuple[Action, ...]:
    """Set every alias that is free or ours. The actions name each alias of the user, which stays."""
    return tuple(_put_in(git, name, value(verb, python)) for name, verb in ALIASES.items())


def uninstall(git: Git) -> tuple[Action, ...]:
    """Remove exactly what `install` set."""
    return tuple(_take_out(git, name) for name in ALIASES)


def _put_in(git: Git, name: str, setting: str) -> Action:
    what, verb = f"alias {name}", ALIASES[name]
    here = _values(git, name, "--local")
    if any(not is_ours(text, verb) for text in _values(git, name)):
        return Action(what, "skipped", f"git {name} is your own alias; it was not changed.")
    if shutil.which(f"git-{name}"):
        return Action(what, "skipped", f"The program git-{name} on PATH takes precedence over an alias.")
    if here == [setting]:
        return Action(what, "kept")
    _config(git, "--replace-all", f"alias.{name}", setting)
    return Action(what, "updated" if here else "created")


def _take_out(git: Git, name: str) -> Action:
    what = f"alias {name}"
    here = _values(git, name, "--local")
    if not here:
        return Action(what, "skipped", "it was not there")
    if any(not is_ours(text, ALIASES[name]) for text in here):
        return Action(what, "skipped", f"git {name} is your own alias; it was not changed.")
    _config(git, "--unset-all", f"alias.{name}")
    return Action(what, "removed")


def _values(git: Git, name: str, *scope: str) -> list[str]:
    """All values of the alias, in the given scope of the configuration or in all."""
    _, out = git.attempt("config", *scope, "-z", "--get-all", f"alias.{name}", ok=(0, 1))
    return [part.decode("utf-8", "surrogateescape") for part in out.split(b"\0")[:-1]]


def _config(git: Git, *words: str) -> None:
    try:
        git.run("config", "--local", *words)
    except GitFailed as error:
        raise DevsError(
            "BUSY",
            "The configuration of this repository cannot be written: another git holds its lock, or the file is read-only.",
            hint="Check its lock and its permissions: ls -l $(git rev-parse --git-common-dir)/config*",
        ) from error
