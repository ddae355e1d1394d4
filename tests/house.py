"""`make house`: figures of the source tree, each with its goal. It exits with 1 where a goal is missed.

The figures warn; they do not prove that a reader finds his way.
"""

from __future__ import annotations

import ast
import re
import statistics
import subprocess
import sys
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from devs_git.values import immutable
from tests import links

TOP: Final = Path(__file__).parent.parent
PACKAGE: Final = "devs_git"
MOST_MODULES, MOST_LINES, MEDIAN_BELOW = 25, 300, 110
README_LINES, README_WIDTH = 150, 160
SHOWN: Final = 12  # of the places where a goal is missed
# The one module in which the keys of trailers are literals.
KEYS: Final = "domain/ledger/event_keys.py"
# A header of HTTP, no key of an event.
NO_KEYS: Final = ("Devs-Trace-Id",)
# It writes any result as JSON, so it is no renderer of text.
NO_RENDERERS: Final = ("as_json",)
TEXTS: Final = re.compile(r"entrypoints/(?:cli/.*|(?:.*/)?\w*(?:text|render)\w*)\.py")
_WORD: Final = re.compile(r"\bDESIGN\b")
# Participles without -ed and -ing that somebody once took as the name of a function.
IRREGULAR: Final = re.compile(
    "told|seen|known|kept|held|gone|done|left|lost|found|written|taken|made|given|sent|meant|shown|drawn|built|heard"
    "|broken|hidden|said|stood|bound|begun|chosen|fallen|laid|spent|struck|torn|understood"
)
# These are nouns or verbs, though they end so.
NO_PARTICIPLES: Final = (
    "exceed",
    "proceed",
    "finding",
    "warning",
    "setting",
    "listing",
    "spelling",
    "mapping",
    "heading",
)


@immutable
class Figure:
    """What was counted, what it should be, and the places where it is not so."""

    name: str
    found: str
    goal: str
    missed: tuple[str, ...]


def modules(top: Path) -> dict[str, str]:
    """The source of each module by its path below the package; `__init__` is no module of its own."""
    package = top / PACKAGE
    files = sorted(file for file in package.rglob("*.py") if file.name != "__init__.py")
    return {file.relative_to(package).as_posix(): file.read_text(encoding="utf-8") for file in files}


def folders(found: dict[str, str]) -> Figure:
    """How many modules stand directly in each folder."""
    counts: dict[str, int] = defaultdict(int)
    for path in found:
        counts[path.rpartition("/")[0]] += 1
    ranked = sorted(counts.items(), key=lambda item: -item[1])
    many = [(folder, count) for folder, count in ranked if folder != "commands" and count > MOST_MODULES]
    shown = ", ".join(f"{folder or '.'} {count}" for folder, count in ranked[:4])
    goal = f"at most {MOST_MODULES} in a folder, but commands"
    return Figure("modules per folder", shown, goal, tuple(f"{folder}: {count}" for folder, count in many))


def longest(found: dict[str, str]) -> Figure:
    lines = {path: source.count("\n") for path, source in found.items()}
    path = max(lines, key=lambda one: lines[one])
    missed = tuple(f"{one}: {count}" for one, count in lines.items() if count > MOST_LINES)
    return Figure("longest module", f"{lines[path]} lines, {path}", f"at most {MOST_LINES}", missed)


def median(found: dict[str, str]) -> Figure:
    middle = statistics.median(source.count("\n") for source in found.values())
    missed = () if middle < MEDIAN_BELOW else (f"the median is {middle:g}",)
    return Figure(
        "median of modules", f"{middle:g} lines of {len(found)} modules", f"under {MEDIAN_BELOW}", missed
    )


def cycles(edges: dict[str, set[str]], at_run_time: dict[str, set[str]]) -> Figure:
    """Groups of modules that import each other, at start or late, however long the way round.

    `edges` has what a type checker imports too, `at_run_time` has not: a group without a way round there is marked.
    """
    running = set().union(*_rings(at_run_time))
    said = tuple(
        " <-> ".join(one.removeprefix(f"{PACKAGE}.") for one in ring)
        + ("" if running & set(ring) else " (for types alone)")
        for ring in sorted(_rings(edges))
    )
    return Figure("import cycles", str(len(said)), "none", said)


def _rings(edges: dict[str, set[str]]) -> set[tuple[str, ...]]:
    reached = {module: _reached(edges, module) for module in edges}
    return {
        tuple(sorted(other for other in reached[module] if module in reached.get(other, ())))
        for module in edges
        if module in reached[module]
    }


def _reached(edges: dict[str, set[str]], start: str) -> set[str]:
    found: set[str] = set()
    open_ends = list(edges[start])
    while open_ends:
        if (module := open_ends.pop()) not in found:
            found.add(module)
            open_ends += edges.get(module, ())
    return found


def imports(package: str, *, types: bool) -> dict[str, set[str]]:
    """What each module imports of the package; with `types`, what only a type checker imports, too."""
    import grimp

    graph = grimp.build_graph(package, exclude_type_checking_imports=not types)
    return {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}


def contracts(config: dict[str, Any], *, kept: bool) -> Figure:
    """The contract of the floors and the one inside storage: both are written, whole, and kept."""
    layered = [one for one in config["tool"]["importlinter"]["contracts"] if one["type"] == "layers"]
    whole = [container for one in layered if one.get("exhaustive") for container in one.get("containers", ())]
    wanted = (PACKAGE, f"{PACKAGE}.storage")
    missed = [f"no exhaustive contract of layers in {one}" for one in wanted if one not in whole]
    missed += [] if kept else ["lint-imports says no"]
    said = f"exhaustive: {', '.join(whole) or 'none'}; {'kept' if kept else 'broken'}"
    return Figure("contracts of layers", said, f"exhaustive in {' and '.join(wanted)}, kept", tuple(missed))


def twice(found: dict[str, str]) -> Figure:
    """Names that two modules of one floor have; a floor is a folder or a module directly in the package."""
    places: dict[tuple[str, str], list[str]] = defaultdict(list)
    for path in found:
        places[path.partition("/")[0], path.rpartition("/")[2]].append(path)
    missed = tuple(" and ".join(paths) for paths in places.values() if len(paths) > 1)
    return Figure("names that stand twice on one floor", str(len(missed)), "none", missed)


def keys(found: dict[str, str]) -> Figure:
    """Literals that begin as the key of a trailer does, outside the module of the keys."""
    said = [
        f"{path}: {count}"
        for path, source in found.items()
        if path != KEYS and (count := sum(1 for _ in _keys(source)))
    ]
    total = sum(int(one.rpartition(" ")[2]) for one in said)
    return Figure(
        'literals "Devs-…" outside event_keys.py', f"{total} in {len(said)} modules", "none", tuple(said)
    )


def _keys(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        value = node.value if isinstance(node, ast.Constant) else None
        text = value.decode("latin-1") if isinstance(value, bytes) else value
        if isinstance(text, str) and text.startswith("Devs-") and text not in NO_KEYS:
            yield text


def untyped(found: dict[str, str]) -> Figure:
    """Renderers of text whose signature says `Any`: mypy sees no field that a result has no longer."""
    missed = [
        f"{path}: {node.name}"
        for path, source in found.items()
        if TEXTS.fullmatch(path)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _renders(node) and _says_any(node)
    ]
    return Figure("`Any` in signatures of text renderers", str(len(missed)), "none", tuple(missed))


def _renders(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a function returns text: a string, or several."""
    words = set(re.findall(r"\w+", ast.unparse(node.returns))) if node.returns else set()
    kinds = {"str", "bytes", "None", "list", "tuple", "Iterator", "Iterable", "Sequence", "Any"}
    return node.name not in NO_RENDERERS and "str" in words and words <= kinds


def _says_any(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    said = [one.annotation for one in ast.walk(node.args) if isinstance(one, ast.arg) and one.annotation]
    said += [node.returns] if node.returns else []
    return any(re.search(r"\bAny\b", ast.unparse(one)) for one in said)


def participles(found: dict[str, str]) -> Figure:
    """Public functions whose whole name is a participle: a caller cannot see what they do. Properties may be adjectives."""
    missed = [
        f"{path}: {node.name}"
        for path, source in found.items()
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and _is_participle(node.name)
        and not any("property" in ast.unparse(one) for one in node.decorator_list)
    ]
    return Figure("public functions that are a bare participle", str(len(missed)), "none", tuple(missed))


def _is_participle(name: str) -> bool:
    if name in NO_PARTICIPLES:
        return False
    return bool(IRREGULAR.fullmatch(name)) or (
        name.isalpha() and len(name) > 4 and name.endswith(("ed", "ing"))
    )


def design(top: Path) -> Figure:
    """Files that name a document which is not in the repository."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=top, capture_output=True, text=True, check=True).stdout
    files = [top / name for name in sorted(set(listed.split("\0"))) if name and (top / name).is_file()]
    # These two look for the word, so they write it.
    own = {Path(__file__).name, "test_house_figures.py"}
    counts = {
        file.relative_to(top).as_posix(): len(
            _WORD.findall(file.read_text(encoding="utf-8", errors="replace"))
        )
        for file in files
        if file.name not in own
    }
    missed = tuple(f"{path}: {count}" for path, count in counts.items() if count)
    return Figure("references to DESIGN", f"{sum(counts.values())} in {len(missed)} files", "none", missed)


def readme(top: Path) -> Figure:
    lines = (top / "README.md").read_text(encoding="utf-8").splitlines()
    missed = [f"{len(lines)} lines"] if len(lines) > README_LINES else []
    missed += [
        f"line {number}: {len(line)} characters"
        for number, line in enumerate(lines, 1)
        if len(line) > README_WIDTH
    ]
    said = f"{len(lines)} lines, the longest of {max(map(len, lines), default=0)} characters"
    return Figure("README.md", said, f"at most {README_LINES} lines of at most {README_WIDTH}", tuple(missed))


def followed(top: Path) -> Figure:
    missed = tuple(links.broken(top))
    count = sum(len(links.targets(page.read_text(encoding="utf-8"))) for page in links.pages(top))
    return Figure("links of the pages", f"{count}, {len(missed)} lead nowhere", "all lead somewhere", missed)


def figures(top: Path) -> list[Figure]:
    """All of them, in the order of the list in which the goals were set."""
    found = modules(top)
    lint = Path(sys.executable).with_name("lint-imports")
    kept = subprocess.run([lint], cwd=top, capture_output=True, check=False).returncode == 0
    config = tomllib.loads((top / "pyproject.toml").read_text(encoding="utf-8"))
    sources: tuple[Callable[[dict[str, str]], Figure], ...] = (folders, longest, median)
    return [
        *(one(found) for one in sources),
        cycles(imports(PACKAGE, types=True), imports(PACKAGE, types=False)),
        contracts(config, kept=kept),
        *(one(found) for one in (twice, participles, keys, untyped)),
        *(one(top) for one in (design, readme, followed)),
    ]


def report(found: list[Figure], *, whole: bool) -> str:
    """A line for each figure; below one that is missed the places, the first of them unless `whole`."""
    lines = []
    for one in found:
        lines.append(f"{'MISSED' if one.missed else 'met   '}  {one.name}: {one.found} (goal: {one.goal})")
        shown = one.missed if whole else one.missed[:SHOWN]
        lines += [f"          {place}" for place in shown]
        if len(one.missed) > len(shown):
            lines.append(f"          and {len(one.missed) - len(shown)} more: python -m tests.house --all")
    missed = sum(1 for one in found if one.missed)
    return "\n".join([*lines, f"{len(found) - missed} of {len(found)} goals are met."])


if __name__ == "__main__":
    counted = figures(TOP)
    sys.stdout.write(report(counted, whole="--all" in sys.argv) + "\n")
    sys.exit(any(one.missed for one in counted))
