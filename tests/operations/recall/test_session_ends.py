"""The spool tells the catalog which sessions have ended, for each client that says so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.operations.recall import spool
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.catalog.sessions import session_signs
from devs_git.workspace import Workspace

pytestmark = pytest.mark.quick

RECORDED = sorted(Path(__file__).parents[2].glob("examples/clients/*/*/*.hooks.jsonl"))


@pytest.mark.parametrize("file", RECORDED, ids=lambda path: path.stem)
def test_the_end_of_a_session_is_noted_but_not_that_of_a_turn(file: Path, ledgered: Workspace) -> None:
    client = CLIENTS[file.parent.parent.name]
    ledgered.places.spool.mkdir(parents=True)
    payloads = [json.loads(line) for line in file.read_text().splitlines()]

    def leave(event: str) -> list[dict[str, str]]:
        found = [one for one in payloads if one["hook_event_name"] == event]
        for number, payload in enumerate(found):
            head = f"{client.name} {event}\n\n"
            name = f"{number}.{client.name}.{event}"
            (ledgered.places.spool / name).write_text(head + json.dumps({**payload, "transcript_path": ""}))
        with Catalog.open(ledgered.places.shared) as catalog:
            spool.ingest(ledgered.places, ledgered.store_git, catalog)
        return found

    def ended() -> set[str]:
        with Catalog.open(ledgered.places.shared) as catalog:
            return set(session_signs.ends(catalog))

    for event in set(client.session) - {client.end}:
        leave(event)
    assert ended() == set()
    told = {one["session_id"] for one in leave(client.end)} if client.end else set()
    assert ended() == told
