"""sync and history-rewritten on the command line: what came, what went, and what moved."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from devs_git.domain.text.plain_text import printable
from devs_git.entrypoints.cli import terminal
from devs_git.entrypoints.cli.command import command
from devs_git.entrypoints.cli.texts import render
from devs_git.entrypoints.cli.texts.console import paint

if TYPE_CHECKING:
    from devs_git.commands import history_rewritten as history_rewritten_verb
    from devs_git.commands.sync import Kept, Named, Result
    from devs_git.domain.ledger.ledger_merge import Superseded
    from devs_git.domain.verbs import VerbRequest

_SHOWN = 3


def _sync_text(result: Result) -> str:
    came, went = (render.plural(len(refs), "ref") for refs in (result.fetched, result.pushed))
    quiet = not (result.fetched or result.pushed)
    head = "nothing new" if quiet else f"{came} changed here, {went} there"
    lines = [f"{result.remote}: {head}; ledger {render.short(result.ledger)}"]
    if result.merged:
        lines.append(f"joined events of both clones in {render.short(result.merged)}")
    lines += [f"renumbered: {row.task_id}@{row.before} of this clone is now {row.task_id}@{row.number}"
              for row in result.renumbered]  # fmt: skip
    lines += [
        f"outdone: {name.partition('@')[0]} was completed in {result.remote} first; yours is {name}"
        for name in result.outdone
    ]
    lines += [
        f"{task} was rewound in another clone, and no branch here or on a remote has it any more"
        for task in result.rewound
    ]
    lines += [f"{task} is live again: a branch has its commits again" for task in result.revived]
    lines += [_moved_tag_line(row) for row in result.named]
    for kept in result.kept:
        lines += _kept_lines(kept)
    for row in result.superseded:
        lines += _superseded_lines(row, result.remote)
    lines += [f"moved there: {ref}" for ref in result.moved]
    lines += [f"deleted there: {ref}" for ref in result.deleted]
    lines += [f"left alone, no event explains what it holds: {ref}" for ref in result.left]
    return "\n".join(lines)


def _moved_tag_line(row: Named) -> str:
    name = row.tag.removeprefix("refs/tags/")
    now = f"names {row.now} here, as event {render.short(row.event)} says" if row.now else "is gone here"
    return f"{name} {now}; it named {row.before}, which stays"


def _kept_lines(row: Kept) -> Iterator[str]:
    count = len(row.checkpoints)
    names = ", ".join(row.checkpoints[:_SHOWN]) + (" …" if count > _SHOWN else "")
    event = render.short(row.event)
    yield paint(
        f"still kept here: {render.plural(count, 'checkpoint')} ({names}) that another clone keeps no more "
        f"since event {event} by {printable(row.actor, '')}",
        "yellow",
    )
    yield f"  If that is right, take them out here, too: devs-git purge --from {event}"


def _superseded_lines(row: Superseded, remote: str) -> Iterator[str]:
    why = printable(row.why, "")
    if not row.gate_id:
        text = f"superseded: {row.path} of {remote} stands; the other is kept as {row.kept}. {why}"
        yield paint(text, "yellow")
        return
    stands = f"{row.stands} by {row.reviewer} stands" if row.stands else "it is open again"
    text = (
        f"superseded: gate {row.gate_id}: {stands}; the decision {row.decision} is kept as {row.kept}. {why}"
    )
    yield paint(text, "yellow")
    if row.commit:
        way = f"git revert {render.short(row.commit)}"
        # While the gate is open again, git itself refuses that.
        again = f"approve the gate again and its text stays, or reject it and: {way}"
        yield f"  its commit is covered no more: {way if row.stands else again}"


@command("sync", text=_sync_text, example="devs-git sync\ndevs-git sync upstream --json")
@click.argument("remote", default="")
@click.option(
    "--accept-policy",
    default="",
    metavar="OID",
    help="Accept this policy of a remote that this clone never saw, although devs-policy.yaml has another policy.",
)
@click.option(
    "--let-stand",
    default="",
    metavar="OID",
    help="If two ledgers exclude each other, keep the one with this tip.",
)
def sync(*, remote: str, accept_policy: str, let_stand: str) -> VerbRequest:
    """Join with a remote."""
    from devs_git.commands.sync import Request

    return Request(remote, accept_policy, terminal.interactive(), let_stand)


def _rewritten_text(result: history_rewritten_verb.Result) -> str:
    verb = "would move" if result.dry_run else "moved"
    lines = [f"{verb}: {render.plural(len(result.moved), 'checkpoint')}"]
    for row in result.moved:
        now = f" is now {paint(row.name, 'green')}" if row.name else ""
        lines.append(f"  {row.before}{now}: {render.short(row.old_commit)} to {render.short(row.commit)}")
    lines += [f"  {name}: the new history has nothing of its commit" for name in result.emptied]
    if result.refs:
        done = "would be put right" if result.dry_run else "put right"
        lines.append(f"{done}: {render.plural(len(result.refs), 'ref')} that the rewriting had changed")
    return "\n".join([*lines, *render.blocked_lines(result)])


@command(
    "history-rewritten",
    text=_rewritten_text,
    plan=_rewritten_text,
    example="devs-git history-rewritten --map .git/filter-repo/commit-map --dry-run\n"
    "devs-git history-rewritten --map .git/filter-repo/commit-map",
)
@click.option(
    "--map",
    default="",
    metavar="FILE",
    help="The file with old and new oids. Default: compare the files of commits.",
)
@click.option("--dry-run", is_flag=True, help="Only show what would move.")
def history_rewritten(*, map: str, dry_run: bool) -> VerbRequest:  # noqa: A002 - the option's name
    """Move the checkpoints."""
    from devs_git.commands.history_rewritten import Request

    return Request(map, dry_run=dry_run)
