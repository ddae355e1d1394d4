"""Hooks and schemas are found in a wheel, where they sit inside the package, and in a checkout."""

from __future__ import annotations

from pathlib import Path

import pytest

from devs_git.storage.documents import package_files


@pytest.mark.quick
def test_a_checkout_has_them_at_its_top() -> None:
    top = Path(__file__).parent.parent.parent.parent
    assert (package_files.folder("hooks"), package_files.folder("schemas")) == (
        top / "hooks",
        top / "schemas",
    )


def test_what_sits_in_the_package_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "devs_git"
    for folder in (package / "_schemas", tmp_path / "schemas"):
        folder.mkdir(parents=True)
        (folder / "x.json").write_text(folder.name)
    monkeypatch.setattr(package_files, "PACKAGE", package)
    assert package_files.read("schemas", "x.json") == b"_schemas"
