"""Helpers for the tests of trailers."""

from __future__ import annotations

from collections.abc import Callable

from devs_git.domain.checkpoints.commit_trailers import Work

Run = Callable[..., str]
Commit = Callable[..., int]
WORK = Work("task-10", "developer", phase="execute")


def block(tip: str, work: Work = WORK) -> str:
    return f"{work.lines()}Devs-Ledger: {tip}"


def message_of(git: Run, rev: str = "HEAD") -> str:
    return git("log", "-1", "--format=%B", rev)


def ledger_trailer(tip: str) -> str:
    return f"Devs-Ledger: {tip}"
