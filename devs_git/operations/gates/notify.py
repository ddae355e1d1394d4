"""Run the policy's command when a gate opens.

The command runs in a detached shell, with the event in its environment. devs-git does not wait for it or read its status.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from devs_git.storage.git.program import REPOSITORY_VARIABLES

# The shell that we start ends at once. The command becomes a child of the system's first process, which reaps it.
_DETACHED: Final = '(trap "" HUP; exec sh -c "$1") </dev/null >/dev/null 2>&1 &'


def start(command: str, where: Path, event: str, facts: Mapping[str, str]) -> None:
    """Start `command` with `DEVS_EVENT`, `DEVS_EVENT_DATA` (JSON) and one variable for each fact (`DEVS_GATE_ID`)."""
    env = {name: value for name, value in os.environ.items() if name not in REPOSITORY_VARIABLES}
    env |= {"DEVS_EVENT": event, "DEVS_EVENT_DATA": json.dumps(dict(facts), ensure_ascii=False)}
    env |= {f"DEVS_{name.upper()}": value for name, value in facts.items()}
    subprocess.run(
        ["/bin/sh", "-c", _DETACHED, "sh", command],
        cwd=where,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        check=False,
    )
