r"""Which branch names are accepted, before git sees them.

Rules, each refused with INVALID_BRANCH and a message that says which:
- `[A-Za-z0-9_][A-Za-z0-9_./-]*`; so no option, no absolute path, no space, none of `~ ^ : @ ? * [ \`;
- a local branch: not a remote's (`origin/main`, `remotes/…`, the name of any remote), not a full ref (`refs/…`),
  not a special ref (`HEAD`, `ORIG_HEAD` …), not the ledger;
- a name that git accepts: no `..`, no `//`, no part that begins with `.` or ends in `.lock`, no `/` or `.` at the end,
  no part too long for a file name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from devs_git.domain.ledger.events import LEDGER
from devs_git.errors import DevsError, invalid
from devs_git.values import Final

REMOTE: Final = "Branch checkout restricted to local branches only. Remote checkout not permitted."
# A file name has 255 bytes at most, `.lock` included.
LONGEST_PART: Final = 250
LONGEST: Final = 1000
CHARACTERS: Final = "[A-Za-z0-9_./-]"
FORM: Final = f"[A-Za-z0-9_]{CHARACTERS}*"
_ALLOWED = re.compile(FORM, re.ASCII)
_SPECIAL = re.compile(r"HEAD|@|(FETCH|ORIG|MERGE|CHERRY_PICK|REVERT|REBASE|BISECT)_HEAD|AUTO_MERGE")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_HINT: Final = "List the branches: git branch --list"


def refusal(message: str, name: str) -> DevsError:
    return DevsError("INVALID_BRANCH", message, hint=_HINT, branch=name)


def check(name: str, remotes: Iterable[str] = ()) -> None:
    """INVALID_BRANCH unless `name` can be a local branch. `remotes` are the names of configured remotes."""
    if _is_remote(name, remotes):
        raise refusal(REMOTE, name)
    trouble = _special(name) or _malformed(name)
    if trouble:
        raise refusal(f"{name[:100]!r} is not a local branch: {trouble}.", name)


def refusal_to_switch(name: str, error: DevsError) -> DevsError:
    """The refusal for a branch that exists: which rule its name violates, and what to type instead."""
    if name == LEDGER.removeprefix("refs/heads/"):
        return error
    import shlex  # only a wrong name needs it

    why = error.message.partition(": ")[2] if error.message != REMOTE else "its name is a remote's."
    typed = f"git switch {shlex.quote(name)}"
    if name.startswith("-") or _special(name):
        typed = f"git branch NAME refs/heads/{shlex.quote(name)} && devs-git checkout NAME"
    words = f"The branch {name[:100]!r} exists, but devs-git does not switch to it: {why}"
    return DevsError("INVALID_BRANCH", words, hint=f"Type: {typed}", branch=name)


def _is_remote(name: str, remotes: Iterable[str]) -> bool:
    prefixes = ("origin", "remotes", "refs/remotes", *remotes)
    return any(name == prefix or name.startswith(prefix + "/") for prefix in prefixes)


def _special(name: str) -> str:
    if name == LEDGER.removeprefix("refs/heads/"):
        return "it is the ledger"
    if name == "refs" or name.startswith("refs/"):
        return "it is the full name of a ref"
    if "@{" in name:
        return "'@{' names an older value of a ref"
    return "it is a special ref" if _SPECIAL.fullmatch(name) else ""


def _malformed(name: str) -> str:
    if not name:
        return "it is empty"
    if _CONTROL.search(name):
        return "it has a control character"
    if ".." in name:
        return "it has '..'"
    if name[0] in "-/.":
        return f"it begins with {name[0]!r}"
    if not _ALLOWED.fullmatch(name):
        odd = next(char for char in name if not re.fullmatch(CHARACTERS, char, re.ASCII))
        return f"it has {odd!r}; letters, digits, '_', '.', '/' and '-' are allowed"
    return _badly_parted(name)


def _badly_parted(name: str) -> str:
    if len(name) > LONGEST:
        return f"it is longer than {LONGEST} characters"
    if name[-1] in "/.":
        return f"it ends in {name[-1]!r}"
    for part in name.split("/"):
        if not part:
            return "it has '//'"
        if part.startswith("."):
            return f"its part {part!r} begins with '.'"
        if part.endswith(".lock"):
            return f"its part {part!r} ends in '.lock'"
        if len(part) > LONGEST_PART:
            return f"one of its parts is longer than {LONGEST_PART} characters"
    return ""


def choose_mode(name: str | None, mode: str | None) -> str | None:
    """The mode of `--preserve`, where `--branch-name` may stand for it; INVALID_ARGUMENTS, INVALID_BRANCH."""
    if name and mode not in (None, "branch"):
        raise invalid("branch_name", "A branch name needs --preserve branch.", hint="Remove one of the two.")
    if name is not None:
        check(name)
    return "branch" if name else mode
