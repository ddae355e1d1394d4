"""What an agent has to know before its command runs."""

from __future__ import annotations

from devs_git.values import immutable


@immutable
class Warned:
    """`text` is for the agent, '' for nothing. `refused`: the command must not run."""

    text: str = ""
    refused: bool = False
