"""rewind, undo, drop, restore and checkout as text for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from devs_git.domain.text.plain_text import printable
from devs_git.entrypoints.cli.texts import plan_lines
from devs_git.entrypoints.cli.texts.render import blocked_lines, path, plural

if TYPE_CHECKING:
    from devs_git.commands import checkout, drop, restore, rewind, undo

# Ways to save a state that people find by a name of its own. The others have only the backup.
_NAMED: Final = ("branch", "stash")


def rewind_plan_text(plan: rewind.Plan) -> str:
    """The plan of a rewind: what it changes, what it does not change, and what blocks it."""
    lines = [
        f"Rewind to {plan.target} ({plan.would_reset_to_commit[:12]})",
        f"  takes back      {plural(plan.commits, 'commit')}, {plan_lines.count(plan)}",
        *plan_lines.files(plan),
        f"  undoes          {plan_lines.undone(plan.undone)}",
        f"  saves           {_saved_as(plan.preserve)}",
    ]
    lines += [f"  not undone      {line}" for line in plan_lines.stay_lines(plan)]
    lines += [f"  elsewhere       {line}" for line in plan_lines.elsewhere(plan.still_on)]
    lines += _removed_in_plan(plan)
    rest = plan.not_covered
    if rest["ignored_count"]:
        lines.append(
            f"  does not touch  {plural(rest['ignored_count'], 'ignored path')}, such as {path(rest['ignored'][0])}"
        )
    lines += [f"  does not touch  nested repository {path(name)}" for name in rest["nested_repositories"]]
    lines += [f"  does not touch  submodule {path(name)}" for name in rest["submodules"]]
    if plan.now_visible:
        shown = ", ".join(map(path, plan.now_visible[:5]))
        lines.append(
            f"  makes visible   {plural(len(plan.now_visible), 'file')} that git ignores now: {shown}"
        )
    lines += [f"  does not have   {path(name)}" for name in rest.get("left_out", ())[:10]]
    lines += _refs_lines(plan, "  brings back     ", "  stays           ")
    lines += _active_task_lines(plan, plan=True)
    return "\n".join([*lines, *_unknown_files_lines(plan), *blocked_lines(plan)])


def _saved_as(mode: str) -> str:
    """Where the state before is saved. `mode`: as `--preserve`, or "none" if nobody chose one."""
    if mode in ("discard", "none"):
        return "the current state in a backup ref"
    kind = "a branch below devs/preserved/" if mode == "branch" else "a stash entry"
    return f"the current state as {kind}, and in a backup ref"


def _refs_lines(result: rewind.Plan | rewind.Result, made: str, stays: str) -> list[str]:
    """The checkpoints, branches and stash entries that come back, and the branches that have moved since."""
    lines = [f"{made}checkpoint {name}" for name in result.revived]
    lines += [f"{made}branch {name}" for name in result.made_branches]
    lines += [f"{made}stash entry {oid[:12]}" for oid in result.made_stashes]
    return lines + [
        f"{stays}branch {row['branch']} at {row['now'][:12]}; it was at {row['then'][:12]}: {row['command']}"
        for row in result.moved_branches
    ]


def _unknown_files_lines(plan: rewind.Plan | undo.Result) -> list[str]:
    """The files of which only a filter could say whether they changed. A plan does not run filters."""
    lines = []
    for name in dict.fromkeys(one.filter for one in plan.not_told):
        files = [one.path for one in plan.not_told if one.filter == name]
        lines += [
            f"  unknown         whether {plural(len(files), 'file')} changed, such as {path(files[0])}: only the filter {name!r}",
            "                  of this repository shows that, and a plan does not run it",
        ]
    return lines


def _removed_in_plan(plan: rewind.Plan) -> list[str]:
    """The untracked files that would be taken away, and why it is these."""
    lines = [f"  takes away      {line}" for line in _removed(plan)]
    if not lines:
        return []
    if plan.target.startswith("moment:"):
        return [*lines, "                  (the backup keeps them; the moment does not have them)"]
    return [
        *lines,
        "                  (the backup keeps them; a checkpoint has no record of untracked files, so these are all",
        "                  that git does not ignore)",
    ]


def _in_brackets(commit: str) -> str:
    """'' before the first commit."""
    return f" ({commit[:12]})" if commit else ""


def _head_again(commit: str) -> str:
    return f"HEAD is {commit[:12]} again" if commit else "there is no commit, as before"


def _removed(result: rewind.Plan | rewind.Result | undo.Result) -> list[str]:
    """The untracked files that are taken away, the first five by name; empty if there is none."""
    shown = ", ".join(map(path, result.removed_untracked[:5]))
    return [f"{plural(result.removed_untracked_count, 'untracked file')}: {shown}"] if shown else []


def rewind_text(result: rewind.Result) -> str:
    if not result.rewind_id:
        return f"Everything is already as in {result.rewound_to}. Nothing was changed."
    is_clean = result.preserved_as["type"] == "none"
    lines = [
        f"Rewound to {result.rewound_to}{_in_brackets(result.reset_commit)}: {plural(result.files, 'file')} changed, {plural(result.cleared_tasks, 'task')} undone.",
        ("Nothing was uncommitted, so no stash entry was made. " if is_clean else "")
        + _kept_as(result.preserved_as, result.backup),
    ]
    lines += [f"Taken away, and saved in {result.backup}: {line}" for line in _removed(result)]
    lines += [f"Not undone: {line}." for line in plan_lines.stay_lines(result)]
    lines += [f"Rewound here; {line}." for line in plan_lines.elsewhere(result.still_on)]
    if result.not_exact:
        lines.append(
            f"Not restored byte for byte, because of filters or attributes: {', '.join(map(path, result.not_exact[:10]))}"
        )
    lines += _refs_lines(result, "Back again: ", "Not moved: ")
    return "\n".join(
        [*lines, *_active_task_lines(result), *_edited_lines(result), "To return: devs-git undo"]
    )


def _kept_as(saved: dict[str, str], backup: str) -> str:
    """Where the state before is, by the name that people look for."""
    name = f"{saved['type']} {saved['reference']}" if saved["type"] in _NAMED else f"backup {backup}"
    return f"Your previous state is saved as {name}."


def _active_task_lines(
    result: rewind.Plan | rewind.Result | undo.Result | drop.Result, *, plan: bool = False
) -> list[str]:
    """Which task is no longer active here, and which one is active again; empty if neither changes."""
    was, now = result.was_active, result.now_active
    if was == now:
        return []
    if plan:
        change = f"{now or 'none'} (until now: {was})" if was else f"{now} again"
        return [f"  active task     {change}"]
    ended = [f"{was} is no longer the active task here."] if was else []
    return [*ended, f"{now} is the active task here again."] if now else ended


def _edited_lines(
    result: rewind.Result | undo.Result | drop.Result | checkout.Result | restore.Result,
) -> list[str]:
    """The files that somebody saved during the operation; the first ten by name."""
    shown = ", ".join(map(path, result.edited[:10]))
    line = f"Edited during the operation, and not overwritten: {plural(len(result.edited), 'file')}, {shown}"
    return [line] if shown else []


def undo_plan_text(plan: undo.Plan) -> str:
    """The plan of an undo."""
    lines = [
        f"Return to the state before {plan.undone_verb} {plan.undone_operation} ({plan.commit[:12]})",
        f"  brings back     {plan_lines.undone(plan.revived)}",
        f"  undoes          {plan_lines.undone(plan.undone)}",
        f"  files           {plan_lines.count(plan)}" if plan.files else "  files           none",
        *(plan_lines.files(plan) if plan.files else ()),
    ]
    if not _is_of_messages(plan):
        lines.append(f"  saves           {_saved_as(plan.preserved_as['type'])}")
    lines += [f"  conversation    {line}" for line in _sessions(plan)]
    lines += [f"  removes         {line}" for line in _gone_with_it(plan)]
    lines += [f"  makes again     {line}" for line in _made_again(plan)]
    lines += [f"  takes away      {line}" for line in _removed(plan)]
    lines += _active_task_lines(plan, plan=True)
    lines += [f"  stays abandoned {line}" for line in _abandoned(plan)]
    return "\n".join([*lines, *_unknown_files_lines(plan), *blocked_lines(plan)])


def _abandoned(result: undo.Result) -> list[str]:
    """The tasks that were given up since the operation, each with the command that takes it up again."""
    return [f"{name}; to take it up again: devs-git task switch {name}" for name in result.abandoned]


def _sessions(result: undo.Result) -> list[str]:
    """The sessions of which messages count again, or no longer."""
    lines = [f"messages of the session {printable(one, '')} count again" for one in result.sessions_revived]
    return lines + [
        f"messages of the session {printable(one, '')} are taken back again"
        for one in result.sessions_rewound
    ]


def _gone_with_it(result: undo.Result) -> list[str]:
    """The branch and the stash entry that the undone operation left."""
    found = [f"branch {path(name)}" for name in result.removed_branches]
    return found + [f"stash entry {oid[:12]}" for oid in result.removed_stashes]


def _made_again(result: undo.Result) -> list[str]:
    """The branch and the stash entry that come back, because the operation is done again."""
    found = [f"branch {path(name)}" for name in result.made_branches]
    return found + [f"stash entry {oid[:12]}" for oid in result.made_stashes]


def _is_of_messages(result: undo.Result) -> bool:
    """Whether only messages of a conversation count again, or no longer: nothing is moved."""
    return bool(_sessions(result)) and not (result.files or result.revived or result.undone)


def undo_text(result: undo.Result) -> str:
    moved = f"{_head_again(result.commit)}, {plural(result.files, 'file')} changed"
    sessions = _sessions(result)
    if _is_of_messages(result):
        moved = "branch and files stay as they are"
    lines = [f"Undone: {result.undone_verb} {result.undone_operation}; {moved}."]
    lines += [f"Taken away, and saved in {result.backup}: {line}" for line in _removed(result)]
    if result.revived:
        lines.append(f"Counts again: {', '.join(result.revived)}")
    lines += [f"Conversation: {line}" for line in sessions]
    lines += [f"Removed, because the backup has it: {line}" for line in _gone_with_it(result)]
    lines += [f"Made again: {line}" for line in _made_again(result)]
    if not _is_of_messages(result):
        lines.append(_kept_as(result.preserved_as, result.backup))
    lines += [*_active_task_lines(result), *_edited_lines(result)]
    lines += [f"Still abandoned: {line}" for line in _abandoned(result)]
    return "\n".join([*lines, "To redo: devs-git undo"])


def drop_plan_text(plan: drop.Result) -> str:
    """The plan of a drop."""
    lines = [
        f"Drop {plan.task_id}{f' ({path(plan.title)})' if plan.title else ''}",
        f"  takes back      {plural(len(plan.dropped), 'commit')}, {plan_lines.count(plan)}",
        *plan_lines.files(plan),
        f"  undoes          {plan_lines.undone(plan.undone)}",
        f"  saves           {_saved_as('discard')}",
    ]
    lines += [f"  elsewhere       {line}" for line in plan_lines.elsewhere(plan.still_on)]
    return "\n".join([*lines, *_active_task_lines(plan, plan=True), *blocked_lines(plan)])


def drop_text(result: drop.Result) -> str:
    done = f"{plural(len(result.dropped), 'commit')} taken back, {plural(result.files['count'], 'file')} changed."
    lines = [f"Dropped {result.task_id} as commit {result.commit[:12]}: {done}"]
    lines += [f"Dropped here; {line}." for line in plan_lines.elsewhere(result.still_on)]
    return "\n".join(
        [*lines, *_active_task_lines(result), *_edited_lines(result), "To return: devs-git undo"]
    )


def checkout_text(result: checkout.Result) -> str:
    line = f"On branch {result.branch} ({result.commit_hash}); {plural(result.files, 'file')} changed."
    return "\n".join([line, *_edited_lines(result)])


def restore_text(result: restore.Result) -> str:
    if result.changes:
        return _restore_plan_text(result)
    if result.worktree:
        return _worktree_text(result)
    if not result.files:
        return f"Every file is already as in {result.restored_from}."
    into = f"as commit {result.commit[:12]}"
    if result.restored_from.startswith("moment:"):
        into = "into the working tree; nothing is committed"
    lines = [f"Restored {plural(result.files, 'file')} of {result.restored_from} {into}."]
    kept = getattr(result, "preserved_as", {})
    if kept.get("type") in _NAMED:
        lines.append(_kept_as(kept, ""))
    return "\n".join([*lines, *_edited_lines(result), "To return: devs-git undo"])


def _restore_plan_text(plan: restore.Result) -> str:
    """The plan of a restore."""
    into = "into the working tree" if plan.restored_from.startswith("moment:") else "as a new commit"
    lines = [
        f"Restore files of {plan.restored_from} {into}",
        f"  brings          {plan_lines.count(plan)}",
        *plan_lines.files(plan),
        f"  saves           {_saved_as(getattr(plan, 'preserved_as', {}).get('type', 'discard'))}",
    ]
    return "\n".join([*lines, *blocked_lines(plan)])


def _worktree_text(result: restore.Result) -> str:
    on = f"on branch {result.branch}" if result.branch else f"with a detached HEAD at {result.commit[:12]}"
    lines = [
        f"Made the worktree {path(result.worktree)} of {result.restored_from}, {on}: {plural(result.files, 'file')}."
    ]
    lines += [f"HEAD is detached, because {path(result.detached)}."] if result.detached else []
    lines += (
        [f"Then {result.under_way} was in progress. git does not know of it any more."]
        if result.under_way
        else []
    )
    lines += [f"Not in the moment: {path(name)}" for name in result.left_out[:10]]
    return "\n".join(lines)
