"""What differs between clients: names of events, tools and fields, the files of a project, a denial, the transcript."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from devs_git.values import field, immutable

if TYPE_CHECKING:
    from devs_git.domain.clients.transcript_lines import Memory, Said

# What the hook is told instead of the client's own name of the event before a tool.
BEFORE: Final = "before"
# The name of our MCP server in a client's files.
SERVER: Final = "devs-git"
# By this every version of our line is known in a client's file.
MARK: Final = "/devs/agent-hook;"
# The line a client runs. It finds our script in the common git directory, from any folder of any worktree, with what a
# shell has built in; where it is not, nothing happens. So no project file names a place on somebody's machine.
_LINE: Final = (
    'w=$PWD; cd {start} && until [ -e .git ] || [ "$PWD" = / ]; do cd ..; done; '
    "g=.git; [ -d $g ] || read -r _ g 2>/dev/null <$g; "
    'h=${{g%/worktrees/*}}/devs/agent-hook; [ ! -r "$h" ] || {{ set -- {client} {event}; . "$h"; }}'
)


@immutable
class Fields:
    """How a client names what it tells."""

    session: str = "session_id"
    transcript: str = "transcript_path"
    folder: str = "cwd"
    event: str = "hook_event_name"
    tool: str = "tool_name"
    tool_input: str = "tool_input"
    response: str = "tool_response"
    use_id: str = "tool_use_id"
    error: str = "error"
    duration: str = "duration_ms"


def permission_denied(event: str, reason: str) -> dict[str, Any]:
    """A denial as both Claude Code and Codex read it."""
    return {
        "hookSpecificOutput": {
            "hookEventName": event,
            "permissionDecision": "deny",
            "permissionDecisionReason": reason,
        }
    }


@immutable
class Client:
    """One client. `name` is what people type, and what stands in the hook's line.

    `after` holds the events that tell what a tool printed, and whether such an event means that it failed; `session` those
    that tell of a session. A tool that is neither in `reading` nor in `shells` nor one of ours counts as writing.

    `knows` tells whether a parsed line is one of its transcripts'; `read` gives the messages of such a line. It is pure: what
    earlier lines left to know is in `Memory`. `answered` are the events of its hooks after a tool that did not fail, and
    after one that did: by them the trace of a tool's result is named.
    """

    name: str
    title: str
    hooks_file: str
    server_file: str
    before: str
    after: Mapping[str, bool]
    session: tuple[str, ...]
    reading: frozenset[str]
    shells: frozenset[str]
    knows: Callable[[Mapping[str, Any]], bool]
    read: Callable[[Mapping[str, Any], Memory], Sequence[Said]]
    answered: tuple[str, str]
    ours: tuple[str, ...] = (f"mcp__{SERVER}__",)
    # Shell: the folder from which the hook looks for the repository.
    start: str = "."
    # Whether the client runs hooks in the user's shell, which may not be a POSIX one.
    own_shell: bool = False
    fields: Fields = field(default_factory=Fields)
    denial: Callable[[str, str], dict[str, Any]] = permission_denied
    failed: Callable[[Any], bool] = lambda _response: False
    notes: tuple[str, ...] = ()

    @property
    def events(self) -> tuple[str, ...]:
        """Every event that we ask the client to tell us."""
        return (self.before, *self.after, *self.session)

    def command(self, event: str) -> str:
        """What the client is to run at `event`."""
        name = BEFORE if event == self.before else event
        line = _LINE.format(start=self.start, client=self.name, event=name)
        return f"sh -c '{line}'" if self.own_shell else line
