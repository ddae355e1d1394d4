"""The page of a report is valid HTML that loads and runs nothing, has a bounded size, and shows hostile texts as text."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from devs_git.commands import checkpoint, diff, task_complete, task_start
from devs_git.domain.audit.findings import Finding
from devs_git.domain.report import room
from devs_git.domain.report.facts import ChangedFile, Decision, Difference, Gate, Mark, Point, Report, Task
from devs_git.entrypoints.cli.texts.report_page import page
from devs_git.values import replace
from devs_git.workspace import Workspace
from tests.support import gate_scene, reports
from tests.support.git_calls import git

HOSTILE = (
    "</style></title></script><script>alert(1)</script>",
    "javascript:alert(1)",
    '" onload="alert(1)" x=\'',
    "<img src=http://example.org/x onerror=alert(1)>",
    "a\x1b[31mb\x00c\x07\x7f\u202egnp.exe\u2066\u2028",
    "\udcff\udc80 \ufffe \ufdd0",
    "]]><!-- --!> <![CDATA[ &amp; &#0; &notit;",
    "<svg><style>@import url(http://example.org)</style></svg>",
)
ALL = " ".join(HOSTILE)


def report(text: str, count: int, patch: str) -> Report:
    """A report in which each text is this one."""
    point = Point("task-1@1", text, "completed", "1" * 40, text, text, 3, 1, 2)
    files = (ChangedFile(text, text, "renamed", 1, 2, binary=False),) * 50
    difference = Difference(text, text, files, patch, cut=True, command="devs-git diff task-1")
    decision = Decision("2" * 40, text, text, text, text, "signed", text, counts=False, why_not=text)
    names = [f"task-{at}" for at in range(count)]
    return Report(
        repository=text,
        scope=text,
        made_at="2001-02-03T04:05:06.789Z",
        version="1",
        head="3" * 40,
        branch=text,
        ledger="4" * 40,
        ok=False,
        findings=(("F1", Finding("TAG_MOVED", "error", text, text, text, 3, text)),),
        counts={"events": 3, "commits": 1},
        kinds={"bound": 1, "unbound": 0},
        tasks=tuple(
            Task(name, text, text, text, text, text, text, text, text, text, (point,) * 50, difference)
            for name in names
        ),
        gates=(
            Gate(
                "g",
                text,
                text,
                text,
                text,
                text,
                (text,),
                text,
                text,
                text,
                text,
                text,
                "5" * 40,
                (decision,),
            ),
        ),
        marks=tuple(
            Mark("checkpoint", f"{text}{at}", text, text, "task-1", undone=True, back_to=0)
            for at in range(1, 30)
        ),
        rows_left_out=3,
        masked=True,
    )


def of(facts: Report) -> reports.Made:
    return reports.Made(None, page.render(facts).data)  # type: ignore[arg-type]


def assert_harmless(made: reports.Made) -> None:
    """Nothing is loaded, nothing runs, and all references are to parts of the page."""
    ids = {reports.attributes(one).get("id") for one in reports.elements(made)} - {None}
    for one in reports.elements(made):
        assert one.name not in reports.ACTIVE, one.name
        for name, value in reports.attributes(one).items():
            assert not name.startswith("on"), name
            if name in reports.REFERENCES:
                assert value.startswith("#"), value
                assert value[1:] in ids, value
            if name == "style":
                assert "url" not in value
    style = made.document.query("style")
    assert len(style) == 1
    assert not re.search(r"url\(|@import|expression", style[0].to_text())
    policy = [
        reports.attributes(one)["content"]
        for one in made.document.query("meta")
        if "http-equiv" in reports.attributes(one)
    ]
    assert policy == ["default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"]


@pytest.mark.quick
@pytest.mark.parametrize("text", [*HOSTILE, ALL], ids=[*map(str, range(len(HOSTILE))), "all"])
def test_hostile_texts_stay_text_in_each_place(text: str) -> None:
    made = of(report(text, 2, f"diff --git a/x b/x\n+{text}\n-{text}\n"))
    assert_harmless(made)
    assert not re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", made.data)
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u2028]", made.data.decode())


@pytest.mark.quick
def test_no_attribute_names_this_page_as_anything_but_a_document_with_a_language_and_headings() -> None:
    made = of(report("A text.", 2, "+a\n"))
    assert reports.attributes(made.document.query("html")[0])["lang"] == "en"
    assert [one.to_text() for one in made.document.query("h1")] == ["Report on A text."]
    assert [one.to_text() for one in made.document.query("h2")] == ["Findings", "Timeline", "Tasks", "Gates"]
    assert all("aria-label" in reports.attributes(one) for one in made.document.query("svg"))
    for table in made.document.query("table"):
        assert table.query("caption")
        assert {reports.attributes(one).get("scope") for one in table.query("th")} == {"row", "col"}


@pytest.mark.quick
def test_a_hundred_large_tasks_fit_into_one_megabyte_and_the_page_says_what_is_cut() -> None:
    patch = "".join(f"+line {at} <&>\n" for at in range(9000))
    rendered = page.render(report("A text of an ordinary length, such as a title has.", 100, patch))
    assert len(rendered.data) <= 1_000_000
    assert len(rendered.data) > 900_000
    assert len(rendered.cut) == 100
    made = reports.Made(None, rendered.data)  # type: ignore[arg-type]
    assert_harmless(made)
    assert made.text.count("The patch is cut here. The whole: devs-git diff task-1") == 100


@pytest.mark.quick
def test_hostile_texts_do_not_make_the_page_larger_than_it_may_be() -> None:
    rendered = page.render(report('"' * 5000, 100, '"' * 200_000))
    assert len(rendered.data) <= room.page_bytes(100, 1)


@pytest.mark.quick
def test_small_patches_are_whole_and_large_ones_share_what_they_leave() -> None:
    assert room.shares([10, 500, 20, 400], 430) == (10, 200, 20, 200)
    assert room.shares([10, 20], 1000) == (10, 20)
    assert room.shares([10, 20], -5) == (0, 0)
    assert room.shares([], 10) == ()


def test_the_command_beside_a_cut_patch_prints_the_whole_one(
    ledgered: Workspace, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    del ledgered
    task_start.run(Workspace.open(repo), task_start.Request("7"))
    (repo / "big.txt").write_text("".join(f"number {at}\n" for at in range(200_000)))
    git("add", "big.txt", where=repo)
    checkpoint.run(Workspace.open(repo), checkpoint.Request())
    made = reports.make(repo)
    assert made.result.cut == ("task-7",)
    command = re.search(
        r"The whole: (devs-git diff .*?) No gate|The whole: (devs-git diff \S+ --against \S+)", made.text
    )
    assert command, made.text[-500:]
    words = (command[1] or command[2]).split()
    assert words[:2] == ["devs-git", "diff"]
    monkeypatch.chdir(repo)
    result = diff.run(Workspace.open(repo), diff.Request(words[2], words[4]))
    assert result.stats.insertions == 200_000


def test_names_and_texts_of_a_real_repository_stay_text(ledgered: Workspace, repo: Path) -> None:
    del ledgered
    subprocess.run(["git", "checkout", "-q", "-b", "</style><script>x"], cwd=repo, check=True)
    opened = Workspace.open(repo)
    task_start.run(opened, task_start.Request("7", title='"><script>alert(1)</script> javascript:x'))
    for name, data in (
        (b"<script>.txt", b"</pre><script>\n"),
        (b"odd\xff\x1b[31m.txt", b"\xff\xfe\x00\n"),
        (b"bidi\xe2\x80\xae.txt", b"\xe2\x80\xae\n"),
    ):
        Path(os.fsdecode(os.fsencode(repo) + b"/" + name)).write_bytes(data)
    task_complete.run(opened, task_complete.Request("7", message="<b>done</b> </style>", everything=True))
    gate_scene.ask(
        Workspace.open(repo),
        kind="MANUAL",
        blocker_description="<script>May it?</script> javascript:alert(1)",
    )
    made = reports.make(repo)
    assert_harmless(made)
    assert made.result.tasks == 1
    for shown in (
        "</style><script>x",
        "<script>.txt",
        "<b>done</b> </style>",
        "bidi\\u202e.txt",
        "<script>May it?</script>",
    ):
        assert shown in made.text


def test_a_report_without_tasks_is_a_page_too() -> None:
    made = of(replace(report("x", 0, ""), gates=(), marks=(), findings=(), ok=True))
    assert_harmless(made)
    assert "No task is chosen. " in made.text + " "
    assert "Verified: 3 events, 1 commit were checked; nothing is wrong." in made.text
