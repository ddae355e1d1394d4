"""The bytes that a signature on a directive covers. Its namespace is not that of gates, so neither counts as the other."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, Final

NAMESPACE: Final = "devs-directive@v1"
_NONE: Final = "-"


def canonical(repository: str, record: Mapping[str, Any]) -> bytes:
    """The bytes for a directive's record; `repository` is the ledger's genesis. Each value is one line: the text is a digest."""
    text = hashlib.sha256(str(record["text"]).encode("utf-8", "surrogatepass")).hexdigest()
    lines = (
        ("repository", repository),
        ("directive", record["directive_id"]),
        ("task", record.get("task_id") or _NONE),
        ("created-at", record["created_at"]),
        ("text", text),
    )
    return (f"{NAMESPACE}\n" + "".join(f"{name} {value}\n" for name, value in lines)).encode()
