"""The clients whose transcripts are read: one file for each, and this table of them."""

from __future__ import annotations

from typing import Final

from devs_git.domain.clients.transcripts.claude import CLAUDE
from devs_git.domain.clients.transcripts.codex import CODEX
from devs_git.domain.clients.transcripts.dialect import TranscriptDialect

TRANSCRIPTS: Final[dict[str, TranscriptDialect]] = {dialect.name: dialect for dialect in (CLAUDE, CODEX)}
