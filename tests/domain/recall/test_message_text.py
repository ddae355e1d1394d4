"""A message as text: what is searched and shown of it."""

from __future__ import annotations

import json

import pytest

from devs_git.domain.recall.message_text import plain, text_of

pytestmark = pytest.mark.quick


def test_json_is_written_without_its_syntax() -> None:
    given = {"command": 'cd a\nmake "all"', "options": ["-k", {"jobs": 2}], "none": None, "quick": True}
    written = 'command: cd a\nmake "all", options: -k, jobs: 2, none: , quick: true'
    assert plain(given) == written
    assert plain(json.dumps(given)) == written


def test_only_lines_that_are_json_are_written_in_another_way() -> None:
    for text in ("[ERROR] nothing here", "plain {text}", "", "{}", "[1, 2]"):
        assert plain(text) == text
    assert plain('Output:\n{"output":"one\\ntwo"}\nlast') == "Output:\noutput: one\ntwo\nlast"


def test_a_json_text_whose_middle_was_left_out_has_no_syntax_either() -> None:
    cut = (
        '{"output":"one\\ntwo\\"\n[5 characters are left out; the whole output: devs-git trace get x]\nlast"}'
    )
    assert "one two" in " ".join(plain(cut).split())
    assert plain(cut).split()[4:7] == ["5", "characters", "are"]
    assert plain('{"output":"one\\n\n…\n\\ntwo\\n"}').split() == ["output", ":", "one", "…", "two"]


def test_a_word_at_the_start_of_a_line_of_an_input_is_a_word_of_its_own() -> None:
    call = {"id": "c", "name": "Bash", "input": {"command": "cd a\nmake"}}
    assert text_of({"tool_calls": [call]}).split() == ["Bash", "command:", "cd", "a", "make"]
    assert text_of({"content": "lone \ud800 and NUL \0"}) == "lone ? and NUL  "
