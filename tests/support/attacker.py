"""Helpers for the tests of attacks: git as an attacker calls it, and what finds the attack."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from devs_git.commands import doctor, verify
from devs_git.domain.audit.findings import Finding
from devs_git.domain.ledger.events import LEDGER, Draft, Event
from devs_git.errors import DevsError
from devs_git.storage.ledger import gate_files
from devs_git.workspace import Workspace

NO_HOOKS = ("-c", "core.hooksPath=/dev/null")


def attempt(*words: str, where: Path | None = None, env: Mapping[str, str] | None = None) -> tuple[int, str]:
    """git's exit status and output."""
    done = subprocess.run(
        ["git", *words],
        cwd=where,
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def must_fail(
    code: str, *words: str, where: Path | None = None, env: Mapping[str, str] | None = None
) -> None:
    """Our hook refuses this git command, with `code`."""
    status, said = attempt(*words, where=where, env=env)
    assert status != 0, said
    assert f"devs-git: {code}: " in said, said


def run_ok(*words: str, where: Path | None = None, env: Mapping[str, str] | None = None) -> str:
    """The output of a git command, which must succeed."""
    status, said = attempt(*words, where=where, env=env)
    assert status == 0, said
    return said.strip()


def commit(*options: str, message: str = "smuggled", env: Mapping[str, str] | None = None) -> str:
    """Commit without our hooks; return the oid."""
    run_ok(*NO_HOOKS, "commit", "-q", "--allow-empty", *options, "-m", message, env=env)
    return run_ok("rev-parse", "HEAD")


def codes_in(*parts: str, **how: Any) -> set[str]:
    """The codes of `verify`'s findings, errors and warnings."""
    return {
        found.code
        for found in verify.run(Workspace.open(), verify.Request(parts or ("all",), **how)).findings
    }


def findings() -> tuple[Finding, ...]:
    """The findings of `doctor`."""
    found: tuple[Finding, ...] = doctor.run(Workspace.open(), doctor.Request()).findings
    return found


def doctor_codes() -> set[str]:
    return {found.code for found in findings()}


def refusal(run: Any) -> str:
    """The code of the refusal of a verb."""
    try:
        run()
    except DevsError as error:
        return error.code
    raise AssertionError("it was not refused")


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
    run_ok("read-tree", parent, env=env)
    for path, text in files:
        if text is None:
            run_ok("rm", "-q", "--cached", path, env=env)
        else:
            done = subprocess.run(
                ["git", "hash-object", "-w", "--stdin"],
                input=text,
                capture_output=True,
                text=True,
                check=True,
            )
            run_ok("update-index", "--add", "--cacheinfo", f"100644,{done.stdout.strip()},{path}", env=env)
    tree = run_ok("write-tree", env=env)
    second = ("-p", also) if also else ()
    return run_ok("commit-tree", "-p", parent, *second, "-m", message, tree)
