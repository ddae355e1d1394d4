"""When a client's hook has to keep a moment: the event in the terms of a moment, and whether a call may write.

The payload is read for each such call, so that nothing of traces and transcripts is loaded here.
"""

from __future__ import annotations

import json
import posixpath
from collections.abc import Mapping, Sequence

from devs_git.domain.clients.client import BEFORE, FOLDERS, PROMPT, Client
from devs_git.domain.moments.moment import WORDS, Kind, Occasion
from devs_git.values import Any, Final, immutable

# The fields with a command or a prompt.
_COMMANDS: Final = ("command", "cmd")
_PROMPT: Final = "prompt"
_RUN: Final = ("-c", "-lc")


@immutable
class MomentCall:
    """One call of the hook. `event` is ours: `before`, `prompt`, or the client's name. `tool` is '' if it is not about one.

    `folder` is where the client works, and a command begins; '' if the payload does not say it. `transcript` is the path
    that the client names, and `prompt` what the person typed, before a prompt.
    """

    client: Client
    event: str
    tool: str
    tool_input: Any
    occasion: Occasion
    folder: str = ""
    transcript: str = ""
    prompt: str = ""

    @property
    def kind(self) -> Kind:
        return self.occasion.kind

    @property
    def may_write(self) -> bool:
        """Whether anything but the tools that edit single files may write now: at a prompt the person, else the tool."""
        if self.kind in ("prompt", "stop"):
            return True
        # A prompt needs none of the tables of programs.
        from devs_git.domain.calls.tool_guard import may_run

        return not self.edits and not may_run(self.client, self.tool, self.tool_input)

    @property
    def edits(self) -> bool:
        """Whether it is a tool that writes only the files that its input names."""
        return self.tool in self.client.editing

    @property
    def command(self) -> str:
        """The text of a shell command; '' for another tool."""
        return _command(self.tool_input) if self.tool in self.client.shells else ""


def parse(client: Client, event: str, data: bytes) -> MomentCall:
    """The call with this payload, or with this file of the spool. ValueError if it is no JSON object."""
    # A file of the spool has lines of ours above the payload.
    payload = json.loads(data if data.lstrip()[:1] == b"{" else data.partition(b"\n\n")[2])
    if not isinstance(payload, dict):
        raise ValueError("the payload is not an object")  # noqa: TRY004 - one kind of unreadable
    fields = client.fields
    tool, given = _text(payload, fields.tool), payload.get(fields.tool_input)
    kind = _kind(client, event)
    said = _text(payload, _PROMPT) if kind == "prompt" else _command(given) or tool
    occasion = Occasion(
        kind=kind,
        session=_text(payload, fields.session),
        client=client.name,
        call_id=_text(payload, fields.use_id),
        words=" ".join(said[: 4 * WORDS].split())[:WORDS],
    )
    return MomentCall(
        *(client, event, tool, given, occasion, _folder(_text(payload, fields.folder), given)),
        transcript=_text(payload, fields.transcript),
        prompt=said if kind == "prompt" else "",
    )


def _folder(client: str, given: Any) -> str:
    """The folder of the client, or that of the tool's input, which may be relative to it."""
    if not isinstance(given, Mapping):
        return client
    named = (given.get(name) for name in FOLDERS)
    inner = next((name for name in named if isinstance(name, str) and name), "")
    return posixpath.join(client, inner)


def _kind(client: Client, event: str) -> Kind:
    if event in client.after:
        return "after"
    kinds: dict[str, Kind] = {BEFORE: "call", PROMPT: "prompt"}
    return kinds.get(event, "stop")


def _text(payload: Mapping[str, Any], name: str) -> str:
    """A field of the payload as text that can be stored; '' if it is missing or not text."""
    value = payload.get(name) if name else ""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def _command(given: Any) -> str:
    found = (
        next((given[name] for name in _COMMANDS if given.get(name)), "") if isinstance(given, dict) else ""
    )
    if isinstance(found, list):
        found = _joined([word for word in found if isinstance(word, str)])
    return found.encode("utf-8", "replace").decode() if isinstance(found, str) else ""


def _joined(words: Sequence[str]) -> str:
    """A command in a list, as text: of a shell with its text, the text."""
    if len(words) == 3 and words[1] in _RUN:
        return words[2]
    import shlex

    return shlex.join(words)
