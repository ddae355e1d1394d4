"""Which outputs a client had cut, in a catalog that did not say so. Only a migration asks this, so the rules here never change."""

from __future__ import annotations

import re
import zlib
from contextlib import suppress
from typing import Final

# Claude Code 2.1 kept 30,000 characters, and told the size of the whole; of a failure it kept 5,000 at each end. Its
# transcript has the first 2,000 bytes below this mark.
_PREVIEW: Final = b"<persisted-output>\n"
_TOLD: Final = re.compile(rb'"persistedOutputSize": ?([0-9]{1,15})[,}]')
_FAILURE: Final = re.compile(rb"\.\.\. \[[0-9]+ characters truncated\] \.\.\.")
# Codex 0.169 put this before what it kept.
_CODEX: Final = b"Warning: truncated output (original token count: "
UNKNOWN: Final = -1


def find_size(client: str, event: str, raw: bytes, output: bytes) -> int | None:
    """The size of the whole output in bytes, -1 if the client did not tell it; None if the output was not cut.

    `raw` and `output` are the stored payload and the first part of the stored output. Damaged ones give None.
    """
    with suppress(zlib.error):
        text = zlib.decompress(output)
        if client == "codex":
            return UNKNOWN if text.startswith(_CODEX) else None
        if client != "claude":
            return None
        if event == "PostToolUseFailure":
            return UNKNOWN if _FAILURE.search(text) else None
        if told := _TOLD.search(zlib.decompress(raw)):
            return int(told[1])
        return UNKNOWN if text.startswith(_PREVIEW) else None
    return None
