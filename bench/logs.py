"""Tool outputs as agents get them: test runs, builds, searches, stack traces, listings; the same in every run."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator

LINES = 40_000  # of each kind
MEDIAN_BYTES, SPREAD, MOST_BYTES = 6000, 1.0, 200_000
COMMON = "finished"  # in half of all texts
LEVELS = ("INFO", "INFO", "INFO", "DEBUG", "WARNING", "ERROR")
# As long as the words of real outputs: a token for every six or seven bytes.
WORDS = [
    "account",
    "address",
    "adapter",
    "aggregate",
    "allocation",
    "application",
    "archive",
    "argument",
    "attachment",
    "attribute",
    "authentication",
    "authorization",
    "available",
    "background",
    "balance",
    "boundary",
    "broadcast",
    "calculate",
    "callback",
    "candidate",
    "certificate",
    "channel",
    "checkout",
    "collection",
    "command",
    "compare",
    "component",
    "composite",
    "condition",
    "configuration",
    "connection",
    "constraint",
    "container",
    "context",
    "controller",
    "conversion",
    "coordinate",
    "credentials",
    "currency",
    "customer",
    "database",
    "deadline",
    "decorator",
    "default",
    "delivery",
    "dependency",
    "descriptor",
    "destination",
    "dictionary",
    "directory",
    "dispatcher",
    "document",
    "duplicate",
    "element",
    "encoder",
    "endpoint",
    "environment",
    "evaluate",
    "exception",
    "executor",
    "expression",
    "extension",
    "factory",
    "feature",
    "fingerprint",
    "formatter",
    "fragment",
    "function",
    "gateway",
    "generator",
    "handler",
    "hierarchy",
    "identifier",
    "implementation",
    "information",
    "inheritance",
    "initialize",
    "instance",
    "integration",
    "interface",
    "interval",
    "inventory",
    "invoice",
    "iterator",
    "language",
    "latency",
    "library",
    "listener",
    "location",
    "manager",
    "measurement",
    "membership",
    "message",
    "metadata",
    "middleware",
    "migration",
    "monitoring",
    "namespace",
    "navigation",
    "notification",
    "observer",
    "operation",
    "optimizer",
    "organization",
    "parameter",
    "partition",
    "payment",
    "performance",
    "permission",
    "persistence",
    "pipeline",
    "placeholder",
    "platform",
    "policy",
    "position",
    "preference",
    "prepare",
    "primary",
    "priority",
    "procedure",
    "processor",
    "product",
    "profile",
    "projection",
    "property",
    "protocol",
    "provider",
    "publisher",
    "quantity",
    "quarantine",
    "receiver",
    "recipient",
    "reconcile",
    "reference",
    "registration",
    "registry",
    "relation",
    "remainder",
    "repository",
    "request",
    "reservation",
    "resolver",
    "resource",
    "response",
    "retention",
    "retrieve",
    "revision",
    "rollback",
    "router",
    "schedule",
    "schema",
    "segment",
    "selector",
    "sequence",
    "serializer",
    "service",
    "session",
    "settings",
    "shipment",
    "signature",
    "snapshot",
    "specification",
    "statement",
    "statistics",
    "storage",
    "strategy",
    "structure",
    "subscription",
    "summary",
    "supplier",
    "synchronize",
    "template",
    "terminal",
    "threshold",
    "timeout",
    "timestamp",
    "tracking",
    "transaction",
    "transform",
    "translation",
    "transport",
    "validation",
    "variable",
    "version",
    "virtual",
    "visibility",
    "warehouse",
    "watermark",
    "webhook",
    "workflow",
    "workspace",
]
ERRORS = ("TypeError", "KeyError", "ValueError", "ConnectionRefusedError", "TimeoutError")


def _kinds(dice: random.Random) -> list[list[str]]:
    """For each kind of output, many lines of it. Neighbouring lines are mostly about one file, as they are in life."""
    files = [_path(dice) for _ in range(3000)]
    messages = [
        " ".join(dice.choices(WORDS, k=dice.randint(3, 9))) for _ in range(400)
    ]  # a program has so many
    names = ["_".join(dice.choices(WORDS, k=dice.randint(1, 3))) for _ in range(2000)]
    number, pick = dice.randrange, dice.choice

    def test(file: str) -> str:
        return f"tests/{file}::test_{pick(names)} PASSED [{number(101):3d}%]"

    def log(file: str) -> str:
        at = f"2026-01-31T{number(24):02d}:{number(60):02d}:{number(60):02d}"
        return f"{at} {pick(LEVELS)} {file.split('/')[1]}: {pick(messages)} in {number(5000)} ms"

    def match(file: str) -> str:
        return f"{file}:{number(900)}:    {pick(names)} = {pick(names)}({pick(WORDS)})"

    def frame(file: str) -> str:
        return f'  File "/app/{file}", line {number(900)}, in {pick(names)}\n    {pick(messages)}'

    def listing(file: str) -> str:
        return f"-rw-r--r-- 1 root root {number(90_000):6d} Jan {number(1, 32):2d} 09:{number(60):02d} {file}"

    def compiling(file: str) -> str:
        return f"[{number(2000)}/2000] compiling {file}"

    return [_lines(make, files, dice) for make in (test, log, match, frame, listing, compiling)]


def _lines(make: Callable[[str], str], files: list[str], dice: random.Random) -> list[str]:
    lines, file = [], files[0]
    for _ in range(LINES):
        if not dice.randrange(8):
            file = dice.choice(files)
        lines.append(make(file))
    return lines


def _path(dice: random.Random) -> str:
    folders = "/".join(dice.choices(WORDS, k=dice.randint(1, 4)))
    return f"src/{folders}/{dice.choice(WORDS)}_{dice.choice(WORDS)}.{dice.choice(('py', 'py', 'ts', 'go', 'json'))}"


def outputs(count: int) -> Iterator[bytes]:
    """`count` outputs of about 10 kB on average. `needle<n>` stands in the nth alone, COMMON in every second."""
    dice = random.Random(count)
    texts = ["\n".join(lines).encode() for lines in _kinds(dice)]
    for number in range(count):
        text = dice.choice(texts)
        size = min(int(dice.lognormvariate(math.log(MEDIAN_BYTES), SPREAD)), MOST_BYTES)
        start = dice.randrange(len(text) - size)
        end = f"\n{dice.choice(ERRORS)}: needle{number} {COMMON if number % 2 else 'failed'}\n"
        yield text[start : start + size] + end.encode()
