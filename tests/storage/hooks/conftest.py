"""Fixtures of the tests of hooks."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from devs_git.storage.documents import package_files
from tests.support.hook_stage import NAMES, HookStage


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HookStage:
    """Our hooks, with one more line after their header that records that they ran."""
    copy = tmp_path / "package"
    shutil.copytree(package_files.folder("hooks"), copy / "_hooks")
    for guard in ("query-ledger-and-tas.sh", "refuse-while-frozen.sh", "check-tas.sh"):
        (copy / "_hooks" / guard).write_text("")  # these repositories have no ledger
    for name in NAMES:
        file = copy / "_hooks" / name
        file.write_text(file.read_text().replace("\nfi\n", '\nfi\necho "ours ${0##*/}" >>"$RAN"\n', 1))
    monkeypatch.setattr(package_files, "PACKAGE", copy)
    monkeypatch.setenv("RAN", str(tmp_path / "ran"))
    return HookStage(tmp_path / "ran")
