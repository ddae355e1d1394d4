"""Our part of a client's files goes in and comes out, and every other byte stays as it is."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from devs_git.domain.clients import project_files
from devs_git.domain.clients.claude import CLAUDE
from devs_git.domain.clients.client import MARKS, Client
from devs_git.domain.clients.codex import CODEX
from devs_git.domain.clients.known_clients import CLIENTS
from devs_git.domain.text import json_edit
from devs_git.domain.text.json_edit import Unfit
from devs_git.values import replace

pytestmark = pytest.mark.quick

COUNT = int(os.environ.get("DEVS_TEST_COUNT_CLIENT_FILES", "25"))
GROUP = {"matcher": "Bash", "hooks": [{"type": "command", "command": "./lint.sh", "timeout": 5}]}

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
events = st.sampled_from([*CLAUDE.events, "UserPromptSubmit"])
groups: st.SearchStrategy[list[dict[str, Any]]] = st.lists(
    st.just(GROUP) | st.just({"hooks": []}), max_size=3
)
hooks = st.dictionaries(events, groups, max_size=4)
servers = st.dictionaries(texts.filter(lambda name: name != "devs-git"), values, max_size=3)
documents = st.builds(
    lambda some, own: {**some, **own},
    st.dictionaries(texts, values, max_size=3),
    st.fixed_dictionaries({}, optional={"hooks": hooks, "mcpServers": servers}),
)
layouts = st.sampled_from(
    [
        json.dumps,
        lambda value: json.dumps(value, indent=2) + "\n",
        lambda value: json.dumps(value, indent="\t", ensure_ascii=False),
        lambda value: json.dumps(value, indent=4).replace("\n", "\r\n") + "\r\n",
        lambda value: json.dumps(value, separators=(" ,\n", " : ")) + " \n\n",
        lambda value: (
            "// why\n"
            + json.dumps(value, indent=2).replace("{}", "{ // {\n}").replace("\n}", ",/* } */\n}")
            + "//"
        ),
        lambda value: " " + json.dumps(value, indent=1).replace("{}", "{ }").replace("[]", "[\n]"),
    ]
)


def says(text: str, value: Any) -> bool:
    """Whether the layout, which knows no strings, made nothing else of it."""
    try:
        return bool(json_edit.load(text) == value)
    except Unfit:
        return False


@settings(max_examples=COUNT, deadline=None, database=None)
@given(documents, layouts, st.sampled_from([CLAUDE, CODEX]))
def test_json_comes_back_byte_for_byte_whatever_stood_there(
    value: dict[str, Any], layout: Callable[[Any], str], client: Client
) -> None:
    text = layout(value)
    if not says(text, value):
        return
    full = project_files.with_hooks(text, client)
    assert project_files.without_hooks(full, client) == text
    assert project_files.with_hooks(full, client) == full
    told = json_edit.load(full)
    for event in client.events:
        before = value.get("hooks", {}).get(event, [])
        assert told["hooks"][event][:-1] == before  # theirs stay, and stay first
        ours = told["hooks"][event][-1]["hooks"][0]["command"]
        assert any(mark in ours for mark in MARKS)
    assert {key: told[key] for key in told if key != "hooks"} == {k: value[k] for k in value if k != "hooks"}
    assert list(told) == list(value) + ([] if "hooks" in value else ["hooks"])
    full = project_files.with_server(text, CLAUDE)
    assert json_edit.load(full)["mcpServers"]["devs-git"] == {"command": "devs-git", "args": ["mcp"]}
    assert project_files.without_server(full, CLAUDE) == text


plain = st.text("abc \u00e9'#[]", max_size=6)
lines = st.one_of(
    plain.map(lambda text: f"# {text}"),
    st.just(""),
    st.integers(0, 99).map(lambda n: f"[table{n}]"),
    st.integers(0, 99).map(lambda n: f"[mcp_servers.other{n}]"),
    st.builds(lambda n, text: f"key{n} = {json.dumps(text)} # why", st.integers(0, 99), plain),
    st.integers(0, 99).map(lambda n: f'text{n} = """\n[mcp_servers.devs-git]\n\n"""'),
    st.integers(0, 99).map(lambda n: f"[[list{n}]]"),
)


def is_toml(text: str) -> bool:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return True


@settings(max_examples=COUNT, deadline=None, database=None)
@given(st.lists(lines, max_size=6), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_toml_comes_back_byte_for_byte_whatever_stood_there(
    parts: list[str], line_end: str, ended: bool
) -> None:
    text = "\n".join(parts).replace("\n", line_end) + (line_end if ended else "")
    if not is_toml(text):
        return
    full = project_files.with_server(text, CODEX)
    assert full.startswith(text)
    assert tomllib.loads(full)["mcp_servers"]["devs-git"] == {"command": "devs-git", "args": ["mcp"]}
    assert project_files.without_server(full, CODEX) == text
    assert project_files.with_server(full, CODEX) == full


@pytest.mark.parametrize("name", sorted(CLIENTS))
def test_a_file_that_we_made_goes_as_a_whole(name: str) -> None:
    client = CLIENTS[name]
    assert project_files.without_hooks(project_files.with_hooks(None, client), client) is None
    assert project_files.without_server(project_files.with_server(None, client), client) is None


def test_a_plug_in_of_ours_is_the_whole_file_and_never_replaces_another() -> None:
    client = replace(CLAUDE, plugin=lambda one: f"// {one.command(one.before)}\n")
    ours = project_files.with_hooks(None, client)
    assert ours == f"// {CLAUDE.command('PreToolUse')}\n"
    assert project_files.with_hooks(ours + "// older\n", client) == ours
    assert project_files.without_hooks(ours, client) is None
    assert project_files.without_hooks("// mine\n", client) == "// mine\n"
    with pytest.raises(Unfit) as refused:
        project_files.with_hooks("// mine\n", client)
    assert (refused.value.line, refused.value.what) == (1, "it is not the plug-in of devs-git")


def test_a_client_may_name_servers_in_another_form() -> None:
    entry = {"type": "local", "command": ["devs-git", "mcp"]}
    client = replace(CLAUDE, server_table="mcp", server_entry=entry)
    full = project_files.with_server('{"model": "x"}', client)
    assert json.loads(full) == {"model": "x", "mcp": {"devs-git": entry}}
    assert project_files.with_server(full, client) == full
    assert project_files.without_server(full, client) == '{"model": "x"}'
    assert project_files.server_is_changed(full, replace(client, server_entry={}))


def test_what_others_put_in_meanwhile_stays() -> None:
    full = json.loads(project_files.with_hooks("{}", CLAUDE))
    full["hooks"]["Stop"].append(GROUP)
    full["hooks"]["PreToolUse"][0]["hooks"].append(GROUP["hooks"][0])
    left = json.loads(project_files.without_hooks(json.dumps(full, indent=2), CLAUDE) or "")
    assert left == {"hooks": {"PreToolUse": [{"hooks": GROUP["hooks"]}], "Stop": [GROUP]}}
    config = project_files.with_server("model = 'x'\n", CODEX) + "\n[tools]\nweb = true\n"
    assert project_files.without_server(config, CODEX) == "model = 'x'\n\n[tools]\nweb = true\n"


def test_lines_of_an_older_version_are_replaced_where_they_stand_at_an_event() -> None:
    full = project_files.with_hooks('{"model": "x"}', CLAUDE)
    older = full.replace("until [ -e .git ]", "until [ -d .git ]", 1)
    assert older != full
    assert json.loads(project_files.with_hooks(older, CLAUDE)) == json.loads(full)
    assert project_files.without_hooks(older, CLAUDE) == '{"model": "x"}'


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", 1),
        ('{\n  // a comment\n  "model"\n}', 4),
        ('{"a": 1\n,,}', 2),
        ('{"a": /* open\n1}', 1),
        ('{"a": 1}\n}', 2),
        ('{\n"a": NaN}', 2),
        ("[]", 1),
        ('{\n"hooks": []}', 2),
        ('{"hooks": {\n"Stop": {}}}', 2),
        ('{"hooks": {"PreToolUse":\nnull}}', 2),
        ("\ufeff{}", 1),
        ("[" * 100_000, 1),
    ],
)
def test_json_that_the_client_does_not_read_is_refused_with_the_line(text: str, line: int) -> None:
    with pytest.raises(Unfit) as refused:
        project_files.with_hooks(text, CLAUDE)
    assert refused.value.line == line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a = 1\nb = \n", 2),
        ("a = 1\nmcp_servers = {}\n", 2),
        ("mcp_servers = 7\n", 1),
        ("[mcp_servers.devs-git]\ncommand = 'mine'\n", 1),
        ("a = 1\na = 2\n", 2),
    ],
)
def test_toml_in_which_our_table_has_no_place_is_refused_with_the_line(text: str, line: int) -> None:
    with pytest.raises(Unfit) as refused:
        project_files.with_server(text, CODEX)
    assert refused.value.line == line


def test_a_server_of_our_name_that_is_somebody_elses_is_never_taken_out() -> None:
    mine = '{"mcpServers": {"devs-git": {"command": "mine"}}}'
    assert project_files.without_server(mine, CLAUDE) == mine
    assert project_files.server_is_changed(mine, CLAUDE)
    mine = "[mcp_servers.devs-git]\ncommand = 'mine'\n"
    assert project_files.without_server(mine, CODEX) == mine


def test_comments_and_needless_commas_are_kept_and_told() -> None:
    text = '{\n  // "hooks": why\n  "model": "http://x, ]", /* {"a":\n1} */\n  "list": [1, 2, ],\n} // end\n'
    full = project_files.with_hooks(text, CLAUDE)
    for part in ('// "hooks": why', '/* {"a":\n1} */', '"http://x, ]"', "[1, 2, ]", "} // end\n"):
        assert part in full
    assert json_edit.load(full)["model"] == "http://x, ]"
    assert project_files.without_hooks(full, CLAUDE) == text
    assert json_edit.loose_line(text) == 2
    assert json_edit.loose_line('{"a": "// none, ]"}') == 0
