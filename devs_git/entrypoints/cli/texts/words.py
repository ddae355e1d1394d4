"""The words of devs-git, a line each: `devs-git help words`, the manual page and docs/glossary.md have these lines."""

from __future__ import annotations

from typing import Final

ALL: Final = "words"
# A line of a terminal of 80 columns holds the longest.
WORDS: Final[dict[str, str]] = {
    "task": "A piece of work with an id, from its start to its completion.",
    "checkpoint": "A commit of a task that you can return to, such as task-10@2.",
    "moment": "The state of a worktree, kept between two checkpoints.",
    "snapshot": "The working tree as a commit on a branch snapshot/NAME.",
    "backup": "The state of a worktree before a rewind, drop or restore.",
    "ledger": "The branch devs/ledger, a record of all that happened.",
    "event": "One commit of the ledger: what happened, who did it and when.",
    "genesis": "The first commit of the ledger.",
    "gate": "A question to a person. Until the answer, commits are refused.",
    "TAS": "Technical Architecture Specification: changes need approval.",
    "contract": "A named line of work, to which tasks belong.",
    "phase": "Research, specify, plan, execute or review: how far work is.",
    "directive": "What a person tells the agent of a task between two turns.",
    "policy": "The settings of the repository, such as who may approve.",
    "principal": "The mail address or name of somebody in the policy.",
    "view": "The folder .devs/, in which you can read the ledger's files.",
    "trace": "The whole output of one call of a tool.",
    "conversation": "The messages of one session of an agent.",
    "client": "The program in which an agent runs, such as Claude Code.",
}


def line(word: str) -> str:
    """What a word means, after the word as we write it. It may be in any case, and a plural. '' for a word that is not in the list."""
    spelled = {one.casefold(): one for one in WORDS}
    plain = word.casefold()
    known = spelled.get(plain) or spelled.get(plain.removesuffix("s"))
    return f"{known}: {WORDS[known]}" if known else ""


def listing() -> str:
    """All words, one on a line."""
    wide = max(map(len, WORDS))
    lines = [f"{word:<{wide}}  {meaning}" for word, meaning in WORDS.items()]
    return "\n".join((*lines, "", "A command has its own help: devs-git COMMAND --help"))
