"""Forked sessions share their beginning: it is stored once and found once, and each session shows it."""

from __future__ import annotations

import json
import random
import tempfile
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from devs_git.domain.ledger.events import Event
from devs_git.domain.recall.query import parse
from devs_git.domain.recall.traces import Trace
from devs_git.storage.catalog import (
    bodies,
    conversation_snapshots,
    database,
    fulltext,
    message_search,
    messages,
    migrations,
    purge_rows,
    search,
    traces,
    transcripts,
)
from devs_git.storage.catalog.database import Catalog
from devs_git.storage.catalog.messages import OfTask
from devs_git.storage.catalog.search import Page
from devs_git.storage.catalog.transcripts import ReadContext, Source
from devs_git.values import replace
from tests.support.client_examples import newest
from tests.support.conversation_scene import NOW, conversation, ids, stored_places, take
from tests.support.fork_trees import Node, codex_lines, moment

TREES = st.lists(
    st.tuples(st.integers(0, 5), st.floats(0, 1), st.lists(st.booleans(), min_size=1, max_size=4)),
    min_size=1,
    max_size=6,
)


def tree(client: str, made: list[tuple[int, float, list[bool]]]) -> list[Node]:
    """Sessions, each of them but the first a fork of an earlier one at any of its messages."""
    nodes: list[Node] = []
    for number, (of, point, kinds) in enumerate(made):
        parent = nodes[of % len(nodes)] if nodes else None
        words = [(f"word{number}q{at}", is_long) for at, is_long in enumerate(kinds)]
        whole = len(parent.said) if parent else 0
        nodes.append(Node(client, number, parent, 1 + int(point * (whole - 1)) if whole else 0, words))
    return nodes


def first_words(catalog: Catalog, session: str) -> list[str]:
    return [(place.message.tool_result or "").split(" ")[0] for place in stored_places(catalog, session)]


def found(catalog: Catalog, words: str) -> list[message_search.Hit]:
    return list(message_search.search(catalog, parse(words, datetime.now(UTC), str), Page()).hits)


@pytest.mark.quick(20)
@settings(deadline=None)
@given(st.sampled_from(("claude", "codex")), TREES, st.randoms(use_true_random=False))
def test_forks_that_are_read_in_any_order_and_in_pieces_show_what_their_transcripts_say(
    client: str, made: list[tuple[int, float, list[bool]]], chance: random.Random
) -> None:
    nodes = tree(client, made)
    with tempfile.TemporaryDirectory() as folder, Catalog.open(Path(folder)) as catalog:
        pieces: list[tuple[Path, bytes]] = []
        for node in nodes:
            data = node.transcript()
            cuts = sorted(chance.randrange(len(data)) for _ in range(chance.randrange(4)))
            path = Path(folder) / f"{node.session}.jsonl"
            pieces += [(path, data[a:b]) for a, b in pairwise([0, *cuts, len(data)])]
        for path, piece in in_any_order(pieces, chance):
            with path.open("ab") as stream:
                stream.write(piece)
            transcripts.take_in(catalog, Source(path, client), ReadContext(NOW, NOW, ids))
        check(catalog, nodes)


def in_any_order(pieces: list[tuple[Path, bytes]], chance: random.Random) -> list[tuple[Path, bytes]]:
    """The pieces of each file stay in their order."""
    order = [path for path, _piece in pieces]
    chance.shuffle(order)
    return [next(pieces.pop(at) for at, one in enumerate(pieces) if one[0] == path) for path in order]


def check(catalog: Catalog, nodes: list[Node]) -> None:
    for node in nodes:
        assert first_words(catalog, node.session) == node.said
        places = stored_places(catalog, node.session)
        assert [place.position for place in places] == list(range(1, len(places) + 1))
        known = messages.session(catalog, node.session)
        assert known is not None
        assert (known.message_count, known.digest) == (len(places), places[-1].digest)
    for node in nodes:
        for word, is_long in node.words:
            (hit,) = found(catalog, word)
            assert (hit.place.message.tool_result or "").startswith(word)
            hits = search.search(catalog, parse(word, datetime.now(UTC), str), Page()).hits
            assert len(hits) == is_long
    assert traces.count(catalog) == sum(is_long for node in nodes for _word, is_long in node.words)
    assert catalog.rows("SELECT count(*) FROM messages")[0][0] == sum(len(node.words) for node in nodes)
    assert fulltext.trouble(catalog) == ""


def said(catalog: Catalog, session: str) -> list[str]:
    """What was said and answered in a session, without what the client itself wrote."""
    shown = (place.message for place in stored_places(catalog, session) if place.message.role != "system")
    return [(one.content or one.tool_result or "call").rpartition("Output:\n")[2].strip() for one in shown]


FORKED = ["Do as planned.", "call", "one", "All is done."]


@pytest.mark.parametrize("client", ["claude", "codex"])
@pytest.mark.parametrize("order", [("forked", "fork"), ("fork", "forked")])
def test_a_real_fork_begins_at_the_beginning_whichever_transcript_is_read_first(
    catalog: Catalog, client: str, order: tuple[str, str]
) -> None:
    sessions = {name: take(catalog, newest(client, name)).session.session_id for name in order}
    assert said(catalog, sessions["forked"]) == [*FORKED, "Go on.", "call", "three", "All is done."]
    assert said(catalog, sessions["fork"]) == [*FORKED, "Go another way.", "call", "two", "All is done."]
    assert len(found(catalog, "planned")) == 1
    assert len(found(catalog, f"planned session:{sessions['fork']}")) == 1
    assert found(catalog, f"planned session:{sessions['fork']}")[0].place.session_id == sessions["fork"]


def test_a_fork_whose_source_nobody_read_has_its_own_messages(catalog: Catalog) -> None:
    session = take(catalog, newest("codex", "fork")).session.session_id
    assert said(catalog, session) == ["Go another way.", "call", "two", "All is done."]


def test_the_client_s_own_names_of_a_message_are_kept(catalog: Catalog) -> None:
    take(catalog, newest("codex", "forked"))
    take(catalog, newest("claude", "forked"))
    named = "SELECT count(*) FROM messages WHERE turn_id <> '' AND ordinal > 0 AND role <> 'system'"
    assert catalog.rows(named) == [(8,)]
    assert catalog.rows("SELECT count(*) FROM messages WHERE length(message_id) = 36 AND ordinal IS NULL")[0][
        0
    ]


def test_a_snapshot_of_a_fork_names_the_same_messages_when_its_source_comes_later(catalog: Catalog) -> None:
    fork = take(catalog, newest("codex", "fork"), snapshot=True).session
    prefix = f"{fork.session_id} {fork.message_count} {fork.digest}"
    point = (("Devs-Task", "task-10"), ("Devs-Number", "1"), ("Devs-Tag", "a" * 40), ("Devs-Finished", NOW))
    recorded_event = Event("checkpoint.created", "x", (*point, ("Devs-Conversation", prefix)))
    with fulltext.write_transaction(catalog):
        conversation_snapshots.apply_event(catalog, recorded_event)
    take(catalog, newest("codex", "forked"))
    grown = messages.session(catalog, fork.session_id)
    assert grown is not None
    assert grown.message_count > fork.message_count
    assert (grown.digest, grown.message_count) == (fork.digest, grown.inherited + fork.message_count)
    counts = {
        one.snapshot_type: one.message_count for one in conversation_snapshots.list_newest(catalog, "", 10)
    }
    assert counts == {"auto": grown.message_count, "checkpoint": grown.message_count}
    with fulltext.write_transaction(catalog) as base:
        base.execute("DELETE FROM snapshots")
        conversation_snapshots.apply_event(catalog, recorded_event)
    (again,) = conversation_snapshots.list_newest(catalog, "", 10)
    assert again.message_count == grown.message_count
    assert again.metadata.token_count == grown.token_count


@pytest.mark.parametrize("name", ["forked", "fork"])
def test_a_purge_of_a_shared_beginning_holds_for_every_fork_also_for_one_that_is_read_later(
    catalog: Catalog, name: str
) -> None:
    other = {"forked": "fork", "fork": "forked"}[name]
    take(catalog, newest("claude", name))
    secret = (b"Do as planned.",)
    with fulltext.write_transaction(catalog) as base:
        base.execute("PRAGMA secure_delete = ON")
        purge_rows.take_out(catalog, purge_rows.look(catalog, secret, lambda *_: None), secret)
    later = take(catalog, newest("claude", other)).session.session_id
    assert said(catalog, later)[:4] == ["[purged]", *FORKED[1:]]
    assert found(catalog, "planned") == []
    assert purge_rows.look(catalog, secret, lambda *_: None) == purge_rows.Hits()


def test_a_shared_message_belongs_to_the_task_of_the_session_that_was_at_work_first(catalog: Catalog) -> None:
    source, fork = tree("claude", [(0, 0, [False, False]), (0, 1, [False])])
    with fulltext.write_transaction(catalog):
        for node, task in ((source, "task-1"), (fork, "task-2")):
            time = moment(node.number * 40)
            traces.put(
                catalog, Trace(node.session, time, b"", session_id=node.session, task_id=task, event="e")
            )
    for node in (fork, source):
        path = catalog.path.parent / f"{node.session}.jsonl"
        path.write_bytes(node.transcript())
        take(catalog, path)
    tasks = [place.task_id for place in stored_places(catalog, fork.session)]
    assert tasks == ["task-1", "task-1", "task-2"]
    assert [place.task_id for place in stored_places(catalog, source.session)] == ["task-1", "task-1"]
    assert messages.tally(catalog, OfTask("task-1", fork.session))[0] == 2
    assert [place.session_id for place in messages.of_task(catalog, OfTask("task-1"), 9)] == [
        source.session
    ] * 2


def test_two_transcripts_that_call_each_other_their_source_are_two_sessions(catalog: Catalog) -> None:
    first, second = tree("codex", [(0, 0, [False]), (0, 1, [False])])
    first.parent, first.point = second, 1
    for node, parent in ((first, second), (second, first)):
        lines = codex_lines(Node("codex", node.number, None, 0, node.words))
        lines[0]["payload"] |= {"forked_from_id": parent.session, "forked_from_ordinal_exclusive": 99}
        path = catalog.path.parent / f"{node.session}.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    for node in (first, second, first):
        take(catalog, catalog.path.parent / f"{node.session}.jsonl")
    assert first_words(catalog, second.session) == ["word1q0"]
    assert first_words(catalog, first.session) == ["word1q0", "word0q0"]


def test_a_catalog_that_has_a_fork_s_beginning_twice_has_it_once_afterwards(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    del engine
    with monkeypatch.context() as before:
        index = replace(fulltext.MESSAGES, name="message_index")
        before.setattr(database, "STEPS", migrations.STEPS[:2])
        before.setattr(fulltext, "INDEXES", (fulltext.TRACES, index))
        before.setattr(fulltext, "MESSAGES", index)
        with Catalog.open(tmp_path) as catalog:
            for session, words in (("a", "one two"), ("b", "one two three")):
                store_as_before(catalog, session, words.split())
    with Catalog.open(tmp_path) as catalog:
        for session, words in (("a", "one two"), ("b", "one two three")):
            places = stored_places(catalog, session)
            assert [place.message.content for place in places] == words.split()
            assert [place.digest for place in places] == [
                f"{session}{at}" for at in range(1, len(places) + 1)
            ]
        assert [len(found(catalog, word)) for word in ("one", "two", "three")] == [1, 1, 1]
        with fulltext.write_transaction(catalog) as base:
            base.execute("DELETE FROM messages WHERE message_id = 'one'")
        assert found(catalog, "one") == []
        assert catalog.rows("SELECT name FROM sqlite_master WHERE name LIKE 'message_index%'") == []
        assert fulltext.trouble(catalog) == ""


def store_as_before(catalog: Catalog, session: str, words: list[str]) -> None:
    """Store messages in the tables of a catalog that knew no forks."""
    with fulltext.write_transaction(catalog) as base:
        base.execute(
            "INSERT INTO sessions VALUES (?, 'claude', '', '', ?, 'd', 0, 0, '')", (session, len(words))
        )
        for at, word in enumerate(words, 1):
            body = bodies.pack(json.dumps({"content": word}).encode())
            number = base.execute(
                "INSERT INTO messages (session_id, position, message_id, task_id, agent, role, tool_name, is_error, "
                "body, created_at, digest, token_count, cost_usd) VALUES (?, ?, ?, '', '', 'user', '', 0, ?, ?, ?, 0, 0)",
                (session, at, word, body, NOW, f"{session}{at}"),
            ).lastrowid
            assert number is not None
            fulltext.add(catalog, fulltext.MESSAGES, number, bodies.message(body))


def test_a_message_of_a_fork_costs_the_same_however_many_results_its_source_has(
    catalog: Catalog, tmp_path: Path
) -> None:
    def steps(results: int) -> int:
        done, name = 0, f"of-{results}"
        told = [{**json.loads(line), "timestamp": NOW} for line in conversation(name, 20).splitlines()]
        fork, source = tmp_path / f"fork-{name}.jsonl", tmp_path / f"{name}.jsonl"
        source.write_text("".join(json.dumps(line) + "\n" for line in told))
        take(catalog, source)
        with fulltext.write_transaction(catalog):
            for number in range(results):
                traces.put(catalog, Trace(f"{name}-{number}", NOW, b"long", session_id=name))

        def count() -> int:
            nonlocal done
            done += 1
            return 0

        fork.write_text("".join(json.dumps({**line, "sessionId": f"fork-{name}"}) + "\n" for line in told))
        catalog.base.set_progress_handler(count, 1)
        take(catalog, fork)
        catalog.base.set_progress_handler(None, 0)
        return done

    assert steps(400) < steps(4) * 1.5
