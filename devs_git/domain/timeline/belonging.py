"""Which events belong to a contract or to a phase although they do not name it: the catalog knows that of their tasks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from devs_git.values import immutable

if TYPE_CHECKING:
    from devs_git.domain.timeline.stream_rows import Filter


@immutable
class Share:
    """The events from `begin` to `end` (stamps, '' for no bound) of these tasks, and those that name the contract ('' for none)."""

    tasks: tuple[str, ...]
    contract: str = ""
    begin: str = ""
    end: str = ""


@immutable
class Belonging:
    """What belongs to the contract and to the phase of a filter. None: too many tasks to name them, so any event may belong."""

    to_contract: tuple[Share, ...] | None = None
    to_phase: tuple[Share, ...] | None = None

    def conditions(self, wanted: Filter) -> Iterator[tuple[str, str, tuple[Share, ...]]]:
        """The name of each field that the filter has, its value, and what belongs to it besides the events that name it."""
        if wanted.contract and self.to_contract is not None:
            yield "contract", wanted.contract, self.to_contract
        if wanted.phase and self.to_phase is not None:
            yield "phase", wanted.phase, self.to_phase
