"""What the newest version of a client that was recorded sent and wrote: `tests/examples/clients/`."""

from __future__ import annotations

from pathlib import Path

_EXAMPLES = Path(__file__).parent.parent / "examples" / "clients"


def newest(client: str, name: str) -> Path:
    """The file `<client>.<name>.jsonl` of the newest version that has it."""
    return max((_EXAMPLES / client).glob(f"*/{client}.{name}.jsonl"), key=_version)


def _version(file: Path) -> list[int]:
    return [int(part) for part in file.parent.name.split(".")]
