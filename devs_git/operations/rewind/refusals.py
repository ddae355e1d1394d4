"""Why a rewind or an undo is refused, each reason with what to do. A dry run lists all; a real run raises the first."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from devs_git.domain.ledger.events import Event
from devs_git.errors import DevsError, immovable
from devs_git.operations.rewind import reach
from devs_git.storage.worktree import attributes, known_changes, missing_objects, tree_difference
from devs_git.storage.worktree.backups import State
from devs_git.storage.worktree.footprint import Footprint
from devs_git.storage.worktree.survey import Survey


def of_changes(
    found: Survey,
    plan: Footprint,
    preserve: str | None,
    known: State | None = None,
    stay: Collection[str] = (),
) -> list[DevsError]:
    """Tracked files have changes, and the request does not say how to save them.

    `known` is a state that is saved. Changes that it has, too, do not count, nor do those that `stay` as they are.
    """
    dirty = [*found.staged, *found.dirty, *found.intended, *plan.hidden]
    if dirty and preserve is None and known:
        same = known_changes.find(found, plan.hidden, known.index, known.worktree)
        dirty = [path for path in dirty if path not in same]
    dirty = [path for path in dirty if path not in stay]
    if not dirty or preserve is not None:
        return []
    return [
        immovable(
            "dirty",
            f"Tracked files have uncommitted changes, such as {dirty[0]!r} ({len(set(dirty))} in all).",
            hint="Choose how to save them: --preserve branch, --preserve stash or --preserve discard; or commit them.",
            paths=sorted(set(dirty))[:100],
        )
    ]


def of_obstacles(plan: Footprint, taken: Collection[str], untracked: str | None) -> list[DevsError]:
    """Untracked files, nested repositories and special files are where the target has files.

    `taken`: the files that the move saves and takes away, as the option `untracked` says.
    """
    found = []
    if plan.obstacles.repositories:
        first = plan.obstacles.repositories[0]
        found.append(
            immovable(
                "nested_repository",
                f"A nested repository is in the way: {first!r}.",
                hint="Move it to another place. devs-git never touches it.",
                paths=list(plan.obstacles.repositories[:100]),
            )
        )
    if plan.obstacles.special:
        first = plan.obstacles.special[0]
        found.append(
            immovable(
                "special_file",
                f"{first!r} is in the way. It is neither a file nor a link.",
                hint="Move it to another place.",
                paths=list(plan.obstacles.special[:100]),
            )
        )
    stay = [path for path in plan.obstacles.files if path not in set(taken)]
    return [*found, _untracked_in_the_way(stay, untracked)] if stay else found


def _untracked_in_the_way(stay: list[str], untracked: str | None) -> DevsError:
    if untracked == "remove":
        what = "Ignored files are in the way"
        hint = "--untracked remove does not touch ignored files. Use --untracked save, or move them to another place."
    else:
        what = "Untracked or ignored files are in the way"
        hint = "Add --untracked save to save them in the backup, or move them to another place."
    return immovable(
        "untracked_in_the_way",
        f"{what}, such as {stay[0]!r} ({len(stay)} in all).",
        hint=hint,
        paths=stay[:100],
    )


def of_ancestry(found: Survey, name: str, *, ancestor: bool, way_back: str) -> list[DevsError]:
    """HEAD does not contain the target. `way_back` says how to return to it, if that is possible."""
    if ancestor:
        return []
    if reach.is_shallow(found.git):
        return [
            immovable(
                "not_an_ancestor",
                f"{name} is not in the history of HEAD here, because this clone is shallow.",
                hint="Fetch the rest: git fetch --unshallow",
            )
        ]
    look = f"reate a branch there: devs-git branch {name} -b NAME"
    hint = f"{way_back} Or c{look}" if way_back else f"C{look}"
    return [immovable("not_an_ancestor", f"HEAD does not contain {name}.", hint=hint)]


def of_new_commits(found: Survey, was: str) -> list[DevsError]:
    """There are commits since the operation, and the request does not say how to save them."""
    return [
        immovable(
            "new_commits",
            f"There are new commits since the operation: HEAD was {was[:12]} then, and it is {found.head[:12]} now.",
            hint="Choose how to save your later work: --preserve branch, --preserve stash or --preserve discard.",
        )
    ]


def of_later_tasks(operation: Event, tasks: Sequence[str]) -> list[DevsError]:
    """`tasks` were finished after the operation that an undo without an id would undo."""
    if not tasks:
        return []
    named = ", ".join(tasks[:5]) + (f" and {len(tasks) - 5} more" if len(tasks) > 5 else "")
    text = f"The last operation, {operation.verb} {operation.op_id}, is older than {named}. Its undo would take {'it' if len(tasks) == 1 else 'them'} off the branch."
    hint = f"If you mean that, name the operation: devs-git undo {operation.op_id}. To go back before {tasks[0]}: devs-git rewind --before {tasks[0]}"
    return [immovable("later_tasks", text, hint=hint, tasks=list(tasks[:100]), operation=operation.op_id)]


def of_objects(found: Survey, plan: Footprint, target: str) -> list[DevsError]:
    """Blobs of the target are missing: git would stop in the middle of the move, or fetch them in a partial clone.

    Files that a sparse checkout leaves out are not written, so their blobs are not needed.
    """
    git = found.git
    if not any(name.endswith(".promisor") for name in attributes.settings(git)):
        needs = {path: oid for path, oid in plan.wanted.items() if found.flagged.get(path) != "S"}
        gone = missing_objects.find_missing(git, needs)
        return [missing_objects.refusal(gone)] if gone else []
    differing = tree_difference.changes(git, found.head, target)
    needed = {change.new for change in differing if change.new and found.flagged.get(change.path) != "S"}
    out = git.run("rev-list", "--objects", "--no-walk", "--missing=print", f"{target}^{{tree}}")
    lost = [
        oid for line in out.splitlines() if line.startswith(b"?") and (oid := line[1:].decode()) in needed
    ]
    if not lost:
        return []
    return [
        immovable(
            "missing_objects",
            f"This partial clone does not have {len(lost)} of the target's files.",
            hint=f"Fetch them first: git diff --stat {found.head[:12]} {target[:12]}",
        )
    ]


def can_preserve(error: DevsError) -> bool:
    """Whether a restore with `--preserve` goes on in spite of this: it saves what is in the way."""
    return error.details.get("reason") in ("dirty", "untracked_in_the_way")


def offer_preserve(error: DevsError) -> DevsError:
    """The refusal of a restore, with a hint that names `--preserve` if that helps."""
    if not can_preserve(error):
        return error
    hint = "Save them and go on: --preserve branch, --preserve stash or --preserve discard. Or commit them."
    return DevsError(error.code, error.message, hint=hint, **error.details)
