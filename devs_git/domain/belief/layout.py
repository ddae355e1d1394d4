"""Which paths of a ledger's tree govern: the policy, and the files of gates."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from devs_git.domain.audit.ledger_shape import Change, Step
from devs_git.domain.ledger.events import IN_FORCE
from devs_git.values import immutable

ASIDE: Final = "superseded/"
# The files and folders of which the rule reads the changes.
GOVERNED: Final = (IN_FORCE, "gates", "open", "superseded")
REQUEST, DECISION, SIGNATURE = "request.yaml", "decision.yaml", "decision.yaml.sig"
_PATH: Final = re.compile(r"gates/([^/]+)/(request\.yaml|decision\.yaml(?:\.sig)?)|open/([^/]+)")


def gate_of(path: str) -> str:
    """The gate of a path, '' for none."""
    match = _PATH.fullmatch(path)
    return (match[1] or match[3]) if match else ""


def governs(path: str) -> bool:
    return path == IN_FORCE or path.startswith(("gates/", "open/"))


def paths_of(gate: str) -> tuple[str, ...]:
    """Every path of a gate."""
    return (*(f"gates/{gate}/{name}" for name in (REQUEST, DECISION, SIGNATURE)), f"open/{gate}")


def aside(blob: str, *, signature: bool = False) -> str:
    """Where a merge saves replaced content. The signature of a decision has the decision's blob in its name."""
    return f"{ASIDE}{blob}{'.sig' if signature else ''}"


@immutable
class Brought:
    """A decision that an event added: its gate, and the blobs of its two files ('' for none)."""

    gate_id: str
    decision: str
    signature: str


def first_edge(step: Step) -> Sequence[Change]:
    return step.edges[0] if step.edges else ()


def added_files(step: Step, name: str) -> Iterable[tuple[str, str]]:
    """Gates and blobs of the files with this name that an event adds to its first parent's tree."""
    return _set(step, name, over=False)


def _set(step: Step, name: str, *, over: bool = True) -> Iterable[tuple[str, str]]:
    """The same, with the files that it replaces."""
    for change in first_edge(step):
        match = _PATH.fullmatch(change.path)
        if match and match[2] == name and change.new and (over or not change.old):
            yield match[1], change.new


def decisions_of(step: Step) -> tuple[Brought, ...]:
    """The decisions that an event with one parent adds. Those of a merge were added by earlier events."""
    if len(step.event.parents) != 1 or not first_edge(step):
        return ()
    # A signature may replace one that somebody added before the decision.
    signatures = dict(_set(step, SIGNATURE))
    return tuple(Brought(gate, blob, signatures.get(gate, "")) for gate, blob in added_files(step, DECISION))
