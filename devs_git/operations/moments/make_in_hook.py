"""Make the moment that a client's hook asks for. No problem here stops a tool or a prompt: it is noted as a gap, and told."""

from __future__ import annotations

import contextlib
from typing import Final

from devs_git.domain.clients.moment_call import MomentCall
from devs_git.domain.moments.moment import Occasion
from devs_git.errors import DevsError
from devs_git.operations.moments.moment_maker import maker_of
from devs_git.storage.git import locks, time_limit
from devs_git.storage.git.children import GitTimedOut
from devs_git.storage.git.places import Places, worktrees
from devs_git.storage.git.program import GitFailed
from devs_git.storage.moments import gaps, make_moment
from devs_git.storage.moments.gaps import Gap
from devs_git.storage.moments.maker import private_folder
from devs_git.values import replace
from devs_git.workspace import Workspace

# Seconds that a call of a tool waits.
PATIENCE: Final = 5.0
_TOO_LONG: Final = f"it took more than {PATIENCE:g} seconds"


def keep(call: MomentCall, places: Places, seconds: float) -> None:
    """Make the moment of this call, in at most `seconds`; before worktrees are removed, one of each of them, too."""
    try:
        with time_limit.within(seconds):
            make_moment.make(maker_of(Workspace(places)), call.occasion, keep_refs=call.kind == "call")
            if call.kind == "call" and call.tool in call.client.removing:
                _keep_others(places, call.occasion)
    except GitTimedOut:
        note(call, places, _TOO_LONG)
    except DevsError as error:
        note(call, places, _reason(error))
    except OSError as error:
        note(call, places, error.strerror or str(error))
    except Exception as error:  # noqa: BLE001 - a bug must not stop a tool
        note(call, places, f"this is a bug of devs-git: {type(error).__name__}: {error}")
    if call.kind == "stop":
        _pack(places)


def _pack(places: Places) -> None:
    """Pack the store of moments if it has many files. Nobody waits for a process that keeps the state at the end of a turn."""
    from devs_git.storage.moments import store_packing

    with contextlib.suppress(DevsError, GitFailed, OSError):
        store_packing.pack_if_many(Workspace(places).store_git, places.common)


def wait(call: MomentCall, places: Places, seconds: float) -> None:
    """Wait until the moment that another process makes of this worktree is made."""
    try:
        with locks.hold(private_folder(places) / "lock", wait=seconds):
            pass
    except (DevsError, OSError):
        note(call, places, _TOO_LONG)


def note(call: MomentCall, places: Places, reason: str) -> None:
    """Note that there is no moment before this call, and why."""
    now = make_moment.stamp(Workspace(places).clock())
    with contextlib.suppress(OSError):
        gaps.add(private_folder(places), Gap(now, call.kind, reason.rstrip(".")))


def _reason(error: DevsError) -> str:
    return _TOO_LONG if error.code == "BUSY" else error.message


def _keep_others(places: Places, occasion: Occasion) -> None:
    """A moment of each other worktree of the repository."""
    for other in worktrees(Workspace(places).store_git, places.common):
        if other.git_dir != places.git_dir:
            make_moment.make(maker_of(Workspace(other)), replace(occasion, kind="worktree"))
