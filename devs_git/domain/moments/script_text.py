"""What the text of a script may take: looked through for words, in any language.

Nobody can tell when the lines of a program run and in which folder, so what it takes may be taken from anywhere.
"""

from __future__ import annotations

import re
from typing import Final

from devs_git.domain.moments.taking import ALL_FILES, FILES, REFS, WHOLE_FOLDERS, Kind, Taking

# Patterns are compiled at their first use: most commands have no script.
# Words that delete files, in the languages of scripts.
_DELETES: Final = (
    r"rmtree|os\.(?:remove|unlink|rmdir|Remove)|\.(?:unlink|rmdir)\(|remove_(?:dir_all|file)\b|rimraf|(?:rm|rmdir|unlink)Sync"
    r"|fs\.(?:promises\.)?(?:rm|rmdir|unlink)\b|FileUtils\.rm|File\.(?:delete|unlink)|Dir\.(?:rmdir|delete)|(?<!\w)unlink\("
    r"|send2trash|\bdel\([\"'\[]"
)
# A verb of git in any form: `git reset`, `["git", "clean"]`, `repo.git.clean(`, `repo.head.reset(`.
_GIT_VERB: Final = (
    r"(?i)\b(?:git|repo|repository|head|index|submodules?)\b[\s\"',.\[({-]+(?:\S+[\s\"',]+){0,4}?"
    r"(?P<verb>reset|clean|checkout\w*|stash|restore|switch|rebase|branch|worktree|filter[-_](?:branch|repo)|update[-_]ref|reflog|gc"
    r"|prune|push|tag|rm)\b(?P<rest>[^\n;&|]{0,200})"
)
_SHELL_DELETE: Final = (
    r"(?<![\w.-])(?:rm|shred|unlink|rmdir)[\s\"',]+[-\w./$~*{]|-delete\b|rsync\b[^\n]*--del"
)
_CLEANS_IGNORED: Final = r"(?<![\w-])-?-[a-wyzA-WYZ]*[xX][a-zA-Z]*(?![\w-])|\bx\s*=\s*True"


def takings(text: str) -> tuple[Taking, ...]:
    """What a text of any language may take."""
    found: list[Taking] = []
    text = text.replace("\\\n", " ")
    verbs = list(re.finditer(_GIT_VERB, text))
    if verbs:
        found.append(Taking(_line(verbs[0]), REFS | FILES, None))
    for verb in verbs:
        if kinds := _ignored_by(verb["verb"].lower(), verb["rest"]):
            found.append(Taking(_line(verb), kinds, None))
            break
    deleted = re.search(_DELETES, text) or re.search(_SHELL_DELETE, text)
    if deleted:
        found.append(Taking(_line(deleted), WHOLE_FOLDERS, None))
    return tuple(found)


def _ignored_by(verb: str, rest: str) -> frozenset[Kind]:
    if verb == "clean" and re.search(_CLEANS_IGNORED, rest):
        return ALL_FILES
    if verb == "stash" and re.search(r"(?<![\w-])-a\b|--all", rest):
        return ALL_FILES
    if verb == "worktree" and "remove" in rest:
        return WHOLE_FOLDERS | REFS | {"worktrees"}
    return frozenset()


def _line(found: re.Match[str]) -> str:
    """The line of a script that has the word, at most 80 characters."""
    begin = found.string.rfind("\n", 0, found.start()) + 1
    return found.string[begin:].partition("\n")[0].strip()[:80]
