"""The note of the newest judged tips of the ledger, and beside it `shorten`, which follows the policy at the newest one.

The file `shorten` is there while the policy says `recording: {shorten: true}`. The hook of an agent's client has no time
to ask git after each tool call, so it looks for this file. The file alone changes nothing: Python asks the ledger again
before it hands an output on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from devs_git.domain.gates.policy import shortens
from devs_git.storage.git.files import replace_file

_SHORTEN: Final = "shorten"


def write(file: Path, tips: Sequence[str], policy: Callable[[], bytes | None]) -> None:
    """Write the tips into `file`, one a line. `policy` reads its bytes at the first of them. OSError."""
    replace_file(file, "".join(f"{tip}\n" for tip in tips).encode())
    if shortens(policy()):
        file.with_name(_SHORTEN).touch()
    else:
        file.with_name(_SHORTEN).unlink(missing_ok=True)
