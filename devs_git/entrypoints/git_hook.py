"""The door for the installed git hooks: `python -m devs_git hook <name> [args]`, without click.

These hooks run after git has done its work and cannot refuse it: whatever goes wrong becomes one line on standard
error that says what was not recorded and what to run, and the exit status stays 0.
"""

from __future__ import annotations

import sys

from devs_git.errors import DevsError


def main(arguments: list[str]) -> int:
    """Exit status of the hook `arguments[0]`; an unknown one is ignored, so that git goes on."""
    doors = {"post-commit": _post_commit, "post-merge": _post_commit, "post-rewrite": _post_rewrite}
    name, *rest = arguments or [""]
    if name not in doors:
        return 0
    try:
        doors[name](rest)
    except DevsError as error:
        _say(f"{error.message} {error.hint}")
    except Exception as error:  # noqa: BLE001 - a bug of ours must not look like a failure of the user's git
        _say(f"this is a bug of devs-git: {type(error).__name__}: {error}. Run: devs-git checkpoint")
    return 0


def _say(text: str) -> None:
    print("devs-git: not recorded as a checkpoint:", " ".join(text.split()), file=sys.stderr)  # noqa: T201 - no click


def _post_commit(_arguments: list[str]) -> None:
    from devs_git.storage import hook_recording
    from devs_git.workspace import Workspace

    workspace = Workspace.open()
    hook_recording.committed(workspace, lambda: workspace.checkpoint_on_commit)


def _post_rewrite(arguments: list[str]) -> None:
    """Standard input: `<old> <new>` lines, one for each commit that git rewrote."""
    from devs_git.storage import hook_recording, rewriting
    from devs_git.workspace import Workspace

    cause = arguments[0] if arguments else "rebase"
    pairs = (line.split()[:2] for line in sys.stdin if len(line.split()) >= 2)
    new_of = {old: new for old, new in pairs if old != new}
    if not new_of:
        return
    workspace = Workspace.open()
    followed = rewriting.rewritten(workspace, new_of, cause)
    if cause == "amend" and followed is None:
        hook_recording.committed(workspace, lambda: workspace.checkpoint_on_commit, amended=True)
