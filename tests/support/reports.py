"""A report of a repository, read as a browser reads it."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from justhtml import JustHTML

from devs_git.commands import report
from devs_git.entrypoints.cli.texts.report_page import page
from devs_git.workspace import Workspace

# Attributes by which a page refers to something.
REFERENCES = (
    "action",
    "background",
    "cite",
    "data",
    "formaction",
    "href",
    "longdesc",
    "poster",
    "src",
    "srcset",
    "xlink:href",
)
# What could run or load something.
ACTIVE = (
    "applet",
    "base",
    "embed",
    "form",
    "frame",
    "iframe",
    "img",
    "link",
    "object",
    "script",
    "template",
    "video",
)


@dataclass(frozen=True)
class Made:
    result: report.Result
    data: bytes

    @property
    def document(self) -> JustHTML:
        """The parsed page. StrictModeError if it is not valid HTML."""
        return JustHTML(self.data, sanitize=False, strict=True)

    @property
    def text(self) -> str:
        """What a reader sees, with single spaces."""
        return " ".join(self.document.query("body")[0].to_text().split())


def make(top: Path, **how: Any) -> Made:
    """The report of a repository; nothing is masked unless `raw=False` asks for it."""
    out = io.BytesIO()
    request = report.Request(out.write, page.render, page.START, **{"raw": True, **how})
    return Made(report.run(Workspace.open(top), request), out.getvalue())


def elements(made: Made) -> list[Any]:
    """All elements of the page."""
    return made.document.query("*")


def attributes(element: Any) -> dict[str, str]:
    return {name: value or "" for name, value in (element.attrs or {}).items()}
