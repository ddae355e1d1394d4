"""Exceptions that no command turned into a refusal: failures of the disk, and bugs of devs-git, which go to a log file."""

from __future__ import annotations

import os

from devs_git.errors import DevsError


def as_devs_error(error: Exception) -> DevsError:
    """A failure of the disk as CONFLICT; all other exceptions as INTERNAL, with their traceback in a log file."""
    from devs_git.storage.git import failures

    return failures.refusal_of(error) or _our_bug(error)


def _our_bug(error: Exception) -> DevsError:
    import traceback
    from pathlib import Path

    from devs_git.storage.git.program import GitFailed

    log = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local/state") / "devs-git" / "errors.log"
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("a", encoding="utf-8") as stream:
            stream.write("".join(traceback.format_exception(error)) + "\n")
        hint = "The traceback is in devs-git/errors.log of your state folder ($XDG_STATE_HOME or ~/.local/state)."
        hint = f"Is the repository damaged? See: git fsck. {hint}" if isinstance(error, GitFailed) else hint
    except OSError:
        hint = "The traceback could not be written to a log file."
    message = (
        f"{error}." if isinstance(error, GitFailed) else f"This is a bug of devs-git: {type(error).__name__}."
    )
    return DevsError("INTERNAL", message, hint=hint)
