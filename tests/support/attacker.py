"""Helpers for the tests of attacks: git as an attacker calls it, and what finds the attack."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from devs_git.commands import doctor, verify
from devs_git.domain.audit.findings import Finding
from devs_git.domain.ledger.events import LEDGER, Draft, Event
from devs_git.storage.ledger import gate_files
from devs_git.workspace import Workspace
from tests.support import judged
from tests.support.git_calls import attempt, git

NO_HOOKS = ("-c", "core.hooksPath=/dev/null")


def must_fail(
    code: str, *words: str, where: Path | None = None, env: Mapping[str, str] | None = None
) -> None:
    """Our hook refuses this git command, with `code`."""
    status, said = attempt(*words, where=where, env=env)
    assert status != 0, said
    assert f"devs-git: {code}: " in said, said


def commit(*options: str, message: str = "smuggled", env: Mapping[str, str] | None = None) -> str:
    """Commit without our hooks; return the oid."""
    git(*NO_HOOKS, "commit", "-q", "--allow-empty", *options, "-m", message, env=env)
    return git("rev-parse", "HEAD")


def codes_in(*parts: str, **how: Any) -> set[str]:
    """The codes of `verify`'s findings, errors and warnings. With `--judged` it finds the same."""
    request = verify.Request(parts or ("all",), **how)
    result = verify.run(Workspace.open(), request)
    if not request.judged:
        judged.compare(request, result)
    return {found.code for found in result.findings}


def findings() -> tuple[Finding, ...]:
    """The findings of `doctor`."""
    found: tuple[Finding, ...] = doctor.run(Workspace.open(), doctor.Request()).findings
    return found


def doctor_codes() -> set[str]:
    return {found.code for found in findings()}


def by_hand(*files: tuple[str, bytes | None], kind: str = "gate.resolved") -> str:
    """Write an event without our verbs; return its oid."""
    return Workspace.open().append(lambda _tip: Draft(Event(kind, "gate: approved", ()), files)).oid


def decision_files(gate_id: str, data: bytes, signature: bytes = b"") -> tuple[tuple[str, bytes | None], ...]:
    """The files of an event that decides on a gate."""
    files: list[tuple[str, bytes | None]] = [
        (gate_files.decision_path(gate_id), data),
        (gate_files.marker_path(gate_id), None),
    ]
    return (*files, (gate_files.signature_path(gate_id), signature)) if signature else tuple(files)


def on_top(
    *files: tuple[str, str | None], parent: str = LEDGER, also: str = "", message: str = "x\n\nDevs-Event: x"
) -> str:
    """A commit on top of the ledger (and of `also`), made by git alone; no ref is moved."""
    env = {"GIT_INDEX_FILE": os.fspath(Path(".git/attack").absolute())}
    git("read-tree", parent, env=env)
    for path, text in files:
        if text is None:
            git("rm", "-q", "--cached", path, env=env)
        else:
            oid = git("hash-object", "-w", "--stdin", stdin=text)
            git("update-index", "--add", "--cacheinfo", f"100644,{oid},{path}", env=env)
    tree = git("write-tree", env=env)
    second = ("-p", also) if also else ()
    return git("commit-tree", "-p", parent, *second, "-m", message, tree)
