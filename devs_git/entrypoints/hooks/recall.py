"""Tell the model after a compaction what it works on: `hook recall <client> <event> <common git directory> <git directory> <worktree>`.

Standard input is the client's payload. The answer goes to standard output in the client's JSON. After any error the session
goes on without it.
"""

from __future__ import annotations

import contextlib
import json
import sys

from devs_git.domain.clients.client import COMPACT
from devs_git.domain.text import limits
from devs_git.storage.git import bounded


def main(arguments: list[str]) -> int:
    """Return 0. A session that did not begin with a compaction is told nothing."""
    data = bounded.read(sys.stdin.buffer, limits.PAYLOAD, "payload")
    with contextlib.suppress(Exception):
        if json.loads(data).get("source") == COMPACT:
            from devs_git.entrypoints.hooks import moment_answer
            from devs_git.operations.directives import recall_task

            call, places = moment_answer.call_of(arguments, data)
            text = recall_task.tell(call, places)
            if text:
                sys.stdout.write(json.dumps(call.client.tell(call.event, text), ensure_ascii=False) + "\n")
                sys.stdout.flush()
    return 0
