"""`devs-git`, `git devs` and `python -m devs_git`. The git hooks' door skips click: it must be quick."""

from __future__ import annotations

import gc
import sys


def main() -> int:
    """The exit status of the door that was called."""
    gc.set_threshold(
        50_000
    )  # a command imports and ends: looking for cycles every 700 objects is a tenth of its start
    if sys.argv[1:2] == ["hook"]:
        from devs_git.entrypoints.git_hook import main as hook

        return hook(sys.argv[2:])
    if sys.argv[1:] in (["--help"], ["-h"]):
        from devs_git.entrypoints.cli import overview

        sys.stdout.write(overview.text() + "\n")
        return 0
    from devs_git.entrypoints.cli.main import main as cli

    try:
        return cli()
    finally:
        gc.freeze()  # what is left dies with the process: nobody needs to look through it once more


if __name__ == "__main__":
    sys.exit(main())
