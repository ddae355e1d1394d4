"""What the harness has to know of a client: how it is started and settled, and how its model would call a tool."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.clients.model_server import Api
from tests.clients.script import Call


@dataclass(frozen=True)
class Place:
    """Where a client runs: its user's HOME, the repository, the address of the model, and the recording hook's line.

    `environment` is that of the client's process.
    """

    home: Path
    top: Path
    address: str
    recorder: str
    environment: Mapping[str, str]


@dataclass(frozen=True)
class Start:
    """How a client is started: with what a person says, in a new session, in the one to resume, or in a fork of one.

    `trusted`: whether the client runs the project's own hooks and servers. `waits`: whether its first request waits for our
    server, if the client can be told so.
    """

    prompt: str
    resume: str = ""
    fork: str = ""
    trusted: bool = True
    waits: bool = True


class Program(ABC):
    """One client, or one way in which its models call tools."""

    name: str
    """Of the program and the way, for the test's name."""
    client: str
    """What devs-git calls the client."""
    package: str
    """On npm; its version stands in package.json."""
    version: tuple[str, ...]
    """The command that prints the version."""
    api: Api
    shell_tool: str
    """What the client's hooks call its shell."""
    before = "PreToolUse"
    """The event before a tool runs."""
    after = "PostToolUse"
    """The event after a tool that did not fail."""
    forks = True
    """Whether a run can begin with a fork of a session."""
    tells_payloads = True
    """Whether its hooks are commands that get a payload from the client itself."""

    @abstractmethod
    def variables(self, place: Place) -> Mapping[str, str]:
        """What the client needs in its environment beside that of a person's shell, which `place` has."""

    @abstractmethod
    def settle(self, place: Place) -> None:
        """Write the user's own settings, with a recording hook at each event; `agent install` was run before."""

    @abstractmethod
    def trust(self, place: Place) -> None:
        """Do what a person does once, so that the client runs the hooks of the project."""

    @abstractmethod
    def command(self, start: Start) -> Sequence[str]:
        """The command of a run without a person."""

    @abstractmethod
    def shell(self, command: str) -> Call:
        """The model runs a shell command."""

    @abstractmethod
    def write(self, file: Path, text: str) -> Call:
        """The model writes a new file with the client's own tool."""

    @abstractmethod
    def own(self, tool: str, **arguments: object) -> Call:
        """The model calls a tool of our MCP server."""

    @abstractmethod
    def transcripts(self, home: Path) -> Sequence[Path]:
        """The transcripts below the user's HOME."""
