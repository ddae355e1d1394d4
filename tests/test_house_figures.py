"""`make house` sees what misses a goal, in a small tree that misses every one."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests import house, links

pytestmark = pytest.mark.quick
CLEAN = '"""What it is for."""\n'


@pytest.fixture
def top(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / "devs_git").mkdir()
    return tmp_path


def write(top: Path, path: str, text: str = CLEAN) -> None:
    file = top / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def test_a_folder_with_26_modules_is_named_and_commands_may_have_them(top: Path) -> None:
    for number in range(26):
        write(top, f"devs_git/storage/m{number}.py")
        write(top, f"devs_git/commands/m{number}.py")
    assert house.folders(house.modules(top)).missed == ("storage: 26",)
    (top / "devs_git/storage/m0.py").rename(top / "devs_git/storage/__init__.py")
    assert house.folders(house.modules(top)).missed == ()


def test_lines_are_counted_of_the_longest_module_and_of_the_middle_one(top: Path) -> None:
    for name, lines in (("a", 301), ("b", 110), ("c", 1)):
        write(top, f"devs_git/{name}.py", "\n" * lines)
    found = house.modules(top)
    assert house.longest(found).missed == ("a.py: 301",)
    assert house.median(found).missed == ("the median is 110",)
    write(top, "devs_git/a.py", "\n" * 300)
    write(top, "devs_git/b.py", "\n" * 109)
    found = house.modules(top)
    assert (house.longest(found).missed, house.median(found).missed) == ((), ())


def test_a_way_round_of_imports_is_one_cycle_and_a_line_is_none() -> None:
    line = {"a": {"b"}, "b": {"c"}, "c": set[str]()}
    assert house.cycles(line, line).missed == ()
    ring = {**line, "c": {"a"}}
    assert house.cycles(ring, ring).missed == ("a <-> b <-> c",)
    assert house.cycles(ring, line).missed == ("a <-> b <-> c (for types alone)",)


def test_the_contracts_are_both_whole_and_kept() -> None:
    layers = {"type": "layers", "exhaustive": True}
    both = [{**layers, "containers": ["devs_git"]}, {**layers, "containers": ["devs_git.storage"]}]
    config = {"tool": {"importlinter": {"contracts": both}}}
    assert house.contracts(config, kept=True).missed == ()
    assert house.contracts(config, kept=False).missed == ("lint-imports says no",)
    both[1]["exhaustive"] = False
    assert house.contracts(config, kept=True).missed == (
        "no exhaustive contract of layers in devs_git.storage",
    )


def test_a_name_stands_twice_on_one_floor_alone(top: Path) -> None:
    for path in ("domain/a/one.py", "domain/b/one.py", "storage/one.py"):
        write(top, f"devs_git/{path}")
    assert house.twice(house.modules(top)).missed == ("domain/a/one.py and domain/b/one.py",)


def test_the_key_of_a_trailer_is_a_literal_in_the_module_of_the_keys_alone(top: Path) -> None:
    write(top, "devs_git/domain/ledger/event_keys.py", 'KEY = "Devs-Task"\n')
    write(
        top,
        "devs_git/commands/one.py",
        'KEY, RAW = "Devs-Task", b"Devs-Op: "\nSAID = "It names Devs-Task."\n',
    )
    assert house.keys(house.modules(top)).missed == ("commands/one.py: 2",)


def test_a_renderer_of_text_names_the_type_that_it_shows(top: Path) -> None:
    renderers = "def one(result: Any) -> str: ...\ndef two(result: Result) -> list[str]: ...\n"
    others = "def as_json(value: Any) -> str: ...\ndef three(result: Any) -> bool: ...\n"
    write(top, "devs_git/entrypoints/cli/texts/move_text.py", renderers + others)
    write(top, "devs_git/entrypoints/http/app.py", renderers)
    write(top, "devs_git/entrypoints/cli/gates.py", "def four(*, rows: list[Any]) -> Iterator[str]: ...\n")
    missed = house.untyped(house.modules(top)).missed
    assert missed == ("entrypoints/cli/gates.py: four", "entrypoints/cli/texts/move_text.py: one")


def test_a_public_function_is_no_bare_participle_and_a_property_may_be_one(top: Path) -> None:
    names = ("told", "listed", "pruning", "_told", "prune", "is_listed", "warning", "feed")
    write(top, "devs_git/a.py", CLEAN + "".join(f"def {name}(): ...\n" for name in names))
    write(
        top,
        "devs_git/b.py",
        CLEAN + "class A:\n    @property\n    def failed(self): ...\n    def joined(self): ...\n",
    )
    expected = ("a.py: told", "a.py: listed", "a.py: pruning", "b.py: joined")
    assert house.participles(house.modules(top)).missed == expected


def test_files_are_searched_for_the_document_that_is_not_there(top: Path) -> None:
    write(top, "one.md", "See DESIGN 3, and DESIGNS.\n")
    assert house.design(top).missed == ("one.md: 1",)


def test_the_readme_has_a_length_and_a_width(top: Path) -> None:
    write(top, "README.md", "a\n" * 150 + "b" * 161)
    assert house.readme(top).missed == ("151 lines", "line 151: 161 characters")
    write(top, "README.md", "a\n" * 149 + "b" * 160)
    assert house.readme(top).missed == ()


def test_a_link_leads_to_a_file_and_a_heading_that_are_there(top: Path) -> None:
    write(top, "docs/there.md", "# A first `heading`, with: signs\n\n## Twice\n\n## Twice\n")
    good = "[a](docs/there.md) [b](docs/there.md#a-first-heading-with-signs) [c](docs/there.md#twice-1)\n"
    elsewhere = "[d](https://example.org/x) [e](#here) `[no](link)` ![f](docs/there.md)\n\n# Here\n"
    write(top, "README.md", good + elsewhere + "```\n[in a block](nowhere)\n```\n")
    assert list(links.broken(top)) == []
    bad = '[a](gone.md) [b](docs/there.md#gone) [c](../outside.md)\n<img src="gone.svg">\n\n[d]: gone.txt\n'
    write(top, "README.md", bad)
    found = [line.removeprefix("README.md: ") for line in links.broken(top)]
    assert found == ["gone.md", "docs/there.md#gone", "../outside.md", "gone.svg", "gone.txt"]


def test_the_report_names_the_places_where_a_goal_is_missed() -> None:
    met, missed = house.Figure("one", "1", "1", ()), house.Figure("two", "2", "none", ("a", "b") * 7)
    lines = house.report([met, missed], whole=False).splitlines()
    assert lines[0].startswith("met")
    assert (lines[1][:6], lines[2].strip(), lines[-2].strip()) == (
        "MISSED",
        "a",
        "and 2 more: python -m tests.house --all",
    )
    assert lines[-1] == "1 of 2 goals are met."
    assert "more" not in house.report([met, missed], whole=True)
