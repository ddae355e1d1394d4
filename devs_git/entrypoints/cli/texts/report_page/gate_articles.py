"""The gates: each question with its decisions, who signed them, and what the check says about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from devs_git.domain.gates.gate_model import APPROVED, MOST, REJECTED, SIGNED
from devs_git.domain.report.facts import Decision, Gate, Named
from devs_git.entrypoints.cli.texts.report_page import html

_COLOURS: Final = {APPROVED: "good", REJECTED: "bad"}


def article(gate: Gate, anchors: Mapping[str, str], findings: tuple[Named, ...]) -> str:
    """One gate. `anchors`: the id of the element of each task and gate."""
    head = (
        f'<article id="{anchors[gate.gate_id]}"><h3>Gate {html.code(gate.gate_id)} '
        f'<span class="status {_COLOURS.get(gate.status, "warn")}">{html.word(gate.status)}</span></h3>'
    )
    if gate.unreadable:
        asked = "<p>The request of this gate cannot be read.</p>"
    else:
        asked = html.paragraph(gate.question, MOST) + html.pairs(_asked(gate, anchors))
    decisions = "".join(_decision(one) for one in gate.decisions) or "<p>Nobody has decided.</p>"
    names = "".join(f' <a href="#{name}">{name}</a>' for name in _about(gate, findings))
    checked = (
        f'<p class="bad">Findings of verify about it:{names}</p>'
        if names
        else "<p>verify found nothing about it.</p>"
    )
    return f"{head}{asked}{decisions}{checked}</article>"


def _asked(gate: Gate, anchors: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    yield "Type", html.word(gate.gate_type)
    yield "Task", html.link(gate.task_id, anchors)
    by = f"{html.name(gate.asked_by)} as {html.word(gate.agent)}" if gate.agent else html.name(gate.asked_by)
    yield "Asked", f"{html.when(gate.asked_at)} by {by}, event {html.oid(gate.event)}"
    yield "Branch", html.name(gate.branch) if gate.branch else ""
    yield "Sections", ", ".join(html.name(one) for one in gate.sections[:20])
    yield "Rationale", html.name(gate.rationale, MOST) if gate.rationale else ""
    yield "Risk", html.name(gate.risk, MOST) if gate.risk else ""


def _decision(one: Decision) -> str:
    if one.approval == SIGNED:
        proof = (
            f"signed with the key {html.code(one.key)}"
            if one.key
            else "says that it is signed, and has no valid signature"
        )
    else:
        proof = "not signed: somebody answered at a terminal" if one.approval else "unknown"
    counts = '<span class="good">It counts.</span>'
    if not one.counts:
        counts = f'<span class="bad">It does not count.</span> {html.name(one.why_not, 600)}'
    rows = (
        ("Decision", f"<strong>{html.word(one.decision)}</strong>"),
        ("Reason", html.name(one.reason, MOST) if one.reason else "none given"),
        ("Decided", f"{html.when(one.at)} by {html.name(one.reviewer)}, event {html.oid(one.event)}"),
        ("Signature", proof),
        ("Rule of belief", counts),
    )
    return html.pairs(rows)


def _about(gate: Gate, findings: tuple[Named, ...]) -> Iterator[str]:
    """The findings whose message names the gate, or which are about one of its events."""
    events = {gate.event, *(one.event for one in gate.decisions if not one.counts)}
    for name, one in findings:
        if one.where in events or gate.gate_id in one.message or gate.gate_id in one.file:
            yield name
