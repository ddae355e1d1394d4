"""What a git command may take: commits, by moving or deleting refs, and files of the worktree.

Source of each rule: the page of the command in git's documentation. What is not listed here counts as unknown.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from devs_git.domain.moments.shell_words import Command, Word
from devs_git.domain.moments.taking import (
    ALL_FILES,
    FILES,
    REFS,
    TRACKED,
    Kind,
    Taking,
    around,
    at_paths,
    has,
    names,
    operands,
    words_of,
)

# Options of git itself with a value in the next word.
_VALUED: Final = ("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env")
_HARMLESS: Final = names("""
    add annotate archive blame bundle cat-file check-attr check-ignore cherry clone count-objects describe devs diff
    diff-files diff-index diff-tree fetch for-each-ref format-patch fsck grep help init log ls-files ls-remote ls-tree
    merge-base merge-tree name-rev notes range-diff remote rev-list rev-parse shortlog show show-branch show-ref status
    var verify-commit verify-tag version whatchanged write-tree hash-object config
    """)
# These move or delete refs; some of them change files, too, but only those that git itself protects.
_MOVES_REFS: Final = names("""
    am bisect branch cherry-pick commit fast-import filter-branch filter-repo gc maintenance merge prune pull push rebase
    reflog replace repack revert symbolic-ref tag update-ref
    """)
# These write the files of a commit that their words name.
_WRITES_FILES: Final = names("checkout cherry-pick merge pull read-tree rebase reset restore revert switch")
_OF_UPSTREAM: Final = ("merge", "pull", "rebase")
_UPSTREAM: Final = ("@{upstream}",)
# More words than that are paths.
_REVS: Final = 8
# Of these, commands whose words are shell text.
RUNS_TEXT: Final = ("bisect", "filter-branch", "rebase", "submodule")
_CLEANED_IGNORED: Final = "xX"
_EVERYTHING: Final[frozenset[Kind]] = ALL_FILES | {"nested", "worktrees"}
_TWICE: Final = re.compile(r"-[a-zA-Z]*f[a-zA-Z]*f")


def judge(command: Command, words: Sequence[Word]) -> tuple[Taking, ...]:
    """What `git` with these words may take."""
    folder, rest = _own_options(command, words)
    if not rest:
        return ()
    verb, given = rest[0].text, rest[1:]
    if verb in _HARMLESS:
        return ()
    there = Command(command.words, command.written, folder)
    if verb == "clean":
        return _clean(there, given)
    if verb == "worktree":
        return _worktree(there, given)
    kinds = _kinds(verb, given)
    revs = _revs(verb, given)
    if revs:
        kinds |= {"overwritten"}
    return (around(there, kinds or REFS, guess=not kinds, revs=revs),)


def _revs(verb: str, words: Sequence[Word]) -> tuple[str, ...]:
    """The words that may name the commits whose files this verb writes; () for a verb that writes none."""
    if verb not in _WRITES_FILES:
        return ()
    named = [word.text for word in operands(words) if word.is_plain]
    named += [word.text.partition("=")[2] for word in words if word.text.startswith(("--source=", "--onto="))]
    # `git pull origin main` gets what `origin/main` names afterwards, and often before, too.
    named += ["/".join(named[:2])] if verb == "pull" and len(named) > 1 else []
    return tuple(dict.fromkeys((*named, *(_UPSTREAM if verb in _OF_UPSTREAM else ()))))[:_REVS]


def _own_options(command: Command, words: Sequence[Word]) -> tuple[str | None, Sequence[Word]]:
    """The folder in which git works, and the words from its verb on."""
    folder, at = command.folder, 0
    while at < len(words) and words[at].text.startswith("-"):
        name, given, _ = words[at].text.partition("=")
        if name == "-C" and at + 1 < len(words):
            # git reads a second `-C` from the first one's folder.
            folder = Command((), (), folder).path(words[at + 1])
        elif name in ("--git-dir", "--work-tree"):
            folder = None
        at += 2 if name in _VALUED and not given else 1
    return folder, words[at:]


def _kinds(verb: str, words: Sequence[Word]) -> frozenset[Kind]:
    """What this verb takes from the whole worktree; empty for a verb that nobody knows, such as an alias."""
    if verb in _MOVES_REFS:
        # `pull` and `rebase` refuse or keep what is not committed; with `--autostash` it is a stash entry for a while.
        return REFS | FILES if verb in ("rebase", "pull", "am", "filter-branch", "filter-repo") else REFS
    if verb == "stash":
        taken = ALL_FILES if has(words, "a", "--all") else FILES
        shows = words and words[0].text in ("list", "show", "create", "store")
        return REFS if shows else REFS | taken
    if verb in ("reset", "checkout", "switch", "read-tree"):
        return REFS | FILES
    if verb in ("restore", "checkout-index", "sparse-checkout", "apply", "mv"):
        return TRACKED
    if verb == "rm":
        return FILES
    if verb == "submodule":
        return FILES | {"nested"}
    return frozenset()


def _clean(command: Command, words: Sequence[Word]) -> tuple[Taking, ...]:
    if has(words, "n", "--dry-run"):
        return ()
    kinds: frozenset[Kind] = frozenset({"untracked"})
    if has(words, _CLEANED_IGNORED):
        kinds |= {"ignored"}
    forced = sum(word.text in ("-f", "--force") for word in words)
    if forced > 1 or any(_TWICE.match(word.text) for word in words):
        kinds |= {"nested"}
    named = _without_values(operands(words), words, "-e", "--exclude")
    if not named:
        where = None if command.folder is None else (command.folder or ".",)
        return (Taking(words_of(command), kinds, where),)
    return (at_paths(command, kinds, named),)


def _without_values(found: Sequence[Word], words: Sequence[Word], *options: str) -> list[Word]:
    """The operands that are not the value of such an option."""
    values = {id(word) for before, word in pairwise(words) if before.text in options}
    return [word for word in found if id(word) not in values]


def _worktree(command: Command, words: Sequence[Word]) -> tuple[Taking, ...]:
    verb = words[0].text if words else ""
    if verb in ("prune", "repair"):
        return (around(command, REFS),)
    if verb not in ("remove", "move"):
        return ()
    # git takes the end of a path, too. Which worktree that is only git can tell.
    made = at_paths(command, _EVERYTHING | REFS, operands(words[1:])[:1])
    ends = tuple(posixpath.basename(word.text) for word in operands(words[1:])[:1] if word.is_plain)
    return (Taking(made.what, made.kinds, made.paths and (*made.paths, *ends), whole=True),)
