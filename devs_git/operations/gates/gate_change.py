"""The change that an approval makes: of the policy, or of the TAS if the request proposes a text."""

from __future__ import annotations

import difflib

from devs_git.domain.gates import gate_model
from devs_git.domain.gates.gate_model import Gate
from devs_git.domain.ledger.events import IN_FORCE
from devs_git.domain.text.plain_text import printable
from devs_git.storage.ledger import policy_file
from devs_git.storage.ledger.store import Tip


def as_diff(tip: Tip, gate: Gate, before: str) -> str:
    """The change as a unified diff, with characters that command a terminal escaped; '' for none. `before`: the text of the TAS."""
    if gate.gate_type == gate_model.POLICY_CHANGE:
        in_force = (tip.read(IN_FORCE) or b"").decode("utf-8", "replace")
        old, after = map(policy_file.as_in_force, (in_force, gate.text("proposed_policy")))
        name = IN_FORCE
    elif gate.proposed_text is not None:
        old, after, name = before, gate.proposed_text, gate.text("tas_path")
    else:
        return ""
    if all(text.count("\n") == text.count("\r\n") for text in (old, after)):
        old, after = (text.replace("\r\n", "\n") for text in (old, after))
    lines = difflib.unified_diff(_lines(old), _lines(after), f"a/{name}", f"b/{name}", lineterm="")
    return "\n".join(printable(line, "\t") for line in lines)


def _lines(text: str) -> list[str]:
    """The lines, split at LF only as git does it, so that a diff also shows a change of only the line endings."""
    *lines, last = text.split("\n")
    return [*lines, last, "\\ No newline at end of file"] if last else lines
