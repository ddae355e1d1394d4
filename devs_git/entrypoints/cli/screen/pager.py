"""The pager: which program shows a long text on the terminal, chosen as git chooses it, and how it is run.

git also takes `core.pager` of the repository's own configuration. We do not: a command that reads starts no program that
the repository names.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
from typing import Final

from devs_git.storage.git.program import Git, split_z

# The scopes of the user, as `git config --show-scope` names them. `command`: `-c`, or a variable of the environment.
_USERS: Final = ("system", "global", "command")
_USUAL: Final = "less"
# As git sets them: colours as they are, no pager for what fits, and the text stays on the screen.
_SETTINGS: Final = {"LESS": "FRX", "LV": "-c"}
_YES, _NO = ("", "true", "yes", "on", "1"), ("false", "no", "off", "0")
_NOT_STARTED: Final = (126, 127)  # exit statuses of a shell


def choose(git: Git, word: str) -> str:
    """The pager's command line for the verb with this first word; '' for none."""
    named = _configured(git, word)
    own = named.get(f"pager.{word}")
    if own is not None and own.lower() in _NO:
        return ""
    chosen = os.environ.get("GIT_PAGER")
    if chosen is None and own is not None and own.lower() not in _YES:
        chosen = own
    if chosen is None:
        chosen = named.get("core.pager")
    if chosen is None:
        chosen = os.environ.get("PAGER")
    return "" if chosen in ("", "cat") else chosen or _USUAL


def _configured(git: Git, word: str) -> dict[str, str]:
    """What the user's own configuration says of the pager; a key without a value is ''."""
    pattern = rf"^(core\.pager|pager\.{re.escape(word)})$"
    out = split_z(git.run("config", "--show-scope", "-z", "--get-regexp", pattern, ok=(0, 1)))
    pairs = (
        entry.partition("\n")[::2]
        for scope, entry in zip(out[::2], out[1::2], strict=True)
        if scope in _USERS
    )
    return dict(pairs)  # the last value of a key counts


def show(command_line: str, text: bytes) -> bool:
    """Run the pager with the text until it ends; whether it could be started. That it is closed early is no error."""
    env = {**_SETTINGS, **os.environ}
    # The shell splits the user's setting into words, as git has it.
    child = subprocess.Popen(["/bin/sh", "-c", command_line], stdin=subprocess.PIPE, env=env)
    # Ctrl-C is for the pager, which goes on. Without this, we would end and leave it alone on the terminal.
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        child.communicate(text)
    finally:
        signal.signal(signal.SIGINT, before)
    return child.returncode not in _NOT_STARTED
