"""sync and history-rewritten on the command line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from devs_git.domain.ledger.events import LEDGER
from devs_git.domain.ledger.ids import ARCHIVES
from devs_git.domain.text.plain_text import printable
from devs_git.entrypoints.cli import terminal
from devs_git.entrypoints.cli.command import command
from devs_git.entrypoints.cli.texts import render
from devs_git.entrypoints.console import paint

if TYPE_CHECKING:
    import devs_git.commands.history_rewritten
    from devs_git.commands.sync import MovedTag, RemovedElsewhere, Request, Result
    from devs_git.domain.ledger.merge_rules import Superseded
    from devs_git.domain.verbs import VerbRequest
    from devs_git.workspace import Workspace

_SHOWN = 3
_REFS = 10  # refs that a dry run names


def _sync_text(result: Result) -> str:
    fetched, pushed = (render.plural(len(refs), "ref") for refs in (result.fetched, result.pushed))
    changed = result.fetched or result.pushed
    head = f"fetched {fetched}, pushed {pushed}" if changed else "nothing to fetch or push"
    lines = [
        f"{result.remote}: {head}; the ledger is at {render.short(result.ledger)}",
        *_new_url_lines(result),
    ]
    if result.merged:
        lines.append(f"merged the events of both clones in {render.short(result.merged)}")
    lines += [f"renumbered: {row.task_id}@{row.before} of this clone is now {row.task_id}@{row.number}"
              for row in result.renumbered]  # fmt: skip
    lines += [
        f"replaced: {name.partition('@')[0]} was completed in {result.remote} first; your completion is now {name}"
        for name in result.outdone
    ]
    lines += [
        f"rewound: {task}, because another clone rewound it and no branch here or on a remote has its commits"
        for task in result.rewound
    ]
    lines += [f"counts again: {task}, because a branch has its commits again" for task in result.revived]
    lines += [_moved_tag_line(row) for row in result.named]
    for kept in result.kept:
        lines += _kept_lines(kept)
    for row in result.superseded:
        lines += _superseded_lines(row, result.remote)
    lines += [f"moved in {result.remote}: {ref}" for ref in result.moved]
    lines += _deleted_lines(result)
    lines += [f"not changed, because {_why_left(ref)}: {ref}" for ref in result.left]
    return "\n".join(lines)


def _why_left(ref: str) -> str:
    if ref.startswith(ARCHIVES):
        return "no event names this archive, or it has a fault (see: devs-git verify tags)"
    return "no event explains its value"


def _deleted_lines(result: Result) -> Iterator[str]:
    """After an archive, these are thousands."""
    where, (shown, more) = f"deleted in {result.remote}:", _first(result.deleted)
    yield from (f"{where} {ref}" for ref in shown)
    if more:
        yield f"{where} {render.plural(more, 'more ref')}"


def _first(refs: Sequence[str]) -> tuple[Sequence[str], int]:
    """The first ten refs, and how many more there are. Instead of `1 more`, a line may as well name the eleventh."""
    return (refs[:_REFS], len(refs) - _REFS) if len(refs) > _REFS + 1 else (refs, 0)


def _plan_text(result: Result) -> str:
    """What a sync would do: the refs that it would fetch and push, and what becomes of the ledgers and of tasks."""
    changed = result.fetched or result.pushed
    fetch, push = (render.plural(len(refs), "ref") for refs in (result.fetched, result.pushed))
    what = f"would fetch {fetch} and push {push}" if changed else "there is nothing to fetch or push"
    lines = [f"{result.remote} ({printable(result.url, '')}): {what}", *_new_url_lines(result)]
    lines += _refs_lines("fetch", result.fetched)
    if result.merged:
        lines.append("  join            one event merges the ledger here with that of the remote")
    lines += _refs_lines("push", result.pushed)
    if LEDGER in result.pushed:
        lines.append(
            f"{'':18}Everybody who can read {result.remote} can read the ledger: tasks, gates and who decided"
        )
    if result.commits:
        go = "1 commit goes" if result.commits == 1 else f"{result.commits} commits go"
        lines.append(f"{'':18}{go} along with the checkpoints: {result.remote} does not have this work yet")
    lines += [f"  renumber        {row.task_id}@{row.before} of this clone would be {row.task_id}@{row.number}"
              for row in result.renumbered]  # fmt: skip
    lines += [f"  replaced        {name.partition('@')[0]} was completed in {result.remote} first; your completion would be {name}"
              for name in result.outdone]  # fmt: skip
    lines += [f"  rewound         {task}, because another clone rewound it" for task in result.rewound]
    lines += [f"  counts again    {task}, because a branch has its commits again" for task in result.revived]
    lines += [
        f"  superseded      {row.path or row.gate_id}, because what {result.remote} has counts"
        for row in result.superseded
    ]
    return "\n".join([*lines, *(f"  not changed     {ref}, because {_why_left(ref)}" for ref in result.left)])


def _refs_lines(word: str, refs: Sequence[str]) -> Iterator[str]:
    shown, more = _first(refs)
    yield from (f"  {word:14}  {printable(ref, '')}" for ref in shown)
    if more:
        yield f"{'':18}and {render.plural(more, 'more ref')}"


def _new_url_lines(result: Result) -> Iterator[str]:
    if result.url_before:
        before = printable(result.url_before, "")
        yield paint(f"the URL of {result.remote} changed since the last sync; it was {before}", "yellow")


def _asks(workspace: Workspace, request: Request) -> bool:
    """Whether a person is asked before the push: at the first sync with a remote or its URL. An agent is never asked."""
    from devs_git.operations.sync import known_remote

    return not workspace.agent_variable and known_remote.is_new(workspace, request.remote)


def _moved_tag_line(row: MovedTag) -> str:
    name = row.tag.removeprefix("refs/tags/")
    event = render.short(row.event)
    moved = f"now points to {row.now}, by event {event}" if row.now else "was deleted here"
    return f"tag {name} {moved}; it pointed to {row.before}, which is kept"


def _kept_lines(row: RemovedElsewhere) -> Iterator[str]:
    count = len(row.checkpoints)
    names = ", ".join(row.checkpoints[:_SHOWN]) + (" …" if count > _SHOWN else "")
    event = render.short(row.event)
    yield paint(
        f"kept here: {render.plural(count, 'checkpoint')} ({names}), deleted in another clone "
        f"by event {event} of {printable(row.actor, '')}",
        "yellow",
    )
    yield f"  To delete them here, too: devs-git purge --from {event}"


def _superseded_lines(row: Superseded, remote: str) -> Iterator[str]:
    why = printable(row.why, "")
    if not row.gate_id:
        text = f"superseded: {row.path} of {remote} counts; yours is saved as {row.kept}. {why}"
        yield paint(text, "yellow")
        return
    counts = f"the decision {row.stands} by {row.reviewer} counts" if row.stands else "it is open again"
    text = (
        f"superseded: gate {row.gate_id}: {counts}; the decision {row.decision} is saved as {row.kept}. {why}"
    )
    yield paint(text, "yellow")
    if row.commit:
        revert = f"git revert {render.short(row.commit)}"
        # While the gate is open, the hooks refuse a revert.
        decide = f"approve the gate again to keep it, or reject the gate and run: {revert}"
        yield f"  no decision covers its commit any more: {revert if row.stands else decide}"


@command(
    "sync",
    text=_sync_text,
    plan=_plan_text,
    asks=_asks,
    example="devs-git sync --dry-run\ndevs-git sync\ndevs-git sync upstream --json",
    notes="At a terminal, the first sync with a remote shows what it would push, and asks. It pushes the ledger, the "
    "checkpoints with their commits, and the tags devs/task-*. It pushes none of your branches.",
)
@click.argument("remote", default="")
@click.option(
    "--accept-policy",
    default="",
    metavar="OID",
    help="Accept the policy with this oid, although devs-policy.yaml has another one. For a remote that is new to this clone.",
)
@click.option(
    "--let-stand",
    default="",
    metavar="OID",
    help="If two ledgers exclude each other, keep the one whose newest event has this oid.",
)
@click.option("--dry-run", is_flag=True, help="Only show what would be fetched, joined and pushed.")
def sync(*, remote: str, accept_policy: str, let_stand: str, dry_run: bool) -> VerbRequest:
    """Join with a remote."""
    from devs_git.commands.sync import Request

    return Request(remote, accept_policy, terminal.interactive(), let_stand, dry_run=dry_run)


def _rewritten_text(result: devs_git.commands.history_rewritten.Result) -> str:
    verb = "would move" if result.dry_run else "moved"
    lines = [f"{verb}: {render.plural(len(result.moved), 'checkpoint')}"]
    for row in result.moved:
        now = f" is now {paint(row.name, 'green')}" if row.name else ""
        lines.append(f"  {row.before}{now}: {render.short(row.old_commit)} to {render.short(row.commit)}")
    lines += [f"  not moved: {name}; the new history has no commit in its place" for name in result.emptied]
    if result.refs:
        done = "would repair" if result.dry_run else "repaired"
        lines.append(f"{done}: {render.plural(len(result.refs), 'ref')} that the rewriting had changed")
    lines += [result.reason] if result.reason else []
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
