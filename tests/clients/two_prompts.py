"""A session with two prompts, and the sessions that we write of it: what the client tells its model in each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from devs_git.operations.recall.open_catalog import open_catalog
from devs_git.operations.sessions import write_session
from devs_git.operations.sessions.write_session import Point, Target, WrittenSession
from devs_git.workspace import Workspace
from tests.clients.model_server import Request
from tests.clients.script import Text, Thought
from tests.clients.workbench import Run, Workbench

FIRST: Final = "Do as planned."
SECOND: Final = "Go another way."
THIRD: Final = "Go on from there."
_LONG: Final = "i=0; while [ $i -lt 200 ]; do echo number $i; i=$((i+1)); done"
# What a request tells the model, without what the client adds itself.
Reader = Callable[[Request], Sequence[Any]]


@dataclass(frozen=True)
class Story:
    """A session with two prompts. Between them, its model was told what `between` has."""

    bench: Workbench
    first: Run
    second: Run
    read: Reader

    @property
    def session(self) -> str:
        return str(self.first.payloads[0]["session_id"])

    @property
    def between(self) -> Sequence[Any]:
        return self.read(self.second.asked[0])[:-1]

    def messages(self) -> Sequence[Mapping[str, Any]]:
        return messages(self.bench, self.session)

    def end_of_first_turn(self) -> Mapping[str, Any]:
        """The last message of the first turn. Its model says one thing before."""
        texts = [one for one in self.messages() if one["role"] == "assistant" and one.get("content")]
        assert texts[1]["content"] == "All is done."
        return texts[1]

    def write(self, last: str = "") -> WrittenSession:
        return write(self.bench, self.session, Target(self.bench.top, "devs task-10@1", "main"), last=last)

    def resume(self, written: WrittenSession) -> Sequence[Any]:
        """What the client tells its model when the person resumes the session and says one more thing."""
        run = self.bench.run(prompt=THIRD, resume=written.session_id)
        (asked,) = run.asked
        assert {one["session_id"] for one in run.payloads} == {written.session_id}
        return self.read(asked)


def tell(bench: Workbench, read: Reader, *thoughts: Thought) -> Story:
    """Run the session. `thoughts`: what its model thinks before it calls two tools at once."""
    program = bench.program
    first = bench.run(
        (program.shell(_LONG),),
        (
            *thoughts,
            Text("Now two at once."),
            program.shell("echo two"),
            program.shell("echo three; exit 3"),
        ),
        (program.write(bench.top / "b.txt", "b\n"),),
        prompt=FIRST,
    )
    session = str(first.payloads[0]["session_id"])
    return Story(bench, first, bench.run((program.shell("echo four"),), prompt=SECOND, resume=session), read)


def write(
    bench: Workbench, session: str, target: Target, *, last: str = "", client: str = ""
) -> WrittenSession:
    """Write a session of the bench for a target, up to the message `last`, '' for all of it."""
    workspace = Workspace.open(bench.top)
    with open_catalog(workspace) as catalog:
        return write_session.write(workspace, catalog, Point(session, last), target, client)


def messages(bench: Workbench, session: str) -> Sequence[Mapping[str, Any]]:
    """The messages of a session, without the client's own instructions."""
    shown = bench.answer("conversation", "show", "--session", session)
    return [one for one in shown["messages"] if one["role"] != "system"]
