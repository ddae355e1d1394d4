"""How clients differ: names of events, tools and fields, project files, the form of a denial, transcripts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from devs_git.values import TYPE_CHECKING, Any, Final, field, immutable

if TYPE_CHECKING:
    from devs_git.domain.clients.transcript_lines import Memory, UnnamedMessage
    from devs_git.domain.recall.handed_on import LongOutput
    from devs_git.domain.recall.traces import Cut

# Our names of the events before a tool and before a prompt, instead of the client's.
BEFORE: Final = "before"
PROMPT: Final = "prompt"
# The fields of a tool's input that say where a command runs, if not in the client's folder.
FOLDERS: Final = ("dir_path", "directory", "workdir")
# How Claude Code and Codex name the start of a session that goes on after a compaction.
COMPACT: Final = "compact"
# The name of our MCP server in a client's files.
SERVER: Final = "devs-git"
_SERVER: Final[Mapping[str, Any]] = {"command": "devs-git", "args": ["mcp"]}
# Every version of our long line in a client's file contains this, and so does our small file.
MARK: Final = "/devs/agent-hook;"
# Our lines contain one of these: the long one, or the name of our small file.
SMALL_FILE: Final = "devs-hook"
MARKS: Final = (MARK, f"/{SMALL_FILE};")
# The line that a client runs. With built-in commands of a shell it finds our script in the common git directory, from any
# folder of any worktree. Without the script nothing happens. So no project file has a path of somebody's machine.
_FIND: Final = (
    'w=$PWD; cd {start} && until [ -e .git ] || [ "$PWD" = / ]; do cd ..; done; '
    "g=.git; [ -d $g ] || read -r _ g 2>/dev/null <$g; "
    "h=${{g%/worktrees/*}}/devs/agent-hook; "
)
_LINE: Final = _FIND + '[ ! -r "$h" ] || {{ set -- {client} {event}; . "$h"; }}'
# The short line reads our small file, which has the rest. It is tracked, so another branch may lack it: then nothing
# happens. So no event that a gate needs has this line.
_SHORT: Final = 'set -- {client} {event}; f={start}/{file}; [ ! -r "$f" ] || . "$f"'
_SMALL: Final = """\
# devs-git agent install wrote this file. The hooks of {title} for a session read it, so that their lines are short.
# It reads the script of devs-git in the git directory of this clone. Without that script it does nothing.
{find}[ ! -r "$h" ] || . "$h"
"""


@immutable
class Fields:
    """Where a client's payload has what: the names of its fields.

    `agent`: the kind of the subagent that called the tool. `agent_transcript`: the transcript of a subagent that stopped.
    """

    session: str
    transcript: str
    folder: str
    event: str
    tool: str
    tool_input: str
    response: str
    use_id: str
    error: str
    duration: str
    agent: str = ""
    agent_transcript: str = ""


def permission_denied(event: str, reason: str) -> dict[str, Any]:
    """A denial in the form of Claude Code and Codex."""
    return {
        "hookSpecificOutput": {
            "hookEventName": event,
            "permissionDecision": "deny",
            "permissionDecisionReason": reason,
        }
    }


@immutable
class Evidence:
    """What we know of a client, and from where. Each text is part of a sentence, for `agent list` and docs/agents.md.

    `tried`: what `tests/clients` runs with `version` of the real client. `documented`: what we know from the client's
    documents alone. `lacks`: what devs-git cannot do there, because the client does not offer it. `earlier`: versions that
    were tried before, and whose sessions we write.
    """

    version: str
    tried: tuple[str, ...]
    documented: tuple[str, ...]
    lacks: tuple[str, ...]
    earlier: tuple[str, ...] = ()

    def has_tried(self, version: str) -> bool:
        return version == self.version or version in self.earlier


def with_context(event: str, text: str) -> dict[str, Any]:
    """An answer that puts a text before the model, in the form of Claude Code, Codex and Gemini CLI."""
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}


def context_named(event: str, _response: Any, long: LongOutput) -> dict[str, Any]:
    """The id of a long output's trace beside the output, for clients that let nobody replace it."""
    return with_context(event, long.hint)


@immutable
class Client:
    """One client. `name` is what people type, and a word of the hook's line.

    `after`: the events with a tool's output, and whether such an event means that the tool failed. `session`: the events
    of a session, without `prompt`, the one before each prompt. A tool that is not in `reading`, `seen` or `shells` and not
    one of ours counts as writing. `seen` are tools that only read or change only the conversation, with the version of the
    client in which they were seen.

    `knows` says whether a parsed line is from one of its transcripts. `read` returns the messages of such a line; what it
    needs of earlier lines is in `Memory`. `answered` are the events after a tool that did not fail, and after one that
    did: the id of the trace of a tool's result has the event in it.

    `server_entry` is our MCP server as `server_file` names it, in the table or object `server_table`. One file may have
    hooks and servers. `plugin` is the text of `hooks_file`, if the client loads a program of ours instead of lines.
    `small_file` is a file of ours: the lines for the events of a session are short, and read it.
    `unwrap` returns a tool's output without what the client puts around it.
    `hand_on` is what the client is answered after a tool, so that its model sees a long output shortened.
    `cut` says of a payload whether the client kept only a part of its output, and what is known of the whole.
    `edits` are its tools that write one file, each with the field of the input that names it; `patches` are those that are
    given a patch, with the field that has it.
    """

    name: str
    title: str
    hooks_file: str
    server_file: str
    before: str
    prompt: str
    after: Mapping[str, bool]
    session: tuple[str, ...]
    reading: frozenset[str]
    shells: frozenset[str]
    knows: Callable[[Mapping[str, Any]], bool]
    read: Callable[[Mapping[str, Any], Memory], Sequence[UnnamedMessage]]
    answered: tuple[str, str]
    fields: Fields
    evidence: Evidence
    seen: Mapping[str, str] = field(default_factory=dict)
    # The event at which a session goes on after a compaction, with COMPACT as its source; '' for a client without it.
    compacted: str = ""
    # Tools that remove worktrees.
    removing: frozenset[str] = frozenset()
    ours: tuple[str, ...] = (f"mcp__{SERVER}__",)
    server_table: str = "mcpServers"
    server_entry: Mapping[str, Any] = _SERVER
    plugin: Callable[[Client], str] | None = None
    small_file: str = ""
    # Whether it takes the hooks file beside the common `.git`, so that of the main worktree, also in a linked one.
    main_hooks: bool = False
    # Whether it reads JSON with comments and with a comma too many.
    reads_comments: bool = False
    unwrap: Callable[[Any], Any] = lambda response: response
    # The folder from which the hook looks for the repository, in shell syntax.
    start: str = "."
    # Whether the client runs hooks in the user's shell, which may not be a POSIX one.
    own_shell: bool = False
    denial: Callable[[str, str], dict[str, Any]] = permission_denied
    # The answer that puts a text before the model, for an event before a tool or a prompt.
    tell: Callable[[str, str], dict[str, Any]] = with_context
    # Whether git, in a command of its shell, runs the hooks of the repository.
    shell_runs_hooks: bool = True
    # Whether its model sees such a text before a tool; else it is told after the tool.
    tells_before: bool = True
    hand_on: Callable[[str, Any, LongOutput], dict[str, Any] | None] = context_named
    failed: Callable[[Any], bool] = lambda _response: False
    # The event at the end of a session; '' if the client tells none.
    end: str = "SessionEnd"
    # Whether its transcripts begin with the client's own instructions.
    instructs: bool = False
    # Whether its transcripts tell how each call ended.
    tells_ends: bool = False
    cut: Callable[[Mapping[str, Any]], Cut | None] = lambda _payload: None
    edits: Mapping[str, str] = field(default_factory=dict)
    patches: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def editing(self) -> frozenset[str]:
        """The tools that write only the files that their input names."""
        return frozenset((*self.edits, *self.patches))

    @property
    def events(self) -> tuple[str, ...]:
        """Every event for which the client runs our hook."""
        told = (self.compacted,) if self.compacted else ()
        return (self.before, *self.after, self.prompt, *self.session, *told)

    def matcher(self, event: str) -> str:
        """What the event must be about, so that the client runs our hook; '' if it always does."""
        return COMPACT if event == self.compacted else ""

    @property
    def small_text(self) -> str:
        """The text of `small_file`."""
        return _SMALL.format(title=self.title, find=_FIND.format(start=self.start))

    def event_name(self, event: str) -> str:
        """Our name of an event of the client, which stands in its line."""
        return {self.before: BEFORE, self.prompt: PROMPT}.get(event, event)

    def command(self, event: str) -> str:
        """The command that the client runs at `event`."""
        name = self.event_name(event)
        if self.small_file and event in (self.prompt, *self.session, self.compacted):
            return _SHORT.format(start=self.start, file=self.small_file, client=self.name, event=name)
        line = _LINE.format(start=self.start, client=self.name, event=name)
        return f"sh -c '{line}'" if self.own_shell else line
