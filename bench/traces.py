"""Traces: what one costs to get, what a search costs as the catalog grows, and how much room the outputs take."""

from __future__ import annotations

import gzip
import io
import os
import random
import statistics
import time
import zlib
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from bench import logs
from bench.measure import Arm, Bench
from bench.report import Row
from bench.subjects import OURS, START_UP, start_up
from devs_git.domain.recall.query import parse
from devs_git.domain.recall.traces import Trace
from devs_git.domain.text.times import stamp
from devs_git.storage.catalog import exchange, fulltext, search, traces
from devs_git.storage.catalog.database import Catalog

SIZES = (1_000, 10_000, 100_000)
NOW = datetime(2026, 1, 31, tzinfo=UTC)
BATCH = 500
ROUNDS = 40
MEBIBYTE = 1 << 20


def getting(bench: Bench, rounds: int) -> list[Row]:
    """One trace of 1 MiB: in this process beside its packed bytes in a file, and as a process beside start-up."""
    top = bench.folder / "getting"
    top.mkdir()
    bench.run("git", "init", "-q", where=top)
    bench.run(OURS, "init", where=top)
    output = b"\n".join(logs.outputs(400))[:MEBIBYTE]
    bench.run(OURS, "trace", "put", "--id", "mebibyte", where=top, stdin=output)
    file = bench.folder / "mebibyte.z"
    file.write_bytes(zlib.compress(output, 6))
    with Catalog.open(top / ".git" / "devs") as catalog:
        ours, theirs = _side_by_side(
            lambda: traces.output(catalog, "mebibyte"), lambda: zlib.decompress(file.read_bytes())
        )
    get = Arm("get", ((OURS, "trace", "get", "mebibyte"),), top)
    process, idle, longer = bench.over(get, start_up(top), rounds=rounds * 6)
    return [
        _masking(top / ".git" / "devs"),
        *_snippets(top / ".git" / "devs"),
        Row("trace get, 1 MiB, in process", ours, "a file and zlib", theirs, ours / theirs, "x", 1.5),
        Row("trace get, 1 MiB", process, START_UP, idle, longer, bound=25, note="over start-up"),
    ]


def _masking(folder: Path) -> Row:
    """An export of 300 outputs, none with a secret, packed as the command packs it; with the detector and without."""
    with Catalog.open(folder) as catalog:
        with fulltext.write_transaction(catalog):
            for number, output in zip(range(300), logs.outputs(300), strict=False):
                traces.put(catalog, Trace(f"log-{number}", stamp(NOW), output, "make test"))

        def export(*, whole: bool) -> None:
            with gzip.GzipFile(fileobj=io.BytesIO(), mode="wb", mtime=0) as packed:
                packed.writelines(exchange.lines(catalog, whole=whole))

        export(whole=False)
        ours, theirs = _side_by_side(lambda: export(whole=False), lambda: export(whole=True), rounds=5)
    return Row("trace export, masked", ours, "--raw", theirs, ours / theirs, "x", 1.5)


def _snippets(folder: Path) -> list[Row]:
    """Twenty texts of 5 MB, the word at the end of each: a snippet needs all of it unpacked."""
    text = b"\n".join(logs.outputs(600))[:5_000_000]
    with Catalog.open(folder) as catalog:
        with fulltext.write_transaction(catalog):
            for number in range(20):
                traces.put(catalog, Trace(f"five-{number}", stamp(NOW), text + b"\nlastly\n"))
        found = p95(catalog, ["lastly"] * 10, 20)
    return [Row("search, 20 snippets of 5 MB texts", found, "", 0, found, bound=300, note="p95")]


def searching(bench: Bench) -> list[Row]:
    """p95 of ranked searches with snippets over 1,000, 10,000 and 100,000 traces, with both engines on the largest."""
    folder = bench.folder / "catalog"
    folder.mkdir()
    rows, raw, done = [], 0, 0
    outputs = logs.outputs(SIZES[-1])
    for size in SIZES:
        begun = time.perf_counter()
        with Catalog.open(folder) as catalog:
            before = raw
            while done < size:
                with fulltext.write_transaction(catalog):
                    for _turn, output in zip(range(BATCH), outputs, strict=False):
                        traces.put(catalog, Trace(f"t-{done}", stamp(NOW), output, tool_name="Bash"))
                        done, raw = done + 1, raw + len(output)
            seconds = time.perf_counter() - begun
            name = f"{size:,} traces"
            rows.append(_per_put(name, seconds, size, raw - before))
            found = {kind: p95(catalog, queries, size) for kind, queries in _queries(size).items()}
        last = size == SIZES[-1]
        bounds = {"rare": 20, "two words": 20, "in half": 100} if last else {}
        rows += [
            Row(f"search, {kind}, {name}", ms, "", 0, ms, bound=bounds.get(kind), note="p95")
            for kind, ms in found.items()
        ]
    size_now = (folder / "catalog.db").stat().st_size
    ratio = size_now / raw
    rows.append(
        Row(f"catalog, {SIZES[-1]:,} traces", size_now / 1e6, "MB raw", raw / 1e6, ratio, "x", 0.62, "size")
    )
    return [*rows, _other_engine(folder, found["in half"])]


def _per_put(name: str, seconds: float, size: int, raw: int) -> Row:
    each = seconds * 1000 / size
    return Row(f"put one, up to {name}", each, "", 0, raw / 1e6 / seconds, "MB/s")


def _other_engine(folder: Path, fts5: float) -> Row:
    os.environ["DEVS_FTS"] = "4"
    try:
        with Catalog.open(folder) as catalog:
            fts4 = p95(catalog, _queries(SIZES[-1])["in half"], SIZES[-1])
    finally:
        del os.environ["DEVS_FTS"]
    return Row("search, in half, FTS5", fts5, "FTS4 and sqlite-fts4", fts4, fts5 / fts4, "x", 0.25, "p95")


def _queries(size: int) -> dict[str, list[str]]:
    dice = random.Random(size)
    rare = [f"needle{dice.randrange(size)}" for _ in range(ROUNDS)]
    two = [f"needle{number} {logs.COMMON}" for number in dice.choices(range(1, size, 2), k=ROUNDS)]
    return {"rare": rare, "two words": two, "in half": [logs.COMMON] * ROUNDS}


def p95(catalog: Catalog, queries: list[str], size: int) -> float:
    """Milliseconds within which 95 of 100 searches come back."""
    found = []
    for query in queries:
        begun = time.perf_counter()
        hits = search.search(catalog, parse(query, NOW, stamp), search.Page(deadline=60)).hits
        found.append((time.perf_counter() - begun) * 1000)
        if not hits and size:
            raise SystemExit(f"The search for {query} found nothing.")
    return statistics.quantiles(found, n=20)[-1]


def _side_by_side(
    ours: Callable[[], object], theirs: Callable[[], object], *, rounds: int = ROUNDS
) -> tuple[float, float]:
    """Medians in milliseconds, in turn."""
    found: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for samples, call in zip(found, (ours, theirs), strict=True):
            begun = time.perf_counter()
            call()
            samples.append((time.perf_counter() - begun) * 1000)
    return statistics.median(found[0]), statistics.median(found[1])
