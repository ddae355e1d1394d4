"""Worktrees of which a moment is made, and what an agent may do to them afterwards: cases of HEAD, index and stash."""

from __future__ import annotations

import os
from pathlib import Path

from tests.support.edges_of_files import Disturb, Edge
from tests.support.rewind_cases import Case, begin

GIT: list[Edge] = []


def edge(made: Edge) -> Edge:
    GIT.append(made)
    return made


@edge
def the_attributes_change_meanwhile(case: Case) -> Disturb:
    case.commit({".gitattributes": b"*.txt text eol=crlf\n", "a.txt": b"a\r\n"})
    case.write({"a.txt": b"a\r\nb\r\n", "u.txt": b"u\n"})

    def disturb() -> None:
        case.write({".gitattributes": b"*.txt -text\n", "a.txt": b"c\n"})
        case.git("commit", "-q", "-a", "-m", "attributes")

    return disturb


@edge
def staged_over_unstaged(case: Case) -> Disturb:
    case.commit({"a": b"1\n", "b": b"1\n", "gone": b"1\n", "both": b"1\n"})
    case.write({"a": b"staged\n", "new": b"staged\n", "gone": None})
    case.git("add", "-A")
    case.write(
        {"a": b"staged and more\n", "new": b"more\n", "b": b"unstaged\n", "gone": b"untracked again\n"}
    )
    case.git("rm", "-q", "--cached", "both")

    def disturb() -> None:
        case.git("reset", "-q")
        case.write({"a": b"x\n", "new": None, "gone": None})

    return disturb


@edge
def a_staged_rename_and_a_staged_mode(case: Case) -> Disturb:
    case.commit({"old": b"content\n" * 20, "tool": b"x\n"})
    case.git("mv", "old", "renamed")
    case.git("update-index", "--chmod=+x", "tool")
    return lambda: case.git("reset", "-q", "--hard")


@edge
def the_branch_moves(case: Case) -> Disturb:
    case.commit({"a": b"1\n"})
    case.commit({"a": b"2\n", "b": b"2\n"})
    case.write({"a": b"dirty\n", "u": b"u\n"})

    def disturb() -> None:
        case.git("stash", "push", "-q", "-u")
        case.git("stash", "drop", "-q")
        case.git("reset", "-q", "--hard", "HEAD~2")
        case.commit({"c": b"other work\n"})

    return disturb


@edge
def the_commit_is_amended_and_collected(case: Case) -> Disturb:
    case.commit({"a": b"1\n"})
    case.write({"a": b"dirty\n", "s": b"s\n"})
    case.git("add", "s")

    def disturb() -> None:
        case.git("commit", "-q", "--amend", "-a", "-m", "amended")
        case.git("reset", "-q", "--hard")
        case.git("reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all")
        case.git("gc", "-q", "--prune=now")

    return disturb


@edge
def a_stash_stays_as_it_was(case: Case) -> Disturb:
    case.commit({"a": b"1\n"})
    for text in (b"first\n", b"second\n"):
        case.write({"a": text})
        case.git("stash", "push", "-q")
    case.write({"a": b"dirty\n"})
    return lambda: case.write({"a": b"x\n"})


@edge
def intent_to_add(case: Case) -> Disturb:
    case.commit({"a": b"1\n"})
    case.write({"meant": b"meant\n", "meant-empty": b"", "d/meant": b"m\n", "meant-gone": b"g\n"})
    case.git("add", "-N", ".")
    case.write({"meant-gone": None})

    def disturb() -> None:
        case.git("reset", "-q")
        case.write({"meant": b"x\n", "d/meant": None})

    return disturb


@edge
def a_submodule_is_left_alone(case: Case) -> Disturb:
    library = os.fspath(begin(case.top.parent / "library").top)
    case.git("submodule", "--quiet", "add", library, "sub")
    case.commit({"a": b"1\n"})
    case.write({"a": b"2\n", "sub/mine": b"in the submodule\n"})
    return lambda: case.write({"a": b"3\n", "u": b"u\n"})


@edge
def a_sparse_checkout(case: Case) -> Disturb:
    case.commit({"in/a": b"1\n", "out/b": b"1\n", "a": b"1\n"})
    case.git("sparse-checkout", "set", "in")
    case.write({"in/a": b"2\n", "in/new": b"n\n"})
    return lambda: case.write({"in/a": b"3\n", "in/new": None, "a": b"3\n"})


@edge
def flags_tell_git_not_to_look(case: Case) -> Disturb:
    case.commit({"assumed": b"1\n", "skipped": b"1\n", "plain": b"1\n"})
    case.git("update-index", "--assume-unchanged", "assumed")
    case.git("update-index", "--skip-worktree", "skipped")
    case.write({"assumed": b"mine\n", "skipped": b"mine, too\n"})
    return lambda: case.write({"assumed": b"x\n", "skipped": b"y\n", "plain": b"z\n"})


@edge
def head_is_detached(case: Case) -> Disturb:
    case.commit({"a": b"1\n"})
    case.git("checkout", "-q", "--detach")
    case.write({"a": b"2\n", "u": b"u\n"})
    return lambda: case.commit({"a": b"3\n", "u": None})


@edge
def nobody_has_said_who_commits(case: Case) -> Disturb:
    case.write({"a": b"1\n"})
    config = Path.home() / ".gitconfig"
    config.write_text(config.read_text().replace("[user]", "[nobody]"))
    case.git("config", "user.useConfigOnly", "true")
    return lambda: case.write({"a": b"2\n"})


@edge
def nothing_is_dirty(case: Case) -> Disturb:
    case.commit({"a": b"1\n"})
    return lambda: case.write({"a": b"2\n", "u": b"u\n"})
