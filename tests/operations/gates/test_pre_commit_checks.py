"""The checks that the pre-commit framework runs on a policy and on a commit's message."""

from __future__ import annotations

from pathlib import Path

import pytest

from devs_git.entrypoints.hooks import git_hook
from devs_git.workspace import Workspace
from tests.support.gate_scene import genesis


def said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    status = git_hook.main(list(words))
    return status, capsys.readouterr().err


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("x\n\nDevs-Ledger: {tip}\n", ""),
        ("x\n\nDevs-Ledger: {tip}\n# Please enter the message.\n# ---- >8 ----\ndiff\n", ""),
        ("x\n---\ny\n\nDevs-Ledger: {tip}\n", ""),
        ("# only a comment\n", ""),
        ("x\n", "UNBOUND_COMMIT"),
        ("x\n\nDevs-Ledger: {other}\n", "LEDGER_ROLLBACK"),
        ("x\n\nDevs-Ledger: {head}\n", "LEDGER_ROLLBACK"),
        ("x\n\nDevs-Ledger: {tip}\nDevs-Phase: lunch\n", "INVALID_ARGUMENTS"),
    ],
)
def test_a_message_must_name_an_event_of_the_ledger(
    text: str, code: str, ledgered: Workspace, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    text = text.replace("# ---- >8 ----", "# ------------------------ >8 ------------------------")
    head = ledgered.git.text("rev-parse", "HEAD")
    file = tmp_path / "message"
    file.write_text(text.format(tip=ledgered.ledger.tip().oid, other="f" * 40, head=head))
    status, words = said(capsys, "commit-trailers", str(file))
    assert (status, code in words) == (bool(code), True)
    assert "bug" not in words


def test_all_reasons_are_told_at_once_and_a_policy_is_compared_with_the_ledger(
    ledgered: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    top = ledgered.top
    (top / "devs-policy.yaml").write_text(f"genesis: '{genesis(ledgered)}'\n")
    assert said(capsys, "policy-schema", "devs-policy.yaml") == (0, "")
    (top / "a.yaml").write_text("genesis: 1\n")
    (top / "b.yaml").write_text(f"genesis: '{'a' * 40}'\n")
    status, words = said(capsys, "policy-schema", "devs-policy.yaml", "a.yaml", "b.yaml", "c.yaml")
    assert (status, words.count("POLICY_INVALID")) == (1, 3)
    assert "a.yaml:1:" in words


def test_without_a_ledger_a_policy_is_still_checked_and_a_message_cannot_be(
    repo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (repo / "ok.yaml").write_text(f"genesis: '{'a' * 40}'\n")
    (repo / "no.yaml").write_text(f"genesis: '{'a' * 40}'\napproval: {{minimum: signed}}\n")
    assert said(capsys, "policy-schema", "ok.yaml")[0] == 0
    assert said(capsys, "policy-schema", "ok.yaml", "no.yaml")[0] == 1
    assert "NOT_INITIALIZED" in said(capsys, "commit-trailers", "ok.yaml")[1]
    assert said(capsys, "commit-trailers")[0] == 1
