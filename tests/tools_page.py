"""docs/tools.md is made of the table of tools and a story. Write it anew with: python -m tests.tools_page"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any, Final

from devs_git.entrypoints.tools.results import result_forms
from devs_git.entrypoints.tools.table import TOOLS
from devs_git.entrypoints.tools.tool import MOST, OF_ALL, Param, Tool
from devs_git.errors import REASONS
from tests.support.tools_story import Call, answers, tell_story

PAGE: Final = Path(__file__).parent.parent / "docs" / "tools.md"
# Ids that are random even with a fixed clock are all shown as this one.
_RANDOM: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
# The folder in which the story happens.
_FOLDER: Final = re.compile(r"/[^\"]*/devs-git-\w+(?=/)")
_EXAMPLE_ID: Final = "f40ef6de-8cf1-4262-92da-e4dcb3ba063e"
TIERS: Final = {0: "0, reads", 1: "1, changes state", 3: "3, destroys"}
HEAD: Final = f"""\
# The tools of devs-git

Agents call these tools over MCP (`devs-git mcp`, `devs-git serve`). `POST /mcp` also takes them in the plain form
`{{"tool": …, "params": {{…}}}}`: see [MCP and HTTP](api.md). A tool is a command of the command line. Its result is what that
command prints with `--json`. An error is the same object `{{"error", "code", "message", "hint", "retryable", …}}`, with `isError`.
This page is generated from the table of tools: `make pages` writes it. The calls and answers come from one story with a
fixed clock.

- A tool of **tier 0** only reads, and leaves no event. A tool of **tier 1** changes state, and you can undo the change. No
  tool has tier 3, and no tool decides a gate.
- While a gate is open, some tools answer `GATE_BLOCKED` with the `gate_id`; the table says which. Then stop writing, tell
  the person, and wait.
- Any tool may answer {", ".join(f"`{code}`" for code in OF_ALL)}. If `retryable` is true, a second try may help.
- Messages and hints name tools and arguments; on the command line they name commands and options. If a hint names a
  command, there is no tool for it: type the command in a shell, or ask a person.
- `GIT_RESET_FAILED` and `CHECKOUT_FAILED` say in `reason` why the working tree is not moved:
  {", ".join(f"`{reason}`" for reason in REASONS)}. If files are in the way, `paths` names them, at most a hundred.
- An answer of more than 500 characters, also a refusal, is stored as a trace, and `_meta.traceId` names it (over HTTP the
  header `Devs-Trace-Id`). Answers of tools that only read (tier 0), and of dry runs, are not stored.
- Before you rewind, call `preview_rewind`. It writes nothing. It says what would be undone, what is not covered and what
  is in the way (`blocked_by`), and returns a `plan_id`. `rewind_to_task` with this `plan_id` does exactly that, or answers
  `PLAN_STALE` if anything has changed.
- `tools/list` describes each tool in at most two sentences, and of its output the names and types of the top level. This
  page has the rest.
"""


def page() -> str:
    calls = tell_story()
    rows = [
        f"| [`{one.name}`](#{one.name}) | {one.tier} | {_when_frozen(one)} | {_summary(one)} |"
        for one in TOOLS.values()
    ]
    table = ["| tool | tier | while a gate is open, it | what it does |", "|---|---|---|---|", *rows, ""]
    return "\n".join([HEAD, *table, *(_section(tool, calls) for tool in TOOLS.values())])


def _summary(tool: Tool) -> str:
    """The first sentence of what the tool means."""
    return re.split(r"(?<=[.:]) ", tool.meaning)[0].rstrip(".:") + "."


def _when_frozen(tool: Tool) -> str:
    return "works" if tool.runs_while_frozen else "answers `GATE_BLOCKED`"


def _section(tool: Tool, calls: list[Call]) -> str:
    moves = " It moves the working tree, so it tells clients to ask first." if tool.moves_tree else ""
    parts = [
        f"## {tool.name}",
        f"{tool.meaning} {tool.more}".rstrip(),
        f"Command `devs-git {tool.command}`, tier {TIERS[tool.tier]}. While a gate is open, it {_when_frozen(tool)}.{moves}",
        _inputs(tool),
        _outputs(tool),
        f"Codes of its own: {', '.join(f'`{code}`' for code in tool.codes) or 'none'}.",
        *(_example(call) for call in answers(calls, tool.name)),
    ]
    return "\n\n".join(parts) + "\n"


def _inputs(tool: Tool) -> str:
    if not tool.params:
        return "Input: nothing."
    rows = [
        f"| `{one.name}` | {_kind(one)} | {'yes' if one.required else ''} | {one.text} |"
        for one in tool.params
    ]
    return "\n".join(["| input | type | required | what it means |", "|---|---|---|---|", *rows])


def _kind(one: Param) -> str:
    if "enum" in one.schema:
        return " or ".join(f"`{word}`" for word in one.schema["enum"])
    if one.schema["type"] == "array":
        return f"list of {one.schema['items']['type']}"
    least, most = one.schema.get("minimum"), one.schema.get("maximum")
    if least is not None:
        return f"integer, {least} to {most}" if most != MOST else f"integer, from {least} on"
    longest = one.schema.get("maxLength")
    shortest = one.schema.get("minLength", 0)
    length = f", {f'{shortest} to' if shortest > 1 else 'at most'} {longest} characters" if longest else ""
    return f"{one.schema['type']}{length}"


def _outputs(tool: Tool) -> str:
    forms = result_forms(tool)
    told = [
        ", ".join(f"`{key}` {_type(value)}" for key, value in form["properties"].items()) for form in forms
    ]
    return "Output: " + "; or ".join(told) + "."


def _type(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return "one of " + "/".join(map(str, schema["enum"]))
    if "anyOf" in schema:
        return " or ".join(_type(form) for form in schema["anyOf"])
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    return str(schema.get("type", "any"))


def _example(call: Call) -> str:
    asked = json.dumps({"tool": call.tool, "params": call.arguments}, ensure_ascii=False)
    said = _RANDOM.sub(_EXAMPLE_ID, json.dumps(call.answer.value, indent=1, ensure_ascii=False))
    said = _FOLDER.sub("/home/ada", said)
    return f"```json\n{asked}\n```\n```json\n{said}\n```"


if __name__ == "__main__":
    if "--print" in sys.argv:
        sys.stdout.write(page())
    else:
        PAGE.write_text(page(), encoding="utf-8")
