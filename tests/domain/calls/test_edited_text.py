"""What a file contains after a call of an editing tool."""

from __future__ import annotations

from typing import Any

import pytest

from devs_git.domain.calls.edited_text import moved_from, text_after
from devs_git.domain.clients.known_clients import CLIENTS

pytestmark = pytest.mark.quick

PATCH = """*** Begin Patch
*** Add File: new.txt
+one
+two
*** Update File: old.txt
*** Move to: moved.txt
@@
 a
-b
+B
*** Delete File: gone.txt
*** Update File: twice.txt
@@ def f():
 x
-y
+Y
@@
-y
+Z
*** End Patch
"""


@pytest.mark.parametrize(
    ("client", "tool", "given", "before", "after"),
    [
        ("claude", "Write", {"content": "new\n"}, "old\n", "new\n"),
        ("claude", "Edit", {"old_string": "a", "new_string": "b"}, "a a", "b a"),
        ("claude", "Edit", {"old_string": "a", "new_string": "b", "replace_all": True}, "a a", "b b"),
        ("claude", "Edit", {"old_string": "a", "new_string": "b"}, "x", None),
        ("claude", "Edit", {"old_string": "", "new_string": "b"}, "", "b"),
        ("claude", "Edit", {"old_string": "", "new_string": "b"}, "x", None),
        (
            "claude",
            "MultiEdit",
            {
                "edits": [
                    {"old_string": "a", "new_string": "b"},
                    {"old_string": "b", "new_string": "c"},
                ]
            },
            "a",
            "c",
        ),
        ("claude", "MultiEdit", {"edits": [{"old_string": "no", "new_string": "b"}, 7]}, "a", None),
        ("claude", "NotebookEdit", {"new_source": "1"}, "{}", None),
        ("claude", "Bash", {"content": "x"}, "a", None),
        ("gemini", "replace", {"old_string": "a", "new_string": "b"}, "a", "b"),
        ("opencode", "edit", {"oldString": "a", "newString": "b", "replaceAll": True}, "aa", "bb"),
        ("claude", "Write", None, "a", None),
    ],
)
def test_an_edit_makes_the_new_text_of_the_old_one_or_says_that_it_cannot(
    client: str, tool: str, given: Any, before: str, after: str | None
) -> None:
    assert text_after(CLIENTS[client], tool, given, "f", before) == after


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("new.txt", "", "one\ntwo\n"),
        ("old.txt", "a\nb\n", ""),
        ("moved.txt", "a\nb\nc\n", "a\nB\nc\n"),
        ("moved.txt", "a\nc\n", None),
        ("gone.txt", "x", ""),
        ("twice.txt", "y\nx\ny\ny\n", "y\nx\nY\nZ\n"),
        ("other.txt", "x", None),
    ],
)
def test_a_patch_makes_the_text_of_each_of_its_files(name: str, before: str, after: str | None) -> None:
    assert text_after(CLIENTS["codex"], "apply_patch", {"command": PATCH}, name, before) == after
    assert moved_from(CLIENTS["codex"], "apply_patch", PATCH, name) == (
        "old.txt" if name == "moved.txt" else ""
    )
