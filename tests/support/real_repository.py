"""A repository as people have it: some history, several files, a subfolder, a tag, an ignored file, a hook of their own."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final

# What the comments in README's block stand for.
WORK: Final = "echo 'one line more' >> src/dates.py"

HISTORY: Final = """\
git init -q
mkdir -p src tests docs
printf '# Dates\\n\\nReads dates.\\n' > README.md
printf '*.pyc\\nbuild/\\n' > .gitignore
printf 'def parse(text):\\n    return text\\n' > src/dates.py
git add .
git commit -q -m 'A first parser'
printf 'from dates import parse\\n' > tests/test_dates.py
printf '# Formats\\n' > docs/formats.md
git add .
git commit -q -m 'Tests and a page about formats'
printf 'def times(text):\\n    return text\\n' > src/times.py
git add .
git commit -q -m 'Times'
git branch feature
git tag -a v1.0 -m 'Version 1.0'
mkdir build
printf 'made\\n' > build/out.txt
printf '#!/bin/sh\\nexit 0\\n' > .git/hooks/pre-commit
chmod +x .git/hooks/pre-commit
"""


def make(top: Path, env: Mapping[str, str] | None = None) -> None:
    """Make it in this folder, which must not exist."""
    top.mkdir(parents=True)
    subprocess.run(["sh", "-e", "-c", HISTORY], cwd=top, env=env, check=True)
