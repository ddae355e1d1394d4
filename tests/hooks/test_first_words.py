"""Before it knows the payload, the hook of a moment looks at the first words of a command: may it only read?"""

from __future__ import annotations

import json

import pytest

from devs_git.entrypoints.hooks.moment import _surely_writes
from tests.domain.calls.test_reading_commands import GOES_ON

pytestmark = pytest.mark.quick


def _payload(command: object, separators: tuple[str, str] = (",", ":")) -> bytes:
    said = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command}}
    return json.dumps(said, separators=separators).encode()


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")])
def test_the_hook_takes_no_command_that_only_reads_for_one_that_writes(separators: tuple[str, str]) -> None:
    """It looks at the first words alone, before it knows the payload."""
    quick = {command for command in GOES_ON if _surely_writes(_payload(command, separators))}
    assert not quick
    for command in ("make", "npm run lint", "git commit -m x", "./x -v", "uv run pytest -q", "rm -rf 'a b'"):
        assert _surely_writes(_payload(command, separators))


@pytest.mark.parametrize("command", ["", "a;b", "'ls' -l", "git -c a=b status", ["make"], "\tls", "A=1 make"])
def test_where_the_hook_cannot_tell_quickly_it_reads_the_whole_payload(command: object) -> None:
    assert not _surely_writes(_payload(command))
    assert not _surely_writes(b'{"tool_name": "Read", "tool_input": {"file_path": "x"}}')
