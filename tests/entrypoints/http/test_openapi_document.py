"""Requests generated from the OpenAPI document: every answer is described there, and none is INTERNAL."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from devs_git.entrypoints.http.routes import ROUTES
from devs_git.entrypoints.tools import calling
from tests.support.web_client import serve

pytestmark = pytest.mark.thorough

REQUESTS = int(os.environ.get("DEVS_TEST_COUNT_REQUESTS", "5"))


def test_no_request_that_the_document_allows_or_nearly_allows_is_a_bug(initialised: Path) -> None:
    for task in ("0", "1"):  # what such requests mostly ask for
        for name, arguments in (
            ("start_task", {"title": "x"}),
            ("commit_task", {"message": "m"}),
        ):
            assert not calling.call(name, {"task_id": task, **arguments}, initialised).is_error
    with serve(initialised) as web:
        words = [
            sys.executable,
            "-m",
            "schemathesis.cli",
            "run",
            f"http://127.0.0.1:{web.port}/api/v1/openapi.json",
        ]
        # A branch must also be free, which no document can say: so "valid" requests may be refused.
        words += ["--checks", "all", "--exclude-checks", "positive_data_acceptance"]
        words += ["--max-examples", str(REQUESTS), "--seed", "1", "--no-color"]
        done = subprocess.run(words, cwd=initialised.parent, check=False, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
        assert f"Tested: {len(ROUTES)}" in done.stdout
        assert web.tool("git_status").status == 200
