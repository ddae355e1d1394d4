"""The policy: defaults, what a schema cannot say, and the one switch that a hook reads without a YAML reader."""

from __future__ import annotations

import pytest

from devs_git.domain.gates import policy
from devs_git.domain.text.quantities import size, span
from devs_git.errors import DevsError
from devs_git.storage.documents import yaml_documents

pytestmark = pytest.mark.quick

GENESIS = "0" * 40


def test_what_a_policy_does_not_say_is_as_in_the_one_that_init_writes() -> None:
    assert policy.parse({"genesis": GENESIS}) == policy.parse(policy.first(GENESIS))


def test_a_policy_is_read_into_seconds_and_bytes() -> None:
    read = policy.parse(
        {
            "genesis": GENESIS,
            "approvers": [{"principal": "ada", "key": "ssh-ed25519 A"}, {"principal": "bob"}],
            "approval": {"minimum": "signed"},
            "tas": {"path": "docs/TAS.md"},
            "retention": {"backups": "2w"},
            "checkpoint_on_commit": False,
            "backup_limit": "5MB",
            "recording": {"traces": False},
            "notify": "notify-send x",
            "agents": [{"principal": "bot", "key": "ssh-ed25519 B"}],
        }
    )
    assert read == policy.Policy(
        genesis=GENESIS,
        approvers=(policy.Approver("ada", "ssh-ed25519 A"), policy.Approver("bob")),
        approval_minimum="signed",
        tas_path="docs/TAS.md",
        keep_backups=14 * 86400,
        keep_conversations=90 * 86400,
        checkpoint_on_commit=False,
        backup_limit=5_000_000,
        record_conversations=True,
        notify="notify-send x",
        agents=(policy.Approver("bot", "ssh-ed25519 B"),),
    )


def test_backups_moments_preserved_branches_and_unread_payloads_stay_for_weeks_and_snapshots_for_months() -> (
    None
):
    read = policy.parse({})
    spans = (
        read.keep_moments,
        read.keep_backups,
        read.keep_preserved,
        read.keep_spool,
        read.keep_conversations,
    )
    assert spans == tuple(days * 86400 for days in (14, 30, 30, 30, 90))
    assert policy.first(GENESIS)["retention"] == {"backups": "30d", "conversations": "90d"}


def test_an_approver_stands_once() -> None:
    with pytest.raises(DevsError) as caught:
        policy.parse({"approvers": [{"principal": "ada"}, {"principal": "ada", "key": "ssh-ed25519 B"}]})
    assert (caught.value.code, caught.value.details) == ("POLICY_INVALID", {"field": "approvers"})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", True),
        ("checkpoint_on_commit: true\n", True),
        ("checkpoint_on_commit: false\n", False),
        ("a: b\r\ncheckpoint_on_commit:  false  # quiet\r\nc: d\r\n", False),
        ("checkpoint_on_commit: False\n", None),
        ('"checkpoint_on_commit": false\n', None),
        ("{checkpoint_on_commit: false}\n", None),
        ("x: |\n  checkpoint_on_commit: false\n", None),
    ],
)
def test_the_switch_is_read_plainly_or_left_to_the_reader(text: str, said: bool | None) -> None:
    assert policy.checkpoints_on_commit(text.encode()) is said
    if said is not None and text:
        assert yaml_documents.load(text.encode(), "x").get("checkpoint_on_commit", True) is said


def test_without_a_policy_each_commit_is_a_checkpoint() -> None:
    assert policy.checkpoints_on_commit(None) is True


@pytest.mark.parametrize(
    ("text", "bytes_"), [("0B", 0), ("2GiB", 2 << 30), ("1kB", 1000), ("3TB", 3 * 10**12)]
)
def test_sizes_are_bytes(text: str, bytes_: int) -> None:
    assert size(text) == bytes_


@pytest.mark.parametrize(
    ("text", "seconds"), [("90d", 7776000), ("5min", 300), ("1h", 3600), ("2w", 1209600), ("7s", 7)]
)
def test_spans_are_seconds(text: str, seconds: int) -> None:
    assert span(text) == seconds


@pytest.mark.parametrize("text", ["", "2", "2 GiB", "-1B", "2gib", "1.5GB", "٣GB"])
def test_what_is_no_size_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match="2GiB"):
        size(text)


@pytest.mark.parametrize("text", ["", "30", "d", "1 d", "-1d", "1m", "1y"])
def test_what_is_no_span_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match="30d"):
        span(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("recording: {shorten: true}\n", True),
        ("recording:\n  traces: true\n  shorten: true # since May\n", True),
        ('{"recording": {"shorten": true}}', True),
        ("recording: {'shorten': True}\n", True),
        ("recording: {shorten: false}\n", False),
        ("recording: {traces: true}\n", False),
        ("# recording: {shorten: true}\n", False),
        ("recording: {traces: true} # not shorten: true\n", False),
    ],
)
def test_a_hook_reads_without_a_yaml_reader_whether_long_outputs_are_shortened(text: str, said: bool) -> None:
    assert policy.shortens(text.encode()) is said
    read = yaml_documents.load(
        f"genesis: '{GENESIS}'\n".encode() * (text[0] != "{") + text.encode(), "policy"
    )
    assert policy.parse(read).shorten_outputs is said


def test_without_a_policy_nothing_is_shortened() -> None:
    assert not policy.shortens(None)


def test_a_policy_says_how_moments_are_kept() -> None:
    said = {
        "recording": {"moments": False},
        "retention": {"moments": "2w", "preserved": "5d", "spool": "1d"},
        "net": "strict",
    }
    read = policy.parse({"genesis": GENESIS, **said})
    assert (read.record_moments, read.days_of_moments, read.net) == (False, 14, "strict")
    assert (read.keep_preserved, read.keep_spool) == (5 * 86400, 86400)


def test_by_default_moments_are_kept_for_fourteen_days_and_the_net_warns() -> None:
    read = policy.parse({})
    assert (read.record_moments, read.days_of_moments, read.net) == (True, 14, "warn")
    assert policy.moments_wanted(None)
    assert not policy.net_is_strict(None)


def test_a_new_policy_has_no_key_that_an_older_devs_git_refuses() -> None:
    written = policy.first(GENESIS)
    assert "net" not in written
    assert "moments" not in {**written["retention"], **written["recording"]}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("recording: {moments: false}\n", False),
        ("recording:\n  traces: true\n  moments: false # since May\n", False),
        ('{"recording": {"moments": false}}', False),
        ("recording: {'moments': False}\n", False),
        ("recording: {moments: true}\n", True),
        ("retention: {moments: 14d}\n", True),
        ("# recording: {moments: false}\n", True),
        ("recording: {traces: true} # not moments: false\n", True),
    ],
)
def test_a_hook_reads_without_a_yaml_reader_whether_moments_are_made(text: str, said: bool) -> None:
    assert policy.moments_wanted(text.encode()) is said
    assert policy.parse(whole(text)).record_moments is said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("net: strict\n", True),
        ("checkpoint_on_commit: true\nnet:  'strict'  # since May\n", True),
        ('{"net": "strict"}', True),
        ("net: warn\n", False),
        ("# net: strict\n", False),
        ("checkpoint_on_commit: true # net: strict\n", False),
        ("notify: tell the net: strict rules\n", False),
    ],
)
def test_a_hook_reads_without_a_yaml_reader_whether_the_net_is_strict(text: str, said: bool) -> None:
    assert policy.net_is_strict(text.encode()) is said
    if "notify" not in text:
        assert (policy.parse(whole(text)).net == "strict") is said


def whole(text: str) -> dict[str, object]:
    """The policy of a text that may lack its genesis."""
    begin = f"genesis: '{GENESIS}'\n".encode() * (text[0] != "{")
    return yaml_documents.load(begin + text.encode(), "policy")
