"""What one section of a TAS does to the others on the rendered page counts as a change of those."""

from __future__ import annotations

import time

import pytest

from devs_git.domain.gates import tas_sections

pytestmark = pytest.mark.quick

BEFORE = "# Dates\nold\n\n# Storage\nold, see [spec]\n\n# Access\nold\n\n[spec]: http://good\n"


def changed(section: str, before: str = BEFORE) -> tuple[str, ...]:
    """What a change of the approved section `Dates` touches besides."""
    return tas_sections.changed_outside(
        before, before.replace("# Dates\nold", f"# Dates\n{section}", 1), ("Dates",)
    )


HIDING = {
    "a div": "<div hidden>\n",
    "details": "<details><summary>more</summary>\n",
    "a comment in a block": "<div><!--\n",
    "a comment after text of a block": "<p>x <!-- y\n",
    "a div in a paragraph": "text <div hidden>\n",
    "a div over two lines": "text <div\nhidden>\n",
    "a div in a paragraph that a tag ended": "text </p><span hidden>\n",
    "a style that begins": "<div><style>\n",
    "a textarea that begins": "text <textarea>\n",
    "a title in svg's place": "text <title>\n",
    "a template": "<template>\n",
    "a template in a list": "- text <template>\n",
    "a template in a cell": "a | b\n--|--\nx | <template>\n",
    "a style in a cell beside code": "a | b | c\n--|--|--\n` | <xmp> | `\n",
    "svg": "<svg>\n",
    "an attribute without an end": '<div title="\n',
    "a tag without an end": "<div hidden\n",
    "a tag without an end in a list": "- <div title='\n",
    "a tag without an end in a quote": "> <div title='\n",
    "an odd quote": '<img a"><div hidden><i b">\n',
    "a span that is a block": "<span hidden>\n",
    "a link that hides": '<a style="display:none">\n',
    "an end in a code span": "<div hidden>\n\n`</div>`\n",
    "an end in a fence": "<div hidden>\n\n```\n</div>\n```\n",
    "an end in a comment": "<div hidden><!-- </div> -->\n",
    "an end in an attribute": '<div hidden><img alt="</div>">\n',
    "an end in a cell": "<div hidden>\n\na | b\n--|--\nx | </div>\n",
    "an end in a table": "<div hidden><table><tr><td></div>\n",
    "an end in a select": "<div hidden><select></div>\n",
    "an instruction that a browser ends early": "<? > <div hidden> ?>\n",
    "a comment that a browser ends early": "text <!--> <div hidden> -->\n",
    "CDATA that a browser ends early": "text <![CDATA[ > <div hidden> ]]>\n",
    "a void look": "<div hidden/>\n",
    "a list that was ended": "- </li></ul><div hidden>\n",
    "a fence in a list that ended": "- - ```\n  - <template>\n",
    "a fence in a quote that ended": "> ```\n> x\n\n<div hidden>\n",
    "code that another paragraph ends": "a `\n### x\n`<div hidden>\n",
    "a frame": "<iframe>\n",
    "a rule that ends the paragraph": "text <hr><label hidden>\n",
    "a form that ends alone": "<form><label hidden></form>\n",
    "CDATA in a quote that ended": "> <![CDATA[<div\nhidden>\n",
    "an end that does not reach": "text </p><span hidden><blockquote></span>\n",
    "a part of no table": "<div hidden><td></td></div><template>\n",
    "text in a drawing": "<svg><foreignObject><textarea></svg>\n",
    "a block in a drawing": "<svg><div hidden></svg>\n",
    "a format in a block": "<div><em hidden></div>\n",
    "a quote in a quote": "> <blockquote>\n",
    "plain text for ever": "<div><plaintext></plaintext>\n",
}


@pytest.mark.parametrize("section", HIDING.values(), ids=HIDING)
def test_what_hides_the_sections_after_it_touches_them(section: str) -> None:
    found = changed(section)
    assert [name.split(" (now inside <")[0] for name in found] == ["Storage", "Access"]
    assert all(" (now inside <" in name for name in found)


@pytest.mark.parametrize(
    "section", ["<!--", "```\n", "~~~~\nx\n", "<!-- x\n", "<script>\n", "<pre>\n", "<?php\n", "<![CDATA[\n"]
)
def test_a_block_that_takes_the_headings_with_it_touches_them(section: str) -> None:
    assert changed(section) == ("Storage", "Access")


EVERYWHERE = (
    "<style>h1 {display: none}</style>\n",
    "<script>document.body.remove()</script>\n",
    "text <base href='http://x'>\n",
    "<link rel=stylesheet href=x>\n",
    "<body hidden></body>\n",
)


@pytest.mark.parametrize("section", EVERYWHERE)
def test_what_counts_for_the_whole_page_touches_every_section(section: str) -> None:
    assert [name.split(" (now under <")[0] for name in changed(section)] == ["Storage", "Access"]


HONEST = {
    "closed": "<details>\n<summary>more</summary>\n\ntext\n\n</details>\n",
    "code": "`<div hidden>` and ``a ` <div>`` \\<div>\n",
    "a fence": "```html\n<div hidden>\n```\n",
    "a fence in a list": "- x\n\n  ```html\n  <div hidden>\n\n  <div>\n  ```\n- y\n",
    "code in a list": "1. `<template>` and `<div>`\n2. x\n",
    "indented code": "text\n\n    <div hidden>\n",
    "a generic type": "a List<String> and a Map<K>\n",
    "a generic type in a list": "- a List<String>\n- b\n",
    "a generic type in a cell": "a | b\n--|--\nx | List<String>\n",
    "a place to link to": '<a name="dates"></a>\n<a id="x"/>\n',
    "a comment": "<!-- a note -->\ntext <!-- another --> text\n",
    "comparison": "a < b > c, 1 <2, <3\n",
    "an address": "<https://example.org> and <a@b.c>\n",
    "void elements": '<br>\n<img src="a.png" alt="<b>">\n<hr/>\n',
    "a line that breaks": "a<br/>b\n",
    "keys": "<kbd>Ctrl</kbd>+<kbd>C</kbd>, H<sub>2</sub>O\n",
    "a table of HTML": "<table>\n<tr><td>a<td>b\n</table>\n",
    "a picture": '<svg width="1"><path d="M0"/></svg>\n',
    "a list in HTML": "<ul><li>a<li>b</ul>\n",
    "a quote": "> text\n> more\n",
    "its own link": "see [own]\n\n[own]: http://own\n",
}


@pytest.mark.parametrize("section", HONEST.values(), ids=HONEST)
def test_an_honest_section_touches_no_other(section: str) -> None:
    assert changed(section) == ()


def test_a_link_that_another_section_gives_another_target_is_a_change() -> None:
    assert changed("[spec]: http://bad\n") == (
        "Storage (now with [spec] as http://bad)",
        "Access (now with [spec] as http://bad)",
    )
    assert changed("[old]: http://bad\n") == ()


def test_what_was_hidden_and_is_shown_again_is_a_change_and_what_stays_is_none() -> None:
    before = "# Dates\n<div hidden>\n\n# Storage\n</div>\n"
    assert changed("x", before.replace("<div hidden>", "old\n<div hidden>")) == ()
    assert tas_sections.changed_outside(before, before.replace("<div hidden>\n", "x\n"), ("Dates",)) == (
        "Storage (no longer inside <div hidden>)",
    )


@pytest.mark.thorough
@pytest.mark.parametrize(
    "text",
    ["<!--" * 50_000, "`" + "a`b``" * 40_000, "<a " * 50_000, "[" * 100_000, " " * 100_000 + "x\n|", "<div>\n\n" * 20_000, "- <x\n" * 20_000, "> " * 50_000, "a|" * 50_000 + "\n-|-\n", "`" * 100_000 + "<", "</div>" * 20_000],
    ids=range(11),
)  # fmt: skip
def test_no_text_takes_long(text: str) -> None:
    begun = time.process_time()
    tas_sections.sections(f"# a\n{text}\n[x]: y\n<b>\n")
    assert time.process_time() - begun < 2
