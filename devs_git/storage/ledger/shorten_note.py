"""The note `<common git directory>/devs/shorten`: it is there while the policy of the judged ledger says `shorten: true`.

The hook of an agent's client has no time to ask git at each tool call, so it looks for this file. The file alone changes
nothing: Python asks the ledger again before it hands an output on.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from devs_git.domain.gates.policy import shortens

_NOTE: Final = "devs/shorten"


def follow(common: Path, policy: bytes | None) -> None:
    """Write or remove the note for the bytes of a policy. OSError."""
    note = common / _NOTE
    if shortens(policy):
        note.touch()
    else:
        note.unlink(missing_ok=True)
