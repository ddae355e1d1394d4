"""A fresh repository with devs-git and one client installed in it, and runs of that client."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from tests.clients import installation, network
from tests.clients.model_server import ModelServer, Request
from tests.clients.program import Place, Program, Start
from tests.clients.script import END, Reply, Turn

# A client that takes longer hangs.
SECONDS: Final = 120
# Each payload becomes a file whose name sorts by time.
_RECORDER: Final = (
    'd={folder}; t=$d/.$$; cat >"$t"; until n=$(ls "$d" | wc -l) && ln "$t" "$d/$(printf %03d "$n").json" 2>/dev/null; '
    'do :; done; rm "$t"'
)


@dataclass(frozen=True)
class Run:
    """One run of a client. `lines` is what it printed, `asked` the requests that the script answered.

    `results` is what the model was told of its calls in the end, `payloads` what the client told its hooks.
    """

    lines: Sequence[Mapping[str, Any]]
    errors: str
    asked: Sequence[Request]
    results: Sequence[str]
    payloads: Sequence[Mapping[str, Any]]

    def payloads_of(self, event: str) -> Sequence[Mapping[str, Any]]:
        """What the client told its hooks at this event."""
        return [one for one in self.payloads if one["hook_event_name"] == event]


class Workbench:
    """The repository, its user's HOME, and the model server, which ends with it.

    `folder` is empty and ours. With `joins` it is that of another workbench: a second client works in its repository.
    """

    def __init__(self, program: Program, folder: Path, *, trusted: bool = True, joins: bool = False) -> None:
        self.program, self._trusted, self._joins = program, trusted, joins
        self.home, self.top, self._recorded = folder / "home", folder / "repo", folder / "payloads"
        # Codex refuses a home below the folder for temporary files.
        temporary = folder / "tmp"
        for made in (self.home, self.top, self._recorded, temporary):
            made.mkdir(exist_ok=joins)
        self.model = ModelServer(program.api)
        plain = {
            "PATH": f"{Path(sys.executable).parent}:{installation.PROGRAMS}:{os.environ['PATH']}",
            "HOME": str(self.home),
            "TMPDIR": str(temporary),
            "SHELL": "/bin/sh",
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            **({} if network.is_closed() else network.CLOSED_PROXY),
        }
        recorder = _RECORDER.format(folder=shlex.quote(str(self._recorded)))
        place = Place(self.home, self.top, self.model.address, f"sh -c {shlex.quote(recorder)}", plain)
        self.place = replace(place, environment={**plain, **program.variables(place)})
        self._person = plain

    def __enter__(self) -> Self:
        self.model.__enter__()
        try:
            self._install()
        except BaseException:
            self.model.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.model.__exit__(kind, error, trace)

    def _install(self) -> None:
        if not self._joins:
            self._begin()
        self.devs_git("agent", "install", self.program.client)
        self.git("add", "-A")
        self.git("commit", "-qm", "begin")
        self.program.settle(self.place)
        if self._trusted:
            self.program.trust(self.place)

    def _begin(self) -> None:
        (self.home / ".gitconfig").write_text(
            "[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n"
        )
        self.git("init", "-q")
        (self.top / "a.txt").write_text("a\n")
        self.devs_git("init")

    def run(
        self,
        *turns: Turn | Reply,
        prompt: str = "Do as planned.",
        resume: str = "",
        fork: str = "",
        ends: bool = True,
        waits: bool = True,
        where: Path | None = None,
    ) -> Run:
        """Run the client; the model answers with these turns and ends. Every turn must have been asked for.

        Without `ends` the model does not end: a command of the client itself asks it nothing. Without `waits` the client's
        first request does not wait for our server. `where` is the folder, the repository's by default.
        """
        known = len(self._files())
        self.model.play((*turns, END) if ends else turns)
        done = subprocess.run(
            self.program.command(Start(prompt, resume, fork, self._trusted, waits)),
            cwd=where or self.top,
            env=self.place.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        payloads = [json.loads(file.read_text()) for file in self._files()[known:]]
        asked = tuple(self.model.asked)
        assert done.returncode == 0, (done.stdout[-2000:], done.stderr[-2000:])
        assert not self.model.remaining, (self.model.remaining, done.stdout[-2000:], done.stderr[-2000:])
        results = self.program.api.results(asked[-1].body) if asked else ()
        return Run(lines, done.stderr, asked, results, payloads)

    def _files(self) -> Sequence[Path]:
        return sorted(self._recorded.glob("*.json"))

    def git(self, *words: str) -> str:
        return self._call("git", *words)

    def devs_git(self, *words: str, text: str = "") -> str:
        """What a command prints; `text` is its standard input."""
        return self._call("devs-git", *words, text=text)

    def answer(self, *words: str) -> Any:
        """What a command of devs-git says as JSON."""
        return json.loads(self.devs_git(*words, "--json"))

    def _call(self, *command: str, text: str = "") -> str:
        # A person calls it: the client's variables are not there.
        done = subprocess.run(
            command, cwd=self.top, env=self._person, input=text, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        return done.stdout

    @property
    def spool(self) -> Sequence[Path]:
        """What our hooks wrote and no command has taken in yet."""
        return sorted(path for path in (self.top / ".git/devs/spool").glob("*") if path.is_file())
