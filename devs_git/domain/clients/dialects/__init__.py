"""The clients whose hooks we speak: one file for each, and this table of them."""

from __future__ import annotations

from typing import Final

from devs_git.domain.clients.dialects.claude import CLAUDE
from devs_git.domain.clients.dialects.codex import CODEX
from devs_git.domain.clients.dialects.dialect import Dialect

DIALECTS: Final[dict[str, Dialect]] = {dialect.name: dialect for dialect in (CLAUDE, CODEX)}
