"""init and doctor on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from devs_git.entrypoints import console
from devs_git.entrypoints.cli import terminal
from devs_git.entrypoints.cli.command import command
from devs_git.entrypoints.cli.terminal import style
from devs_git.entrypoints.cli.texts.render import fold
from devs_git.errors import EXIT_NO

if TYPE_CHECKING:
    import devs_git.commands.doctor
    import devs_git.commands.init
    from devs_git.domain.verbs import VerbRequest

_INIT: Final = "devs-git init\ndevs-git init --strict\ndevs-git init --uninstall\ndevs-git init --server --repo /srv/git/project.git"
_COLOURS: Final = {"created": "green", "updated": "green", "removed": "yellow", "skipped": "yellow"}


def _init_text(result: devs_git.commands.init.Result) -> str:
    lines = []
    for action in result.actions:
        did = style(f"{action.did:<8}", fg=_COLOURS.get(action.did))
        detail = "" if action.detail in ("", *result.advice) else f" ({action.detail})"
        lines.append(f"{did} {action.what}{detail}")
    lines.extend(fold(f"next: {advice}") for advice in result.advice)
    if result.to_delete:
        lines += [
            "To delete what stays here, in this order:",
            *(f"  {one}" for one in result.to_delete),
            _KEPT,
        ]
    return "\n".join(lines)


_KEPT: Final = (
    "git keeps the deleted objects until you run git gc --prune=now. A remote keeps what was pushed to it."
)

_NEXT: Final = (
    (
        'devs-git task start {id} --title "Parse dates"',
        "a task is a unit of work; agents and you commit for it",
    ),
    ('devs-git task complete --all -m "Dates are parsed"', "commit, and make a place to return to"),
    ("devs-git rewind task-{id}", "later: go back there; devs-git undo returns"),
)


def _after_init(result: devs_git.commands.init.Result) -> int:
    """At a terminal: show the next commands."""
    given = click.get_current_context().params
    ended = given["uninstall"] or given["server"] or given["as_json"] or not result.ledger
    if ended or not terminal.interactive():
        return 0
    from devs_git.operations.setup import free_id
    from devs_git.workspace import Workspace

    workspace = Workspace.open(Path(given["repo"]) if given["repo"] else None)
    task = free_id.first(workspace.ledger.tip())
    steps = [(words.format(id=task), why) for words, why in _NEXT]
    width = max(len(words) for words, _ in steps)
    lines = ["The next commands:", *(f"  {words:<{width}}  # {why}" for words, why in steps)]
    console.write("\n".join(lines))
    return 0


@command("init", text=_init_text, example=_INIT, exit_status=_after_init)
@click.option(
    "--uninstall",
    is_flag=True,
    help="Remove the hooks, the view and the exclude lines. Keep the ledger, the tags and the policy.",
)
@click.option(
    "--strict",
    is_flag=True,
    help="Add a git hook that checks every move of a ref: checkpoints, the ledger, and all commits while frozen.",
)
@click.option(
    "--server",
    is_flag=True,
    help="Install the hook that checks pushes into a bare repository. With --uninstall: remove it.",
)
@click.option(
    "--accept-policy",
    default="",
    metavar="OID",
    help="Accept the policy with this oid, although devs-policy.yaml has another one. For a ledger that is new to this clone.",
)
def init(*, uninstall: bool, strict: bool, server: bool, accept_policy: str) -> VerbRequest:
    """Set a repository up, or remove devs-git from it."""
    from devs_git.commands.init import Request

    return Request(uninstall, strict, server, accept_policy, terminal.interactive())


def _doctor_text(result: devs_git.commands.doctor.Result) -> str:
    lines = list(result.decided)
    if not result.findings:
        lines.append("No problems were found.")
    for finding in result.findings:
        colour = "red" if finding.severity == "error" else "yellow"
        lines.append(fold(style(f"{finding.severity}: {finding.code}: ", fg=colour) + finding.message))
        lines.append(f"  fix: {finding.fix}")
    lines += [fold(f"note: {note}") for note in result.notes]
    return "\n".join(lines)


@command(
    "doctor",
    text=_doctor_text,
    example="devs-git doctor\ndevs-git doctor --take-back",
    exit_status=lambda result: 0 if result.ok else EXIT_NO,
)
@click.option(
    "--finish",
    is_flag=True,
    help="Finish an interrupted operation. Files that were edited after it stay as they are.",
)
@click.option(
    "--take-back",
    is_flag=True,
    help="Take an interrupted operation back. Files that were edited after it stay as they are.",
)
def doctor(*, finish: bool, take_back: bool) -> VerbRequest:
    """Look for problems."""
    from devs_git.commands.doctor import Request

    return Request(finish=finish, take_back=take_back)
