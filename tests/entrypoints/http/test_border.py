"""Which requests are let in, decided by their headers."""

from __future__ import annotations

import os

import pytest
from starlette.datastructures import Headers

from devs_git.entrypoints.http.border import Rules

OWN = ("host", "localhost:3001")
HERE = Rules("127.0.0.1")


def judged(rules: Rules, *pairs: tuple[str, str]) -> int:
    raw = [(name.encode(), value.encode("latin-1")) for name, value in pairs]
    found = rules.objection(Headers(raw=raw))
    return found.status_code if found else 200


@pytest.mark.quick
@pytest.mark.parametrize(
    ("pairs", "status"),
    [
        ([OWN], 200),
        ([("host", "127.0.0.1:3001")], 200),
        ([("host", "[::1]:3001")], 200),
        ([("host", "[::1]")], 200),
        ([("host", "LOCALHOST")], 200),
        ([], 403),
        ([OWN, OWN], 403),
        ([("host", "")], 403),
        ([("host", "localhost:3001@evil.example")], 403),
        ([("host", "localhost:x")], 403),
        ([("host", "[::1]x")], 403),
        ([("host", "evil.example:3001")], 403),
        ([("host", "localhost.evil.example")], 403),
        ([("host", "127.0.0.1.evil.example:3001")], 403),
        ([("host", "10.0.0.1:3001")], 403),
        ([OWN, ("origin", "http://localhost:3001")], 200),
        ([OWN, ("origin", "http://localhost:8080")], 403),
        ([OWN, ("origin", "https://localhost:3001")], 403),
        ([OWN, ("origin", "http://127.0.0.1:3001")], 403),
        ([OWN, ("origin", "http://evil.example")], 403),
        ([OWN, ("origin", "null")], 403),
        ([OWN, ("origin", "")], 403),
        ([OWN, ("origin", "http://localhost:3001"), ("origin", "http://evil.example")], 403),
        ([OWN, ("sec-fetch-site", "none")], 200),
        ([OWN, ("sec-fetch-site", "same-origin")], 200),
        ([OWN, ("sec-fetch-site", "same-site")], 403),
        ([OWN, ("sec-fetch-site", "cross-site")], 403),
    ],
)
def test_only_this_servers_own_names_and_pages_come_in(pairs: list[tuple[str, str]], status: int) -> None:
    assert judged(HERE, *pairs) == status


@pytest.mark.quick
@pytest.mark.parametrize(
    ("given", "status"),
    [
        ("Bearer secret", 200),
        ("bearer secret", 200),
        ("Bearer  secret ", 200),
        ("Bearer Secret", 401),
        ("Bearer secrets", 401),
        ("Bearer", 401),
        ("Basic secret", 401),
        ("secret", 401),
        ("Bearer sécret", 401),
        (None, 401),
    ],
)
def test_with_a_token_only_who_knows_it_comes_in(given: str | None, status: int) -> None:
    pairs = [OWN, *([("authorization", given)] if given is not None else [])]
    assert judged(Rules("127.0.0.1", "secret"), *pairs) == status


@pytest.mark.parametrize("token", ["gé€", "à", os.fsdecode(b"\xff\xfe")])
def test_a_token_of_any_bytes_is_known_by_its_bytes(token: str) -> None:
    sent = "Bearer " + os.fsencode(token).decode("latin-1")
    assert judged(Rules("127.0.0.1", token), OWN, ("authorization", sent)) == 200
    assert judged(Rules("127.0.0.1", token), OWN, ("authorization", sent + "x")) == 401


def test_two_tokens_are_none() -> None:
    twice = ("authorization", "Bearer secret")
    assert judged(Rules("127.0.0.1", "secret"), OWN, twice, twice) == 401


@pytest.mark.quick
@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("10.0.0.1:3001", 200),
        ("devs.example:3001", 200),
        ("[2001:db8::1]:3001", 200),
        ("localhost:1", 200),
        ("evil.example", 403),
    ],
)
def test_elsewhere_addresses_and_the_name_it_listens_on_are_ours(host: str, status: int) -> None:
    assert (
        judged(Rules("devs.example", "secret"), ("host", host), ("authorization", "Bearer secret")) == status
    )
