"""What Claude Code 2.1.330 told its hooks of long outputs, and the folder in which it keeps the whole ones.

The texts are computed; `tests/clients/test_client_long_outputs.py` shows that the client sends the same.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from tests.support.agent_calls import after

WHOLE: Final = "".join(f"{number}\n" for number in range(1, 30001))
SIZE: Final = len(WHOLE)
KEPT: Final = WHOLE[:30000]


def failure_of(text: str) -> str:
    """What is told of a command that printed `text` and exited with 3: of the first 30,000 characters, both ends."""
    error = f"Exit code 3\n{text[:30000]}"
    if len(error) > 10000:
        left_out = f"... [{len(error) - 10000} characters truncated] ..."
        error = f"{error[:5000]}\n\n{left_out}\n\n{error[-5000:]}"
    return error.rstrip("\n")


def saved_notice(path: Path, characters: int = SIZE) -> str:
    """What is told instead of a long answer of an MCP tool, without some of the advice."""
    return (
        f"Error: result ({characters:,} characters) exceeds maximum allowed tokens. "
        f"Output has been saved to {path}.\n"
        "Format: JSON with schema: {content: string}\n"
        "Use jq to make structured queries (find a value, filter by field).\n"
        "REQUIREMENTS FOR SUMMARIZATION/ANALYSIS/REVIEW:\n"
        f"- You MUST read the content from the file at {path} in sequential chunks until 100% of the content has been "
        "read.\n"
        "- Before producing ANY summary or analysis, you MUST explicitly describe what portion of the content you have "
        "read. ***If you did not read the entire content, you MUST explicitly state this.***\n"
    )


class Session:
    """A session's transcript, and the folder beside it. `claude` is the client's folder of the project."""

    def __init__(self, claude: Path, name: str = "11111111-2222-4333-8444-555555555555") -> None:
        self.id = name
        self.transcript = claude / f"{name}.jsonl"
        self.folder = claude / name / "tool-results"
        self.folder.mkdir(parents=True)
        self.transcript.touch()

    def keep(self, data: bytes, name: str = "bx1.txt") -> Path:
        """The client keeps a whole output."""
        path = self.folder / name
        path.write_bytes(data)
        return path

    def told(self, path: Path | str, *, size: int = SIZE, number: int = 1, **more: Any) -> dict[str, Any]:
        """The payload after a command whose output is in this file."""
        response = {
            "stdout": KEPT,
            "stderr": "",
            "interrupted": False,
            "isImage": False,
            "noOutputExpected": False,
            "persistedOutputPath": str(path),
            "persistedOutputSize": size,
        }
        known = {"session_id": self.id, "transcript_path": str(self.transcript), **more}
        return after(number, response, **known)

    def failed(self, text: str = WHOLE, number: int = 2) -> dict[str, Any]:
        """The payload after a command that printed `text` and failed."""
        payload = after(number, session_id=self.id, transcript_path=str(self.transcript))
        del payload["tool_response"]
        return {**payload, "hook_event_name": "PostToolUseFailure", "error": failure_of(text)}
