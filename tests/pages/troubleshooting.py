"""docs/troubleshooting.md: each exit status and each code, made of the tables of codes and of the texts beside this file."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from typing import Final

from devs_git.domain.audit.findings import FOUND_ALONE
from devs_git.entrypoints.cli.manual import STATUS
from devs_git.errors import CODES, REASONS
from tests.pages.texts import gates, ledger, setup, traces, work

GROUPS: Final = (
    (work.TITLE, work.TEXTS),
    (gates.TITLE, gates.TEXTS),
    (ledger.TITLE, ledger.TEXTS),
    (traces.TITLE, traces.TEXTS),
    (setup.TITLE, setup.TEXTS),
)
HEAD: Final = """\
# Troubleshooting

Each refusal has a code, a message that says what happened, and usually a hint with the command to type. With `--json`
they are the fields `code`, `message` and `hint`. `devs-git doctor` and `devs-git verify` answer with codes, too. This
page says of each code what it means and what to do. In the examples, replace `10`, `ID`, `COMMIT` and the like by the
values of the message.

If you do not know where to begin:

```sh
devs-git status    # finishes an interrupted command or takes it back, and shows open gates
devs-git doctor    # looks for problems, and prints the command that repairs each; it changes nothing
```

This page is generated from the table of codes: `make pages` writes it, and a test compares it.
"""


def page() -> str:
    """The page. ValueError names the codes and reasons without a text, and the texts without a code."""
    documented = [code for _title, texts in GROUPS for code in texts]
    _complete("code", documented, {*CODES, *FOUND_ALONE})
    _complete("reason", list(work.REASONS), set(REASONS))
    return "\n".join((*_head(), *_index(), *_codes(), *_reasons()))


def _complete(kind: str, documented: list[str], existing: set[str]) -> None:
    odd = sorted({*documented} ^ existing) or sorted({one for one in documented if documented.count(one) > 1})
    if odd:
        raise ValueError(f"Each {kind} has one text in tests/pages/texts/: {', '.join(odd)}")


def _head() -> Iterator[str]:
    yield HEAD
    yield "## Exit status\n"
    yield from ("| exit status | meaning |", "|---|---|")
    yield from (f"| {status} | {said} |" for status, said in STATUS.items())
    yield "\n`gate wait` exits with 4 if there is no answer yet. A dry run exits with 1 if something stops the real command.\n"


def _index() -> Iterator[str]:
    yield "## All codes\n"
    for title, texts in GROUPS:
        yield f"- {title}: {', '.join(f'[`{code}`](#{code.lower()})' for code in sorted(texts))}"
    yield "- [Why the working tree is not moved](#why-the-working-tree-is-not-moved): the `reason` of a refused move"


def _codes() -> Iterator[str]:
    for title, texts in GROUPS:
        yield f"\n## {title}"
        for code in sorted(texts):
            means, _, do = texts[code].partition("\n\n")
            yield f"\n### {code}\n\n{_wrapped(means)}\n\n{_facts(code)}\n\n{_wrapped(f'**What to do.** {do}')}"


def _wrapped(text: str) -> str:
    """The text in lines of at most 120 characters; blocks of code stay."""
    parts = re.split(r"(^```.*?^```$)", text, flags=re.DOTALL | re.MULTILINE)
    return "".join(
        part if part.startswith("```") else "\n\n".join(map(_filled, part.split("\n\n"))) for part in parts
    )


def _filled(paragraph: str) -> str:
    """The paragraph in lines; no line ends inside of a command."""
    whole = re.sub(r"`[^`]*`", lambda code: code[0].replace(" ", "\0"), " ".join(paragraph.split("\n")))
    return textwrap.fill(whole, 120, break_long_words=False, break_on_hyphens=False).replace("\0", " ")


def _facts(code: str) -> str:
    if code in FOUND_ALONE:
        return "*A finding of `doctor` or `verify`, which exit with 1 if it is an error.*"
    found = CODES[code]
    again = "; trying again may help" if found.retryable else ""
    return f"*Exit status {found.exit_status}; HTTP status {found.http_status}{again}.*"


def _reasons() -> Iterator[str]:
    yield "\n## Why the working tree is not moved\n"
    yield "`GIT_RESET_FAILED` and `CHECKOUT_FAILED` have one of these words as `reason` (`--json`):\n"
    yield from ("| reason | what it means, and what to do |", "|---|---|")
    yield from (f"| `{reason}` | {work.REASONS[reason]} |" for reason in REASONS)
    yield ""
