"""What tools beside us write into a repository, as small imitations: seen in the versions that are named.

By hand the same was seen with the real tools: husky 9.1.7 and lefthook 2.2.2 from npm, pre-commit 4.7.0 from PyPI.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.support.hook_stage import script

# husky 9.1.7: `node_modules/husky/index.js`, which `prepare` runs at each `npm install`.
HUSKYS = (
    *("pre-commit", "pre-merge-commit", "prepare-commit-msg", "commit-msg", "post-commit", "applypatch-msg"),
    *("pre-applypatch", "post-applypatch", "pre-rebase", "post-rewrite", "post-checkout", "post-merge"),
    *("pre-push", "pre-auto-gc"),
)
HUSKYS_STUB = '#!/usr/bin/env sh\n. "$(dirname "$0")/h"'
# husky 9.1.7: `node_modules/husky/husky`, without its words for old configurations.
HUSKYS_RUNNER = """#!/usr/bin/env sh
[ "$HUSKY" = "2" ] && set -x
n=$(basename "$0")
s=$(dirname "$(dirname "$0")")/$n

[ ! -f "$s" ] && exit 0

[ "${HUSKY-}" = "0" ] && exit 0

export PATH="node_modules/.bin:$PATH"
sh -e "$s" "$@"
c=$?

[ $c != 0 ] && echo "husky - $n script failed (code $c)"
[ $c = 127 ] && echo "husky - command not found in PATH=$PATH"
exit $c
"""
# lefthook 2.2.2: what `lefthook install` writes, with its search for the program cut to one place.
LEFTHOOKS = '#!/bin/sh\n\nif [ "$LEFTHOOK" = "0" ]; then\n  exit 0\nfi\n\ncall_lefthook()\n{\n  true\n}\n\ncall_lefthook run "{name}" "$@"\n'


def npm_install_with_husky(top: Path, tracked: str = ".husky") -> Path:
    """husky writes its folder anew, whatever stands there, and leaves other files in it."""
    folder = top / tracked / "_"
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["git", "config", "core.hooksPath", f"{tracked}/_"], cwd=top, check=True)
    (folder / ".gitignore").write_text("*")
    (folder / "h").write_text(HUSKYS_RUNNER)
    for name in HUSKYS:
        path = folder / name
        path.write_text(HUSKYS_STUB)  # as `writeFileSync`: into the file that is there
        path.chmod(0o755)
    return folder


def lefthook_install(top: Path, *names: str) -> None:
    """lefthook renames a hook that is not its own to `<name>.old`, and installs `prepare-commit-msg` with any other."""
    for name in (*names, "prepare-commit-msg"):
        hook = top / ".git/hooks" / name
        if hook.exists() and b"call_lefthook" not in hook.read_bytes():
            hook.rename(hook.with_name(f"{name}.old"))
        script(hook, LEFTHOOKS.replace("{name}", name))
