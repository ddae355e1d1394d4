"""Ignored files that a command takes or writes over are kept before it."""

from __future__ import annotations

import tarfile
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest

from devs_git.operations.moments import net
from devs_git.storage.moments import read_moments
from devs_git.workspace import Workspace
from tests.support.net_scene import Net

Run = Callable[..., str]
pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    "command",
    [
        "git checkout inc",
        "git switch inc",
        "git reset --hard inc",
        "git merge inc",
        "git pull -q --no-rebase . inc",
        "git checkout inc -- .",
        "git restore --source=inc .",
        "git rebase inc",
        "git cherry-pick inc",
        "git read-tree -m -u HEAD inc",
    ],
)
def test_an_ignored_file_that_git_overwrites_is_kept_and_named(command: str, repo: Path, git: Run) -> None:
    git("switch", "-qc", "inc")
    (repo / ".secret").write_text("incoming")
    git("add", ".secret")
    git("commit", "-qm", "incoming")
    git("switch", "-q", "main")
    (repo / ".gitignore").write_text(".secret\n")
    git("add", ".gitignore")
    git("commit", "-qm", "ignore")
    (repo / ".secret").write_text("mine")
    net = Net(repo)
    lines = net.run(command)
    assert (repo / ".secret").read_text() == "incoming"
    assert any("1 ignored file (.secret)" in line for line in lines)
    kept = [
        here.objects.read(oid, "blob")
        for here in [Workspace.open(repo)]
        for moment in read_moments.list_moments(here.store_git, here.objects)
        for oid in [read_moments.load(here.objects, moment.id)[1].ignored]
        if oid
        for oid in [here.objects.read_tree(oid)[".secret"].oid]
    ]
    assert kept == [b"mine"]


@pytest.mark.parametrize(
    "command",
    [
        "ln -sf a.txt .env",
        "python3 - <<X\nimport os\nos.remove('.env')\nX",
        "cp a.txt .env",
        "tee .env < a.txt",
        "sed -i s/mine/theirs/ .env",
        "git log -1 --output=.env",
        "git archive -o .env HEAD",
        "dd if=a.txt of=.env",
        "sort -o.env a.txt",
        "sqlite3 .env 'drop table users'",
        "some-formatter --write .env",
        "sed -i s/mine/theirs/ .e*",
        "unzip -oq theirs.zip",
        "unzip -qo theirs.zip -d .",
        "tar -xf theirs.tar.gz",
        "tar xzf theirs.tar.gz",
        "tar --extract --file=theirs.tar.gz -C .",
        "curl -sO file:///nowhere/.env",
        "wget -qO .env http://localhost:1/",
    ],
)
def test_an_ignored_file_that_a_program_writes_over_is_kept(command: str, repo: Path) -> None:
    (repo / ".git/info/exclude").write_text(".env\n")
    (repo / ".env").write_text("theirs")
    with ZipFile(repo / "theirs.zip", "w") as archive, tarfile.open(repo / "theirs.tar.gz", "w:gz") as tape:
        archive.write(repo / ".env", ".env")
        tape.add(repo / ".env", "./.env")
    (repo / ".env").write_text("mine")
    Net(repo).run(command)
    here = Workspace.open(repo)
    newest = read_moments.list_moments(here.store_git, here.objects)[-1]
    _, details = read_moments.load(here.objects, newest.id)
    assert here.objects.read(here.objects.read_tree(details.ignored)[".env"].oid, "blob") == b"mine"


def test_all_else_is_kept_before_many_ignored_files_are_read(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To read them may take longer than a client waits."""
    monkeypatch.setattr(net, "_MANY", 1)
    (repo / ".gitignore").write_text("*.log\n")
    for name in ("one.log", "two.log", "new.txt"):
        (repo / name).write_text("mine\n")
    Net(repo).run("git clean -fdx")
    here = Workspace.open(repo)
    moments = read_moments.list_moments(here.store_git, here.objects)
    found = [read_moments.load(here.objects, one.id) for one in reversed(moments) if one.kind == "call"]
    assert [bool(details.ignored) for _, details in found] == [False, True]
    assert found[0][0] == found[1][0]
