"""The files that commits changed, with one git for all of them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import Final

from devs_git.domain.ledger.ids import OID_FORM
from devs_git.storage.git.program import Git
from devs_git.values import immutable

_ACTIONS: Final = {"A": "added", "C": "added", "D": "deleted", "R": "renamed"}
_COMMIT: Final = re.compile(rb"%b" % OID_FORM.encode())


@immutable
class ChangedFile:
    """`action`: added, modified, deleted or renamed; `old_path` is '' unless it was renamed."""

    path: str
    action: str
    old_path: str = ""


def changed_files(git: Git, commits: Iterable[str]) -> dict[str, tuple[ChangedFile, ...]]:
    """What each commit changed against its first parent. A commit that is missing is left out."""
    asked = list(dict.fromkeys(commits))
    there = (
        git.run("cat-file", "--batch-check=%(objectname) %(objecttype)", stdin=_lines(asked))
        if asked
        else b""
    )
    known = [line[:-7].decode() for line in there.splitlines() if line.endswith(b" commit")]
    if not known:
        return {}
    words = (
        "diff-tree",
        "--stdin",
        "-r",
        "-z",
        "-M",
        # An index keeps the answer, so it must not depend on the configuration.
        "-l1000",
        "--root",
        "--diff-merges=first-parent",
        "--name-status",
    )
    out = git.run(*words, "--no-ext-diff", "--no-textconv", stdin=_lines(known))
    return _parse(out)


def _lines(oids: Iterable[str]) -> bytes:
    return "".join(f"{oid}\n" for oid in oids).encode()


def _parse(out: bytes) -> dict[str, tuple[ChangedFile, ...]]:
    found: dict[str, list[ChangedFile]] = {}
    commit, parts = "", iter(out.split(b"\0"))
    for part in parts:
        if _COMMIT.fullmatch(part):
            commit = part.decode()
        elif part:
            letter = part[:1].decode()
            first = os.fsdecode(next(parts))
            second = os.fsdecode(next(parts)) if letter in "RC" else ""
            old = first if letter == "R" else ""
            found.setdefault(commit, []).append(
                ChangedFile(second or first, _ACTIONS.get(letter, "modified"), old)
            )
    return {oid: tuple(files) for oid, files in found.items()}
