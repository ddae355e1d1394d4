"""Which files a call of a client's own editing tools wrote, as its input names them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from devs_git.domain.calls.edited_files import edited_files, may_write_any_file
from devs_git.domain.clients.known_clients import CLIENTS

pytestmark = pytest.mark.quick

RECORDED = sorted(Path(__file__).parents[2].glob("examples/clients/*/*/*.hooks.jsonl"))
PATCH = """*** Begin Patch
*** Add File: new.txt
+*** Update File: not-this.txt
*** Update File: src/a b.py
*** Move to: src/c.py
@@ def f():
-*** Delete File: nor-this.txt
+x
*** Delete File: /work/repo/gone.txt
*** Update File: new.txt
@@
+y
*** End Patch
"""


@pytest.mark.parametrize("file", RECORDED, ids=lambda path: path.stem)
def test_the_file_that_each_real_client_wrote_is_found_in_its_payload(file: Path) -> None:
    client = CLIENTS[file.parent.parent.name]
    payloads = [json.loads(line) for line in file.read_text().splitlines()]
    after = [one for one in payloads if one["hook_event_name"] in client.after]
    found = [edited_files(client, one[client.fields.tool], one[client.fields.tool_input]) for one in after]
    assert sum(found, ()) == ("/work/repo/new.txt",)


@pytest.mark.parametrize(
    ("client", "tool", "given", "paths"),
    [
        ("claude", "Edit", {"file_path": "/r/a", "old_string": "x", "new_string": "y"}, ("/r/a",)),
        ("claude", "MultiEdit", {"file_path": "/r/a", "edits": []}, ("/r/a",)),
        ("claude", "NotebookEdit", {"notebook_path": "/r/a.ipynb", "new_source": "1"}, ("/r/a.ipynb",)),
        ("claude", "Read", {"file_path": "/r/a"}, ()),
        ("claude", "Bash", {"command": PATCH}, ()),
        ("claude", "Write", {"content": "x"}, ()),
        ("claude", "Write", {"file_path": ["/r/a"]}, ()),
        ("claude", "Write", None, ()),
        ("codex", "apply_patch", PATCH, ("new.txt", "src/a b.py", "src/c.py", "/work/repo/gone.txt")),
        ("codex", "apply_patch", {"command": "*** Begin Patch\n*** Add File: a\r\n"}, ("a",)),
        ("gemini", "replace", {"file_path": "a", "old_string": "x"}, ("a",)),
        ("opencode", "edit", {"filePath": "a"}, ("a",)),
        ("opencode", "apply_patch", {"patchText": "*** Delete File: a\n"}, ("a",)),
    ],
)
def test_each_tool_for_editing_names_its_files(
    client: str, tool: str, given: Any, paths: tuple[str, ...]
) -> None:
    assert edited_files(CLIENTS[client], tool, given) == paths


def test_no_line_of_a_patch_that_is_text_of_a_file_names_a_file() -> None:
    given = {"command": PATCH}
    assert not any("this" in path for path in edited_files(CLIENTS["codex"], "apply_patch", given))


@pytest.mark.parametrize(
    ("client", "tool", "given", "may"),
    [
        ("claude", "Bash", {"command": "make fmt"}, True),
        ("claude", "Bash", {"command": "ls -l"}, False),
        ("claude", "Bash", {"command": "ls > f"}, True),
        ("claude", "mcp__filesystem__write_file", {"path": "f"}, True),
        ("claude", "SomethingNew", {}, True),
        ("claude", "mcp__devs-git__restore_files", {}, False),
        ("claude", "Bash", {"command": "devs-git checkpoint --mine"}, False),
        ("claude", "mcp__devs-git__list_checkpoints", {}, False),
        ("claude", "Read", {"file_path": "f"}, False),
        ("claude", "Write", {"file_path": "f"}, False),
        ("codex", "apply_patch", PATCH, False),
        ("gemini", "write_file", {"file_path": "f"}, False),
        ("gemini", "save_memory", {}, True),
        ("opencode", "", {}, False),
    ],
)
def test_a_tool_may_write_any_file_unless_it_only_reads_or_names_what_it_edits(
    client: str, tool: str, given: Any, may: bool
) -> None:
    assert may_write_any_file(CLIENTS[client], tool, given) == may
