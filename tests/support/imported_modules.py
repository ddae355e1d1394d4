"""Counts the modules of devs_git that each process of a sequence of commands imports: the command line, git hooks, the MCP server.

The `__init__` of a folder does not count: it has one line, and the number of folders says nothing here.
It uses only the standard library and the programs of one `bin` folder, so it can count in an older checkout, too.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

_SITE = """
import atexit, os, sys, time
def note(os=os, modules=sys.modules):
    names = [name for name in list(modules) if name.partition(".")[0] == "devs_git" and not hasattr(modules[name], "__path__")]
    if names:
        with open(os.path.join(os.environ["MODULES_OF"], str(time.time_ns())), "w") as stream:
            stream.write("\\n".join(names))
atexit.register(note)
"""
_START = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
_HELLO = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": _START}) + "\n"
_LIST = _HELLO + json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}) + "\n"
_TOOL = {"session_id": "s", "hook_event_name": "PreToolUse", "tool_name": "Write", "tool_use_id": "u"}
_HOOK = "{bin}/python -P -m devs_git hook"
# Name of the path ('' if it is only a preparation), command, standard input.
STEPS = (
    ("--help", "devs-git --help", ""),
    ("--version", "devs-git --version", ""),
    ("log --help", "devs-git log --help", ""),
    ("init", "devs-git init", ""),
    ("", "git add -A && git commit -qm policy", ""),
    ("log, no checkpoint", "devs-git log", ""),
    ("task start", "devs-git task start 10 --title Parse", ""),
    ("task status", "devs-git task status", ""),
    ("", "echo 1 >a && git add a", ""),
    ("git commit", "git commit -qm one", ""),
    ("git commit --amend", "git commit -q --amend -m again", ""),
    ("", "echo 2 >a && git add a", ""),
    ("checkpoint", "devs-git checkpoint -m two", ""),
    ("", "echo 3 >a", ""),
    ("task complete", "devs-git task complete --all -m three", ""),
    ("task result", "devs-git task result 10", "The result.\n"),
    ("status", "devs-git status", ""),
    ("log", "devs-git log", ""),
    ("history", "devs-git history", ""),
    ("show", "devs-git show task-10", ""),
    ("diff", "devs-git diff task-10@2", ""),
    ("branch", "devs-git branch task-10@2 -b side", ""),
    ("checkout", "devs-git checkout side", ""),
    ("", "devs-git checkout main", ""),
    ("snapshot create", "echo 4 >b && devs-git snapshot create", ""),
    ("snapshot list", "devs-git snapshot list", ""),
    ("restore", "rm b && devs-git restore task-10@2", ""),
    ("", "devs-git undo", ""),
    ("rewind --dry-run", "devs-git rewind task-10@2 --dry-run", ""),
    ("rewind", "devs-git rewind task-10@2", ""),
    ("undo", "devs-git undo", ""),
    ("verify", "devs-git verify ledger commits", ""),
    ("doctor", "devs-git doctor", ""),
    ("trace put", "devs-git trace put --id t", "printed\n"),
    ("trace get", "devs-git trace get t", ""),
    ("trace list", "devs-git trace list", ""),
    ("trace search", "devs-git trace search printed", ""),
    ("trace export", "devs-git trace export --output ../t.gz", ""),
    ("trace import", "devs-git trace import ../t.gz", ""),
    ("trace ingest", "devs-git trace ingest", ""),
    ("trace prune", "devs-git trace prune --older-than 900d --yes", ""),
    ("conversation snapshots", "devs-git conversation snapshots", ""),
    ("gate list", "devs-git gate list", ""),
    ("gate request", "devs-git gate request --type MANUAL --blocker 'The release waits for a person.'", ""),
    ("agent hook, before a tool", f"{_HOOK} before-tool claude .git", json.dumps(_TOOL)),
    ("hook pre-commit", f"{_HOOK} pre-commit", ""),
    ("hook checked", f"{_HOOK} checked", ""),
    ("hook newest", f"{_HOOK} newest", ""),
    ("hook gate-guard", f"{_HOOK} gate-guard || true", ""),
    ("hook policy-schema", f"{_HOOK} policy-schema devs-policy.yaml", ""),
    ("hook commit-trailers", f"echo x >../m && {_HOOK} commit-trailers ../m || true", ""),
    ("hook strict-tags", f"{_HOOK} strict-tags $(git rev-parse devs/ledger) </dev/null || true", ""),
    ("agent install", "devs-git agent install claude", ""),
    ("aliases install", "devs-git aliases install", ""),
    ("completion", "devs-git completion bash", ""),
    ("mcp, start", "devs-git mcp", _HELLO),
    ("mcp, list of tools", "devs-git mcp", _LIST),
)


def count(programs: Path, folder: Path) -> Iterator[tuple[str, int]]:
    """Each path with how many modules it imports; of several processes the one with the most."""
    site, found, home, top = (folder / name for name in ("site", "found", "home", "repo"))
    for made in (site, found, home, top):
        made.mkdir(parents=True)
    (site / "sitecustomize.py").write_text(_SITE)
    (home / ".gitconfig").write_text(
        "[user]\nname = A\nemail = a@example.org\n[init]\ndefaultBranch = main\n"
    )
    plain = {name: text for name, text in os.environ.items() if not name.startswith(("GIT_", "DEVS_", "COV"))}
    env = {**plain, "HOME": str(home), "PYTHONPATH": str(site), "MODULES_OF": str(found)}
    env |= {"PATH": f"{programs}:{plain['PATH']}", "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", "init", "-q"], cwd=top, env=env, check=True)
    for name, command, given in STEPS:
        words = ["sh", "-ec", command.replace("{bin}", str(programs))]
        done = subprocess.run(
            words, cwd=top, env=env, input=given, text=True, capture_output=True, check=False
        )
        assert not done.returncode, (command, done.stdout, done.stderr)
        if name:
            yield name, _most(found)
        _most(found)


def _most(found: Path) -> int:
    """The most modules of one process since the last call."""
    counts = [0]
    for file in found.iterdir():
        counts.append(len(file.read_text().split()))
        file.unlink()
    return max(counts)


if __name__ == "__main__":
    for path, modules in count(Path(sys.argv[1]), Path(sys.argv[2])):
        sys.stdout.write(f'    "{path}": {modules},\n')
