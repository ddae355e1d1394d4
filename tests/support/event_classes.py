"""The classes of events, found in the modules of the ledger's events."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from devs_git.domain.ledger.event_header import Content

MODULES: Final = Path(__file__).parent.parent.parent / "devs_git" / "domain" / "ledger"


def classes() -> Iterator[type[Any]]:
    """The classes of all types of events, in the modules of the ledger's events."""
    for path in sorted(MODULES.glob("event_*.py")):
        module = import_module(f"devs_git.domain.ledger.{path.stem}")
        for one in vars(module).values():
            named = isinstance(one, type) and one.__module__ == module.__name__
            if named and {"type", "fields", "of"} <= set(dir(one)) and one is not Content:
                yield one
