"""The table of clients; each has a file."""

from __future__ import annotations

from typing import Final

from devs_git.domain.clients.claude import CLAUDE
from devs_git.domain.clients.client import Client
from devs_git.domain.clients.codex import CODEX
from devs_git.domain.clients.gemini import GEMINI
from devs_git.domain.clients.opencode import OPENCODE

CLIENTS: Final[dict[str, Client]] = {client.name: client for client in (CLAUDE, CODEX, GEMINI, OPENCODE)}
