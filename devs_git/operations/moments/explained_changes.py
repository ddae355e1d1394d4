"""Whether edits explain all of what changed in a file between two moments, or somebody else wrote it, too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from devs_git.domain.calls.edited_text import moved_from, text_after
from devs_git.domain.clients.client import Client
from devs_git.domain.moments.who_wrote import Edit, Look
from devs_git.errors import DevsError
from devs_git.storage.git.comparisons.tree_changes import Change, TreeEntry
from devs_git.storage.git.objects import Objects
from devs_git.values import immutable, replace

# Bytes of a file that is compared. Of a larger one it is not known.
_MOST: Final = 1 << 20
_ABSENT: Final = "000000"


@immutable
class EditInput:
    """A call of an editing tool, and the name that it gives to the file."""

    client: Client
    tool: str
    given: Any
    name: str


@immutable
class Explained:
    """Compares the moments of `looks` with the edits between them. `steps` are the changes of each look."""

    objects: Objects
    looks: Sequence[Look]
    steps: Sequence[Sequence[Change]]
    inputs: Mapping[Edit, EditInput]

    def explains(self, number: int, path: str, only: Edit | None) -> bool:
        """Whether the edits of this path before a look, one after the other, make the new text of the old one.

        `only`: whether this edit alone does.

        After the last look only edits are known, so they explain everything.
        """
        if number >= len(self.steps):
            return True
        since, at = self.looks[number - 1].at, self.looks[number].at
        done = [one for one in self.inputs if one.path == path and since < one.ended <= at]
        if only:
            done = [one for one in self.inputs if replace(one, begun=only.begun) == only]
        changes = {one.path: one for one in self.steps[number]}
        text = self._text(changes[path].old)
        for edit in sorted(done, key=lambda one: one.ended):
            call = self.inputs[edit]
            if source := moved_from(call.client, call.tool, call.given, call.name):
                text = self._text_at(source, edit, changes)
            if text is not None:
                text = text_after(call.client, call.tool, call.given, call.name, text)
        return text is not None and text == self._text(changes[path].new)

    def _text_at(self, name: str, edit: Edit, changes: Mapping[str, Change]) -> str | None:
        """The old text of the file that the same call names so."""
        call = self.inputs[edit]
        paths = [one.path for one, its in self.inputs.items() if its.given is call.given and its.name == name]
        found = next((changes[path].old for path in paths if path in changes), None)
        return self._text(found) if found else None

    def _text(self, entry: TreeEntry) -> str | None:
        """The text of a file; '' if it is absent, None if it is no text or too large."""
        if entry.mode == _ABSENT:
            return ""
        try:
            return self.objects.read(entry.oid, "blob", _MOST).decode()
        except (DevsError, UnicodeDecodeError):
            return None
