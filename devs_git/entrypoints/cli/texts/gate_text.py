"""Gates as text for people. Control characters in a request are written as escapes."""

from __future__ import annotations

from datetime import datetime

from devs_git.domain.text.plain_text import cut, printable
from devs_git.entrypoints.cli.texts.render import fold, next_page_line, short, table, unique_beginnings, when
from devs_git.entrypoints.console import paint
from devs_git.values import TYPE_CHECKING, Final
from devs_git.workspace import system_clock

if TYPE_CHECKING:
    from devs_git.commands import gate_approve, gate_list, gate_request, gate_show, gate_wait
    from devs_git.domain.gates.answer import Outcome

_COLOURS: Final = {"PENDING_APPROVAL": "yellow", "APPROVED": "green", "REJECTED": "red"}
_OF_GIT: Final = "commit, merge, rebase, cherry-pick, revert and am; a push of work"
# What waits only with an option: it writes files, or removes what guards the gate.
_WITH_OPTIONS: Final = (
    "init --uninstall",
    "agent install --uninstall",
    "report --output",
    "trace export --output",
)
_UNITS: Final = (("d", 86_400), ("h", 3_600), ("m", 60))


def request_text(result: gate_request.Result) -> str:
    lines = (
        f"Gate {paint(result.gate_id, bold=True)} waits for a person's decision.",
        "Until then, commits and the commands that change work are refused.",
        *(fold(printable(note)) for note in result.notes),
        f"Wait for the answer: devs-git gate wait {result.gate_id}",
    )
    return "\n".join(lines)


def list_text(result: gate_list.Result) -> str:
    if not result.gates:
        return "No active gates." if not result.active else "No such gates."
    titles: tuple[str, ...] = ("GATE_ID", "AGENT", "TASK", "STATUS", "BLOCKER", "AGE", "ASKED BY")
    ids = unique_beginnings([row.gate_id for row in result.gates])
    rows: list[tuple[str, ...]] = [
        (
            gate_id,
            row.agent_id or "-",
            row.task_id or "-",
            gate_status(row.status),
            printable(cut(row.blocker_description), ""),
            age(row.created_at),
            printable(row.requested_by or "-", ""),
        )
        for gate_id, row in zip(ids, result.gates, strict=True)
    ]  # fmt: skip
    if not any(row.requested_by for row in result.gates):
        titles, *rows = (line[:-1] for line in (titles, *rows))
    if all(row.status == "PENDING_APPROVAL" for row in result.gates):  # the usual list
        titles, *rows = ((*line[:3], *line[4:]) for line in (titles, *rows))
    more = next_page_line("gate list", result.next_cursor)
    return (
        table(rows, titles, cuttable=("BLOCKER",), leave=("AGENT", "TASK", "ASKED BY"), titles_in_pipes=True)
        + more
    )


def age(stamp: str) -> str:
    """The time since `stamp`: `3h`, `12m`, `5s`; `?` for a stamp that cannot be read."""
    try:
        seconds = int((system_clock() - datetime.fromisoformat(stamp)).total_seconds())
    except ValueError:
        return "?"
    for unit, size in _UNITS:
        if seconds >= size:
            return f"{seconds // size}{unit}"
    return f"{max(0, seconds)}s"


def gate_status(text: str) -> str:
    return paint(text, _COLOURS.get(text), bold=True)


def show_text(result: gate_show.Result) -> str:
    """All that a person needs for the decision, and the commands for the answer."""
    parts = [_head(result), _text("Blocker", result.blocker_description)]
    changes = result.proposed_changes
    if changes:
        parts.append(_text("Sections", ", ".join(changes["sections_to_modify"])))
        parts.append(_text("Rationale", changes["rationale"]))
        parts.append(_text("Risk", changes["risk_assessment"]))
    if result.diff:
        parts.append(paint("Change", bold=True) + "\n" + "\n".join(map(_diff_line, result.diff.split("\n"))))
    parts += [fold(paint("Missing: ", "yellow") + printable(text)) for text in result.missing]
    parts += [fold(paint("Note: ", "yellow") + printable(text)) for text in result.notes]
    parts.append(_answer(result))
    return "\n\n".join(parts)


def decision_text(result: Outcome) -> str:
    if result.to_sign:
        return result.to_sign.rstrip("\n")
    who = printable(result.reviewer_id or "", "")
    return f"Gate {result.gate_id} is {gate_status(result.status)} by {who} ({result.approval})."


def approval_text(result: gate_approve.Result) -> str:
    if not result.commit:
        return decision_text(result)
    commit = f"The proposed text is commit {short(result.commit)} on {printable(result.branch, '')}."
    return f"{decision_text(result)}\n{commit}"


def wait_text(result: gate_wait.Result) -> str:
    if result.timed_out:
        return f"Gate {result.gate_id} still waits for a person's decision."
    reason = f"\nReason: {printable(result.resolution_reason)}" if result.resolution_reason else ""
    return f"{gate_status(result.status)} by {printable(result.reviewer_id or '', '')} ({result.approval}).{reason}"


def _head(result: gate_show.Result) -> str:
    rows = [
        ("gate", paint(result.gate_id, bold=True)),
        ("type", result.gate_type),
        ("status", gate_status(result.status)),
        ("agent", result.agent_id or "-"),
        ("task", result.task_id or "-"),
        ("requested", when(result.created_at) + _by(result.requested_by)),
        ("branch", printable(result.branch or "none (detached HEAD)", "")),
        ("commit", result.git_head or "none yet"),
    ]
    if result.reviewer_id:
        rows.append(
            (
                "decided",
                f"{when(result.resolved_at or '')} by {printable(result.reviewer_id, '')}, {result.approval}",
            )
        )
    if result.resolution_reason:
        rows.append(("reason", printable(result.resolution_reason, "")))
    return table(rows)


def _by(who: str | None) -> str:
    return f" by {printable(who, '')}" if who else ""


def _text(title: str, text: str) -> str:
    body = "\n".join("  " + line for line in printable(text).strip().split("\n"))
    return f"{paint(title, bold=True)}\n{body}"


def _diff_line(line: str) -> str:
    return paint(line, {"+": "green", "-": "red", "@": "cyan"}.get(line[:1]))


def _answer(result: gate_show.Result) -> str:
    if not result.frozen:
        return "This gate freezes nothing any more."
    from devs_git.domain.resume.choices import FROM_EARLIER  # only this page needs them

    modes = tuple(f"resume --mode {mode}" for mode in FROM_EARLIER)
    since = f"commit {short(result.git_head)}" if result.git_head else "before the first commit"
    return (
        f"Frozen since {since} ({when(result.created_at)}). Refused are:\n"
        f"{table((('  git', _OF_GIT), ('  devs-git', ', '.join((*result.frozen, *_WITH_OPTIONS, *modes)))))}\n\n"
        f"To answer: {paint(result.approve, 'green')}\n"
        f"       or: {paint(result.reject, 'red')}"
    )
