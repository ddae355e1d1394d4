"""The detector of secrets finds the credentials in an output and leaves what is ordinary; it reads in parts."""

from __future__ import annotations

import base64
import random
import re
import sys

import pytest

from devs_git.errors import DevsError
from devs_git.storage.documents import secrets
from tests.support.credentials import credentials
from tests.support.ordinary_output import LINES, ordinary_lines

pytestmark = pytest.mark.quick

# A password that the detector masks where it is named as one.
WORD = "hunt3r-" + base64.b32encode(b"a made-up one").decode().lower().rstrip("=")


@pytest.mark.parametrize("seed", range(3))
def test_at_least_95_percent_of_the_forms_of_credentials_are_masked(seed: int) -> None:
    forms = list(credentials(seed))
    missed = [name for name, text, secret in forms if _shows(secrets.mask(text), secret)]
    assert len(forms) >= 60
    assert len(missed) <= len(forms) * 0.05, missed


def _shows(text: str, secret: str) -> bool:
    """Whether a third of a secret is left in one piece."""
    part = max(len(secret) // 3, 4)
    return any(secret[at : at + part] in text for at in range(len(secret) - part + 1))


def test_at_most_1_percent_of_ordinary_lines_are_changed_alone_or_together() -> None:
    lines = ordinary_lines()
    assert len(lines) == LINES
    changed = [line for line in lines if secrets.holds_secret(line)]
    assert len(changed) <= LINES * 0.01, changed[:20]
    together = secrets.mask("\n".join(lines)).split("\n")
    assert len(together) == LINES
    assert sum(map(str.__ne__, lines, together)) <= LINES * 0.01


def test_what_is_masked_stays_as_it_is_when_it_is_masked_again() -> None:
    for name, text, _secret in credentials():
        once = secrets.mask(text)
        assert secrets.mask(once) == once, name


def test_only_the_secret_is_replaced_and_its_kind_is_named() -> None:
    assert secrets.mask(f"host: a\npassword: {WORD}\nport: 5") == "host: a\npassword: [masked:named]\nport: 5"
    escaped = f'{{"command": "export TOKEN=\\"{WORD}\\" && make"}}'
    assert secrets.mask(escaped) == '{"command": "export TOKEN=\\"[masked:named]\\" && make"}'
    assert secrets.mask("in\ud800") == "in\ud800"
    # A byte order mark does not move the places of what is found.
    for start in ("\ufeff", "\ufffe", "\0\0\ufeff"):
        assert secrets.mask(f"{start}password: {WORD}") == f"{start}password: [masked:named]"


def test_a_short_or_wordy_password_is_masked_where_its_name_leaves_no_doubt() -> None:
    for text in (
        "DB_PASSWORD=Super" + "Secret!",
        "password: hunt" + "er2",
        "APP_SECRET='change" + "-me-now'",
    ):
        assert "[masked:" in secrets.mask(text), text
    for text in ("DB_PASSWORD=${DB_PASSWORD}", "PWD=/work/main", "token = next_token", "password: str"):
        assert secrets.mask(text) == text


def test_an_annotation_for_another_scanner_hides_no_secret() -> None:
    for note in ("gitleaks:allow", "betterleaks:allow", "kingfisher:ignore", "pragma: allowlist secret"):
        assert WORD not in secrets.mask(f"password: {WORD} # {note}")


@pytest.mark.parametrize("ending", ["\n", " "], ids=["lines", "one line"])
def test_a_secret_across_two_parts_is_found(ending: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "_OVERLAP", 1 << 13)
    monkeypatch.setattr(secrets, "_WINDOW", 1 << 15)
    dice = random.Random(5)
    # A line of .pgpass is told by its ends, and a call of curl only by the start of its line.
    left_out = () if ending == "\n" else (".pgpass", "curl")
    made = [
        (text, secret) for name, text, secret in credentials() if "\n" not in text and name not in left_out
    ]
    texts: list[str] = []
    for _ in range(40):
        for text, _secret in made:
            texts += [text, "ordinary words " * dice.randrange(30)]
    whole = ending.join(texts).encode()
    cuts = sorted(dice.sample(range(len(whole)), 60))
    pieces = [whole[start:end] for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    assert b"".join(pieces) == whole
    masked = b"".join(secrets.mask_pieces(pieces)).decode()
    assert not [secret for _text, secret in made if secret in masked]
    if ending == "\n":
        assert _without_kinds(masked) == _without_kinds(secrets.mask(whole.decode()))
    assert secrets.pieces_hold_secret(
        [b"x" * 20_000, f"\npassword: {WORD[:8]}".encode(), f"{WORD[8:]}\n".encode()]
    )
    assert not secrets.pieces_hold_secret([b"x" * 20_000, b"\nword: ", f"{WORD}\n".encode()])


def _without_kinds(text: str) -> str:
    return re.sub(r"\[masked:[^]]+\]", "[masked]", text)


def test_bytes_that_are_no_text_come_back_as_they_were() -> None:
    data = random.Random(6).randbytes(1 << 17)
    assert b"".join(secrets.mask_pieces([data[:99], data[99:]])) == data
    assert b"".join(secrets.mask_pieces([])) == b""


def test_a_caller_and_the_thread_before_it_load_the_detector_once() -> None:
    secrets._detector.cache_clear()
    secrets.load_meanwhile()
    assert secrets.holds_secret(f"password: {WORD}")
    assert secrets._detector.cache_info().misses == 1
    secrets.load_meanwhile()
    assert secrets._detector.cache_info().misses == 1


def test_without_the_detector_nothing_is_taken_for_free_of_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "kingfisher_sdk", None)
    secrets._detector.cache_clear()
    # The thread that loads it says nothing; whoever asks is told.
    secrets._load()
    with pytest.raises(DevsError, match="not installed"):
        secrets.mask("password")
    with pytest.raises(DevsError, match="not installed"):
        secrets.holds_secret("password")
