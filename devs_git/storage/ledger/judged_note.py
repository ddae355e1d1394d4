"""The note of the newest judged tips of the ledger, and beside it `shorten` and `moments-on`, which follow the policy there.

The file `shorten` is there while the policy says `recording: {shorten: true}`. The hook of an agent's client has no time
to ask git after each tool call, so it looks for this file. The file alone changes nothing: Python asks the ledger again
before it hands an output on. In the same way `moments-on` is there while the policy does not say `recording: {moments: false}`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from devs_git.domain.gates.policy import moments_wanted, shortens
from devs_git.storage.git.files import replace_file
from devs_git.values import Final

_SHORTEN: Final = "shorten"
_MOMENTS: Final = "moments-on"
# The script of the clients: without it nobody looks for these files.
_SCRIPT: Final = "agent-hook"


def write(file: Path, tips: Sequence[str], policy: Callable[[], bytes | None]) -> None:
    """Write the tips into `file`, one a line. `policy` reads its bytes at the first of them. OSError."""
    replace_file(file, "".join(f"{tip}\n" for tip in tips).encode())
    rules = policy()
    _switch(file.with_name(_SHORTEN), on=shortens(rules))
    switch_moments(file.parent, rules)


def switch_moments(shared: Path, policy: bytes | None) -> None:
    """Let the script of the clients keep moments, if it is there and the policy does not forbid it. OSError."""
    _switch(shared / _MOMENTS, on=(shared / _SCRIPT).exists() and moments_wanted(policy))


def keeps_moments(shared: Path) -> bool:
    """Whether the script of the clients keeps moments. `shared` is the folder `devs` of the common git directory."""
    return (shared / _MOMENTS).exists()


def _switch(file: Path, *, on: bool) -> None:
    if on:
        file.touch()
    else:
        file.unlink(missing_ok=True)
