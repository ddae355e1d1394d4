"""A temporary repository with an open gate, for `verify guard`: it tries each verb there.

It uses nothing of the caller: no configuration, no GIT_* variables, no terminal. It has no git hooks, so only the guard
of the router can refuse.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click

from devs_git.commands import gate_request, init, snapshot_create, task_complete, task_start
from devs_git.domain.verbs import VerbRequest
from devs_git.entrypoints import router
from devs_git.entrypoints.cli.main import cli
from devs_git.entrypoints.tools import calling
from devs_git.entrypoints.tools.tool import Tool
from devs_git.errors import DevsError
from devs_git.storage.git.program import Git
from devs_git.values import immutable
from devs_git.workspace import Workspace

_ENVIRONMENT: Final = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
}
_WHY: Final = "verify checks whether every verb is guarded."
# The value of an argument, by its name or by verb and name. All other arguments get _ANY, a task that exists.
_WORDS: Final = {
    "task start task_id": "12",
    "task result task_id": "11",
    "target": "task-10",
    "to_message": "m1",
    "branch_name": "other",
    "branch name": "made",
    "older_than": "0d",
    "timeout": "0",
    "purge path": "secret.env",
    "phase set phase": "plan",
    "why target": "file:1",
}
_ANY: Final = "task-10"
_NO_WORK: Final = re.compile(rb"^refs/heads/(devs/ledger|snapshot/\S+) ")  # a snapshot only saves


@immutable
class Scratch:
    """The repository at `top`; `words` are the arguments of verbs in it."""

    top: Path
    words: dict[str, str]

    def state(self) -> tuple[bytes, ...]:
        """What a gate freezes: HEAD, branches without ledger and snapshots, visible tags, index and files."""
        git = Git(self.top)
        refs = git.run("for-each-ref", "--format=%(refname) %(objectname)", "refs/heads", "refs/tags")
        work = b"".join(line for line in refs.splitlines(keepends=True) if not _NO_WORK.search(line))
        head = git.run("rev-parse", "HEAD", "--symbolic-full-name", "HEAD")
        return head, work, git.run("ls-files", "--stage"), git.run("status", "--porcelain", "-z")

    def call(self, name: str, command: click.Command) -> str:
        """Run the verb through the command line. Return the code of its refusal, '' if it ran."""
        words = [*name.split(), "--repo", os.fspath(self.top), "--json"]
        for param in command.params:
            full = f"{name} {param.name}"
            value = self.words.get(full, self.words.get(param.name or "", _ANY))
            if isinstance(param, click.Option) and (param.required or param.name in self.words):
                words += [param.opts[0], value]
            elif isinstance(param, click.Option) and param.name == "yes":
                words.append("--yes")
            elif isinstance(param, click.Argument) and (
                param.required or param.name in self.words or full in self.words
            ):
                words.append(value)
        return _answer(words)

    def use(self, tool: Tool) -> str:
        """Call an agents' tool. Return the code of its refusal, '' if it ran."""
        words = {
            one.name: f"{tool.verb_name} {one.target}"
            for one in tool.params
            if one.schema["type"] == "string"
        }
        given = {
            one.name: self.words.get(words[one.name], self.words.get(one.target, _ANY))
            for one in tool.params
            if one.name in words and (one.required or one.target in self.words)
        }
        answer = calling.call(tool.name, given, self.top)
        return str(answer.value["code"]) if answer.is_error else ""


def _answer(words: list[str]) -> str:
    """The code of the command line's refusal, or its message if it has no code of ours; '' if it ran."""
    silent = io.StringIO()
    sys.stdin = io.TextIOWrapper(io.BytesIO(b"Some text.\n"))
    with contextlib.redirect_stdout(silent), contextlib.redirect_stderr(silent):
        try:
            cli.main(args=words, prog_name="devs-git", standalone_mode=False)
        except DevsError as error:
            return error.code
        except click.ClickException as error:
            return error.format_message()
        except click.Abort:
            return "it was interrupted"
        except Exception as error:  # noqa: BLE001 - any exception is an answer here
            return type(error).__name__
    return ""


@contextlib.contextmanager
def frozen_repository() -> Iterator[Scratch]:
    """Make the repository and open a gate in it. Meanwhile this process works there, without a terminal."""
    top = Path(tempfile.mkdtemp(prefix="devs-git-")).resolve()
    here, environment, stdin = Path.cwd(), dict(os.environ), sys.stdin
    try:
        for name in [name for name in os.environ if name.startswith(("GIT_", "DEVS_GIT_"))]:
            del os.environ[name]
        os.environ.update(_ENVIRONMENT)
        os.chdir(top)
        yield Scratch(top, _WORDS | _fill(top))
    finally:
        sys.stdin = stdin
        os.chdir(here)
        os.environ.clear()
        os.environ.update(environment)
        shutil.rmtree(top, ignore_errors=True)


def _fill(top: Path) -> dict[str, str]:
    """Make a completed task, an active task, a snapshot and an open gate. Return the arguments that name them."""
    git = Git(top)
    git.run("init", "--quiet", "--initial-branch=main")
    git.run("commit", "--quiet", "--allow-empty", "--message=begin")

    def call(name: str, request: VerbRequest) -> Any:
        return router.call(name, Workspace.open(top), request)

    call("init", init.Request())
    shutil.rmtree(top / ".git" / "hooks")
    (top / "file").write_text("1\n")
    call("task start", task_start.Request("10", title="done"))
    call("task complete", task_complete.Request("10", message="done", everything=True))
    call("task start", task_start.Request("11", title="active"))
    (top / "file").write_text("2\n")
    git.run("add", "file")
    git.run("branch", "other")
    saved: snapshot_create.Result = call("snapshot create", snapshot_create.Request())
    gate: gate_request.Result = call(
        "gate request", gate_request.Request(gate_type="MANUAL", blocker_description=_WHY)
    )
    return {
        "gate_id": gate.gate_id,
        "snapshot open name": saved.branch,
    }
