"""Make rows of events, of the files that tasks changed, and of messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from devs_git.domain.ledger import event_names
from devs_git.domain.ledger.event_names import agent_of, contract_of, data_of
from devs_git.domain.ledger.events import Event
from devs_git.domain.timeline import kinds
from devs_git.domain.timeline.stream_rows import Filter, Row, said_in, subject_of
from devs_git.storage.catalog import message_stream, steering
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.catalog.message_stream import RecordedMessage
from devs_git.storage.git.commit_files import ChangedFile
from devs_git.values import replace

if TYPE_CHECKING:
    from devs_git.domain.timeline.belonging import Belonging

Files = Mapping[str, tuple[ChangedFile, ...]]


class RowMaker:
    """Rows that a filter wants. What the catalog says of a task's contract is remembered as long as this exists."""

    def __init__(self, catalog: Catalog, wanted: Filter) -> None:
        self.catalog, self.wanted = catalog, wanted
        self._contracts: dict[str, str] = {}

    @property
    def messages(self) -> message_stream.MessageFilter | None:
        """Which messages may be wanted; None for no message."""
        wanted = self.wanted
        if not wanted.has_type(kinds.CHAT):
            return None
        return message_stream.MessageFilter(
            wanted.task_id, wanted.contract, wanted.phase, wanted.agent, wanted.since, wanted.until
        )

    def find_belonging(self) -> Belonging | None:
        """What belongs to the wanted contract and phase by what the catalog says; None if neither is asked for."""
        if not (self.wanted.contract or self.wanted.phase):
            return None
        return steering.find_belonging(self.catalog, self.wanted.contract, self.wanted.phase)

    def may_want(self, event: Event) -> bool:
        """Whether the event, or a file of its commit, may be wanted: the contract and the phase are not looked up yet."""
        wanted = self.wanted
        kind = event_names.kind_of(event)[0]
        return (
            (wanted.has_type(kind) or (wanted.wants_files and event.effects.records))
            and (not wanted.task_id or wanted.task_id in event.tasks)
            and wanted.agent in ("", agent_of(event))
        )

    def of_event(self, event: Event, files: Files) -> Iterator[tuple[int, Row]]:
        """The wanted rows of an event and of its files, each with its position among all of them."""
        contract = self._contract(event)
        if self.wanted.contract and self.wanted.contract not in (contract, *map(self._of_task, event.tasks)):
            return
        phase = event.phase or steering.phase_at(self.catalog, event.task, contract, event.finished)
        if self.wanted.phase not in ("", phase):
            return
        kind, subtype = event_names.kind_of(event)
        row = Row(
            id=event.oid,
            actor=event.actor,
            contract=contract,
            task_id=event.task,
            event_type=kind,
            event_subtype=subtype,
            phase=phase,
            subject=event.subject,
            event_data=data_of(event),
            created_at=event.finished,
        )
        rows = (row, *(_of_file(row, event, file) for file in files.get(event.oid, ())))
        yield from ((at, one) for at, one in enumerate(rows) if self.wanted.takes(one))

    def of_message(self, said: RecordedMessage) -> Row | None:
        """The row of a message; None if it is not wanted."""
        data = said_in(said.message)
        data |= {
            "session_id": said.session_id,
            "client": said.client,
            "rewound": said.rewound,
            "recorded_at": said.recorded_at,
        }
        row = Row(
            id=f"message-{said.number}",
            actor=f"{said.client} {said.session_id}".strip(),
            contract=said.contract,
            task_id=said.task_id,
            event_type=kinds.CHAT,
            event_subtype=kinds.MESSAGE,
            phase=said.phase,
            subject=subject_of(said.message),
            event_data=data,
            created_at=said.created_at,
        )
        return row if self.wanted.takes(row) else None

    def _contract(self, event: Event) -> str:
        return contract_of(event) or self._of_task(event.task)

    def _of_task(self, task_id: str) -> str:
        if task_id and task_id not in self._contracts:
            self._contracts[task_id] = steering.contract_of(self.catalog, task_id)
        return self._contracts.get(task_id, "")


def _of_file(row: Row, event: Event, file: ChangedFile) -> Row:
    renamed = {"old_path": file.old_path} if file.old_path else {}
    return replace(
        row,
        id=f"{event.oid}:{file.path}",
        event_type=kinds.FILE,
        event_subtype=file.action,
        subject=f"{file.action} {file.path}",
        event_data={"path": file.path, "commit": event.commit, "checkpoint": event.oid, **renamed},
    )
