"""Make the moment that a client's hook asks for. No problem here stops a tool or a prompt: it is noted as a gap, and told."""

from __future__ import annotations

import contextlib
import os
import posixpath
from collections.abc import Callable, Mapping

from devs_git.domain.clients.moment_call import MomentCall
from devs_git.domain.moments.warned import Warned
from devs_git.domain.text.times import stamp
from devs_git.errors import DevsError
from devs_git.operations.moments.moment_maker import maker_of
from devs_git.storage.git import children
from devs_git.storage.git.children import GitTimedOut
from devs_git.storage.git.places import Places
from devs_git.storage.git.program import GitFailed
from devs_git.storage.moments import keep_moment, last_moment, make_moment
from devs_git.storage.moments.seen_changes import Seen
from devs_git.values import Final, replace
from devs_git.workspace import Workspace, system_clock

# Seconds that a call of a tool waits.
PATIENCE: Final = 5.0
# What every shell reads as it stands, with spaces between the words.
_PLAIN: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+=,- ")
# Files from which a program reads its commands, by a part of its name.
_READ_BY: Final[Mapping[str, tuple[str, ...]]] = {
    "make": ("GNUmakefile", "makefile", "Makefile"),
    "npm": ("package.json",),
    "yarn": ("package.json",),
    "bun": ("package.json",),
}
_TOO_LONG: Final = f"it took more than {PATIENCE:g} seconds"


def keep(
    call: MomentCall,
    places: Places,
    seconds: float,
    seen: Seen | None = None,
    say: Callable[[Warned], None] = lambda _: None,
) -> Warned:
    """Make the moment of this call, in at most `seconds`; before worktrees are removed, one of each of them, too.

    `seen`: what the hook saw. What the agent has to know before the command runs is returned. `say` gets it before that, as
    soon as the command may run, or the prompt may go on. What the last command destroyed is noted.
    """
    warned = Warned()
    try:
        with children.within(seconds):
            workspace, before = Workspace(places), last_moment.read(places)
            warned = _make(call, workspace, seen, say)
            if call.kind in ("call", "prompt"):
                say(warned)
            _note_loss(call, workspace, before.id)
            if call.kind == "after" and not call.client.shell_runs_hooks:
                _record_commit(workspace, before.head)
    except GitTimedOut:
        note(call, places, _TOO_LONG)
    except DevsError as error:
        note(call, places, _reason(error))
    except OSError as error:
        note(call, places, error.strerror or str(error))
    except Exception as error:  # noqa: BLE001 - a bug must not stop a tool
        note(call, places, f"this is a bug of devs-git: {type(error).__name__}: {error}")
    if call.kind == "stop":
        _leave(call, places)
    say(warned)
    if seen:
        # Nobody waits any more, for the disk neither.
        keep_moment.sync(places, stamp(system_clock()))
    if call.kind == "stop":
        _pack(places)
    return warned


def _record_commit(workspace: Workspace, before: str) -> None:
    """Make a commit of the command a checkpoint, as a hook of git does elsewhere."""
    from devs_git.operations.checkpoint import record_in_hook
    from devs_git.operations.recall import ingest_in_hook

    # It fails as the hook of git does: the commit stays noted as unrecorded, and `status` says so.
    with contextlib.suppress(Exception):
        record_in_hook.record_unseen(
            workspace, before, lambda task_id: ingest_in_hook.read_new_messages(workspace, task_id)
        )


def _leave(call: MomentCall, places: Places) -> None:
    """At the end of a session a client may remove its worktree: then the main worktree knows what was in it."""
    if call.event == call.client.end and places.git_dir != places.common:
        from devs_git.operations.moments import net

        with contextlib.suppress(OSError):
            net.leave(places, last_moment.read(places).id)


def _make(call: MomentCall, workspace: Workspace, seen: Seen | None, say: Callable[[Warned], None]) -> Warned:
    if call.kind != "call":
        maker = maker_of(workspace, seen)
        if call.kind == "prompt":
            # All files are read. The next call that may write waits until the moment is stored.
            maker = replace(maker, step=lambda name: say(Warned()) if name == "store" else None)
        # With the refs, the state that a call left is all that the next call needs.
        make_moment.make(maker, call.occasion, keep_refs=call.kind == "after")
        return Warned()
    folder = call.folder or str(workspace.top)
    if call.command and not (seen and not seen.may_destroy and _names_no_file(call.command, folder)):
        # To load what knows of commands takes time.
        from devs_git.operations.moments import net

        return net.before_command(workspace, call.occasion, call.command, folder, seen)
    make_moment.make(maker_of(workspace, seen), call.occasion, keep_refs=True)
    if call.tool in call.client.removing:
        from devs_git.operations.moments import net

        net.before_removal(workspace, call.occasion)
    return Warned()


def _names_no_file(command: str, folder: str) -> bool:
    """Whether a command is plain words, and none of them is, or has in it, the name of something that is in the folder."""
    if not _PLAIN.issuperset(command):
        return False
    words = command.split()
    names = [word.partition("=")[2] for word in words] + [word[2:] for word in words if word.startswith("-")]
    names += [word.partition("?")[0].rpartition("/")[2] for word in words if "://" in word]
    # As the hook does it for the client's folder, which may be another one.
    names += [name for part, of_part in _READ_BY.items() if part in command for name in of_part]
    return not any(os.path.lexists(posixpath.join(folder, name)) for name in (*words, *names) if name)


def _pack(places: Places) -> None:
    """Pack the store of moments if it has many files. Nobody waits for a process that keeps the state at the end of a turn."""
    from devs_git.storage.moments import store_packing

    with contextlib.suppress(DevsError, GitFailed, OSError):
        store_packing.pack_if_many(Workspace(places).store_git, places.common)


def _note_loss(call: MomentCall, workspace: Workspace, previous: str) -> None:
    """Note what is gone. The moment is made, so whatever fails here is no gap.

    A client that was killed tells no end of its command. Then the session's next prompt shows that the command ended.
    """
    from devs_git.storage.moments import loss_note

    current, ended = last_moment.read(workspace.places).id, call.kind != "call"
    session = "" if call.kind == "after" else call.occasion.session
    watches = ended and loss_note.watches(workspace.places.moments, session)
    if not watches and (call.kind not in ("call", "after") or previous == current):
        return
    from devs_git.operations.moments import net_loss

    # Git may need too long, and a moment may be pruned meanwhile.
    with contextlib.suppress(Exception):
        net_loss.compare(workspace, call.occasion, previous, current, ended=ended)


def tell(call: MomentCall, places: Places) -> tuple[str, ...]:
    """What this session has to know of work that is gone: it is told once."""
    from devs_git.operations.moments import net_loss

    # A prompt never fails because of it.
    with contextlib.suppress(Exception):
        return net_loss.tell(Workspace(places), call.occasion.session)
    return ()


def wait(call: MomentCall, places: Places, seconds: float) -> None:
    """Wait until the moment that another process makes of this worktree is made."""
    from devs_git.storage.git import locks

    try:
        with locks.hold(places.moments / "lock", wait=seconds):
            pass
    except (DevsError, OSError):
        note(call, places, _TOO_LONG)


def note(call: MomentCall, places: Places, reason: str) -> None:
    """Note that there is no moment before this call, and why."""
    from devs_git.storage.moments import gaps
    from devs_git.storage.moments.gaps import Gap

    now = stamp(Workspace(places).clock())
    with contextlib.suppress(OSError):
        gaps.add(places.moments, Gap(now, call.kind, reason.rstrip(".")))


def _reason(error: DevsError) -> str:
    return _TOO_LONG if error.code == "BUSY" else error.message
