"""The net below a command: moments of each worktree that it may reach, with what it may destroy, before it runs.

What no moment has is told to the agent, and refused if the policy says `net: strict`.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path

from devs_git.domain.moments import dangers, ignored_choice, scripts
from devs_git.domain.moments.dangers import Danger
from devs_git.domain.moments.moment import Occasion
from devs_git.domain.moments.scripts import Script
from devs_git.domain.moments.taking import WHOLE_FOLDERS, Taking
from devs_git.domain.moments.warned import Warned
from devs_git.operations.moments.moment_maker import maker_of
from devs_git.storage.git import bounded
from devs_git.storage.git.places import Places, worktrees
from devs_git.storage.git.program import Git
from devs_git.storage.moments import make_moment, takable
from devs_git.storage.moments.make_moment import Made
from devs_git.storage.moments.seen_changes import Seen
from devs_git.storage.moments.takable import Reach
from devs_git.values import immutable, replace
from devs_git.workspace import Workspace

_CHECKED = "devs/checked-tip"
# What a client takes that removes the worktree in which it works.
_REMOVAL = Taking("", WHOLE_FOLDERS, (".",), whole=True)
# Ignored files that are read in a moment's time.
_MANY = 1000


@immutable
class _Caught:
    """The moment of one worktree, and what it does not have of what the command may take."""

    places: Places
    moment_id: str
    left: Mapping[str, int]
    others: tuple[str, ...]


def before_command(
    workspace: Workspace, occasion: Occasion, command: str, folder: str, seen: Seen | None = None
) -> Warned:
    """Make the moments before a shell command that runs in `folder`.

    The workspace is that of the worktree around the folder, `seen` what the hook saw of it. Raises what `make_moment.make`
    raises.
    """
    try:
        danger = look(command, folder)
    except Exception:  # noqa: BLE001 - a text that we cannot read must not cost the moment
        danger = Danger(unread=True)
    here = workspace.places
    others = _other_worktrees(workspace, danger, folder)
    reached = takable.find_reached(danger.takings, folder, here, (here, *others))
    caught = tuple(
        _catch(workspace, occasion, reaches, (here, *others), seen)
        if places == here
        else _catch(Workspace(places), occasion, reaches, (here, *others))
        for places, reaches in reached.items()
    )
    if danger.destroys:
        _watch(here, caught, occasion.session)
    left = {path: size for one in caught for path, size in one.left.items()}
    rest = tuple(path for one in caught for path in one.others)
    if not left and not rest:
        return Warned()
    refused = _is_strict(here.common)
    return Warned(_text(danger, left, rest, refused=refused), refused)


def before_removal(workspace: Workspace, occasion: Occasion) -> None:
    """Make a moment of each worktree, before a client removes one."""
    everyone = worktrees(workspace.store_git, workspace.places.common)
    own = (Reach(_REMOVAL, (".",)),)
    caught = tuple(
        _catch(
            Workspace(places),
            replace(occasion, kind="worktree"),
            own if places.git_dir == workspace.places.git_dir else (),
            everyone,
        )
        for places in everyone
    )
    _watch(workspace.places, caught, occasion.session)


def leave(here: Places, moment_id: str) -> None:
    """Remember the newest moment of a linked worktree in the main one, for the case that the worktree is removed."""
    from devs_git.storage.moments import loss_note
    from devs_git.storage.moments.loss_note import Watched

    watched = Watched(str(here.git_dir), str(here.top), moment_id, of=here.worktree_id)
    loss_note.unwatch(here.shared / "moments", lambda one: one.of == here.worktree_id)
    loss_note.watch_elsewhere(here.shared / "moments", [watched])


def look(command: str, folder: str) -> Danger:
    """What a command and the scripts that it names may take."""
    danger = dangers.of_command(command)
    for script in scripts.find_scripts(command):
        text = _script_text(Path(folder) / script.path)
        if text is not None:
            danger = danger.with_other(_in_its_folder(script, text))
    return danger


def _in_its_folder(script: Script, text: bytes) -> Danger:
    found = scripts.of_file(script, text[: scripts.LARGEST].decode("utf-8", "replace"))
    return replace(found, unread=len(text) > scripts.LARGEST)


def _script_text(path: Path) -> bytes | None:
    """The bytes of a regular file, one more than we look at; None for anything else."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        return None
    with os.fdopen(descriptor, "rb") as stream:
        return stream.read(scripts.LARGEST + 1)


def _other_worktrees(workspace: Workspace, danger: Danger, folder: str) -> tuple[Places, ...]:
    """The other worktrees, if the command may reach one."""
    here = workspace.places
    if not danger.destroys or not (here.common / "worktrees").is_dir():
        return ()
    inside = os.path.normpath(here.top or "") == os.path.normpath(folder) and not any(
        one.paths is None or one.kinds & takable.REMOVING or any(_leads_out(path) for path in one.paths)
        for one in danger.takings
    )
    if inside:
        return ()
    found = worktrees(workspace.store_git, here.common)
    return tuple(places for places in found if places.git_dir != here.git_dir)


def _leads_out(path: str) -> bool:
    return path.startswith(("/", "~", ".."))


def _catch(
    workspace: Workspace,
    occasion: Occasion,
    reaches: Sequence[Reach],
    all_worktrees: Sequence[Places],
    seen: Seen | None = None,
) -> _Caught:
    """Make the moment of one worktree."""
    top = workspace.top
    sizes, repositories = takable.ignored_files(workspace.git, top, reaches)
    repositories = (*repositories, *takable.submodules(workspace.git, top, reaches))
    choice = ignored_choice.choose(sizes)
    if len(choice.kept) > _MANY:
        # To read them takes seconds, and the client may not wait so long: all else is kept first.
        make_moment.make(maker_of(workspace, seen), occasion, keep_refs=True)
        seen = None
    made = make_moment.make(maker_of(workspace, seen), occasion, keep_refs=True, ignored=choice.kept)
    others = _left_out(
        made, repositories, reaches, [os.path.relpath(one.top or "", top) for one in all_worktrees]
    )
    return _Caught(workspace.places, made.moment_id, choice.left, others)


def _left_out(
    made: Made, repositories: Sequence[str], reaches: Sequence[Reach], linked: Sequence[str]
) -> tuple[str, ...]:
    """What is too large for the moment, or a repository of its own, and what the command may take. Linked worktrees have
    moments of their own.
    """
    found: dict[str, None] = {}
    for reach in reaches:
        kinds = reach.taking.kinds
        for root in reach.roots:
            below = ignored_choice.below((*made.left_out, *repositories), root)
            for path in below:
                taken = "nested" in kinds if path.endswith("/") else bool(kinds - {"refs"})
                if taken and path.rstrip("/") not in linked:
                    found[path] = None
    return tuple(found)


def _watch(here: Places, caught: Sequence[_Caught], session: str) -> None:
    # Mostly nothing is destroyed.
    from devs_git.storage.moments import loss_note
    from devs_git.storage.moments.loss_note import Watched

    watched = [
        Watched(
            str(one.places.git_dir),
            str(one.places.top),
            one.moment_id,
            (*one.others, *list(one.left)[:100]),
            session=session,
        )
        for one in caught
    ]
    loss_note.watch(here.moments, watched)
    if here.git_dir != here.common and any(one.places == here for one in caught):
        # This worktree itself may go, and then its folder goes, too.
        elsewhere = [replace(one, of=here.worktree_id) for one in watched]
        loss_note.watch_elsewhere(here.shared / "moments", elsewhere)


def _text(danger: Danger, left: Mapping[str, int], others: Sequence[str], *, refused: bool) -> str:
    what = next((one.what for one in danger.takings if not one.guess), "this command")
    names = ignored_choice.summary(left, others)
    if refused:
        return (
            f"devs-git: `{what}` was refused, because the policy says net: strict, and it may destroy what no moment holds: "
            f"{names}. Copy this to another folder first, or run a command that names only other files."
        )
    return (
        f"devs-git: `{what}` may destroy what no moment holds, so nothing brings it back: {names}. "
        "If it is needed, copy it to another folder now."
    )


def _is_strict(common: Path) -> bool:
    """What the policy says at the newest event that this clone has judged."""
    from devs_git.domain.gates.policy import net_is_strict
    from devs_git.domain.ledger.events import IN_FORCE

    git = Git(common, {"GIT_DIR": str(common), "GIT_NO_REPLACE_OBJECTS": "1"})
    try:
        tip = (common / _CHECKED).read_text("ascii").split()[0]
    except (OSError, ValueError, IndexError):
        return False
    return net_is_strict(bounded.document(git, f"{tip}:{IN_FORCE}"))
