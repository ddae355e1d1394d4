"""Ten thousand lines of ordinary output: what tools print that hold no credential, though much in it looks random."""

from __future__ import annotations

import base64
import functools
import json
import random
import sysconfig
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

LINES: Final = 10_000
# Modules of Python that are about passwords and tokens; as text, and as `grep -n` prints it.
_SOURCES: Final = (
    "tokenize.py", "getpass.py", "secrets.py", "netrc.py", "smtplib.py", "http/cookies.py", "http/cookiejar.py",
    "urllib/request.py", "urllib/parse.py", "ftplib.py", "hmac.py", "uuid.py", "ast.py", "shlex.py", "configparser.py",
)  # fmt: skip
_WORDS: Final = [
    "fix",
    "add",
    "token",
    "password",
    "reader",
    "of",
    "the",
    "catalog",
    "key",
    "secret",
    "login",
    "session",
    "for",
    "parser",
    "test",
    "auth",
    "api",
]


def ordinary_lines() -> list[str]:
    """As many lines of each sort; the same in each run with one Python."""
    dice = random.Random(4)
    kinds = [functools.partial(kind, dice) for kind in _KINDS]
    source = _source_lines()
    made = [kind() for kind in kinds for _ in range(LINES // 2 // len(kinds))]
    return made + [next(source) for _ in range(LINES - len(made))]


def _source_lines() -> Iterator[str]:
    folder = Path(sysconfig.get_path("stdlib"))
    for name in _SOURCES:
        for number, line in enumerate((folder / name).read_text().splitlines()):
            yield f"Lib/{name}:{number}:{line}" if number % 2 else line


def _hex(dice: random.Random, digits: int) -> str:
    return dice.randbytes(digits // 2).hex()


def _words(dice: random.Random, count: int) -> str:
    return " ".join(dice.choices(_WORDS, k=count))


def _base64(dice: random.Random, size: int) -> str:
    return base64.b64encode(dice.randbytes(size)).decode()


def _git_log(dice: random.Random) -> str:
    return dice.choice((f"commit {_hex(dice, 40)}", f"{_hex(dice, 8)} {_words(dice, 6)}", "Author: Ada <ada@example.org>",
                        f"index {_hex(dice, 8)}..{_hex(dice, 8)} 100644", f"+    token = read_{dice.choice(_WORDS)}(self.password)"))  # fmt: skip


def _pytest(dice: random.Random) -> str:
    return dice.choice((
        f"tests/test_{dice.choice(_WORDS)}.py::test_a_{_words(dice, 5).replace(' ', '_')}[key-{dice.randrange(99)}] PASSED [ 12%]",
        f"E       assert token == '{dice.choice(_WORDS)}'", f"src/auth/token_{dice.randrange(99)}.py:{dice.randrange(4000)}: TypeError",
        f"0.{dice.randrange(99)}s call tests/test_password.py::test_secret_key", "E  KeyError: 'api_key'",
    ))  # fmt: skip


def _installer(dice: random.Random) -> str:
    return dice.choice((
        f"Downloading pkg-{dice.randrange(9)}.{dice.randrange(99)}.0-cp311-cp311-manylinux_2_28_x86_64.whl ({dice.randrange(999)} kB)",
        "Requirement already satisfied: keyring>=23.0 in /usr/lib/python3/dist-packages (from x) (24.3.1)",
        f"    --hash=sha256:{_hex(dice, 64)} \\", f"npm http fetch GET 200 https://registry.npmjs.org/js-tokens {dice.randrange(99)}ms (cache hit)",
        "added 214 packages, and audited 215 packages in 3s", f"Collecting token-utils=={dice.randrange(9)}.{dice.randrange(9)}.0",
    ))  # fmt: skip


def _files(dice: random.Random) -> str:
    return dice.choice((
        f"-rw-r--r-- 1 ada staff {dice.randrange(99999):6} Nov 12 10:{dice.randrange(10, 59)} {dice.choice(_WORDS)}_{dice.randrange(99)}.py",
        f"{_hex(dice, 64)}  dist/{dice.choice(_WORDS)}.tar.gz", f"{dice.randrange(99)}\t./node_modules/{dice.choice(_WORDS)}-{dice.choice(_WORDS)}/index.js",
        f"/work/src/{dice.choice(_WORDS)}/password_reset_{dice.randrange(99)}.html: ASCII text",
    ))  # fmt: skip


def _hexdump(dice: random.Random) -> str:
    data = dice.randbytes(16)
    text = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in data)
    return f"{dice.randrange(1 << 24):08x}: {data.hex(' ', 2)}  {text}"


def _ids(dice: random.Random) -> str:
    made = uuid.UUID(bytes=dice.randbytes(16), version=4)
    return dice.choice((str(made), f'{{"id": "{made}", "session_id": "{_hex(dice, 32)}"}}', f"request {made} took 12 ms",
                        f'ETag: "{_hex(dice, 32)}"', f"Digest: sha256:{_hex(dice, 64)}"))  # fmt: skip


def _lockfile(dice: random.Random) -> str:
    return dice.choice((
        f'      "integrity": "sha512-{_base64(dice, 64)}",', f'      "resolved": "https://registry.npmjs.org/js-tokens/-/js-tokens-{dice.randrange(9)}.0.0.tgz",',
        f'    {{file = "tokens-1.{dice.randrange(99)}-py3-none-any.whl", hash = "sha256:{_hex(dice, 64)}"}},',
        f"github.com/zalando/go-keyring v0.2.{dice.randrange(9)} h1:{_base64(dice, 32)}", f'checksum = "{_hex(dice, 64)}"',
    ))  # fmt: skip


def _minified(dice: random.Random) -> str:
    names = [dice.choice("abcdefghijkl") for _ in range(6)]
    return (
        "!function({},{}){{var {}=t.token||n.password;return {}.key=function(e){{return e.secret===r}},{}.auth({})}}();".format(
            *names
        )
        * dice.randrange(1, 12)
    )


def _picture(dice: random.Random) -> str:
    return dice.choice(
        (f'<img src="data:image/png;base64,iVBORw0KGgoAAAANSUhEUg{_base64(dice, 300)}">', _base64(dice, 57))
    )


def _server(dice: random.Random) -> str:
    return dice.choice((
        f'10.0.0.{dice.randrange(9)} - - [12/Nov/2026:10:11:12 +0000] "GET /api/token?id={dice.randrange(999)} HTTP/1.1" 200 {dice.randrange(9999)}',
        f"2026-11-12T10:11:12Z INFO auth: token refreshed for user {dice.randrange(999)}", f"max_tokens: {dice.randrange(9999)}, tokens: {dice.randrange(9999999)}",
        f"http://localhost:{dice.randrange(1024, 9999)}/login?next=/", json.dumps({"input_tokens": dice.randrange(9999), "cache_key": f"v{dice.randrange(9)}"}),
        "DB_PASSWORD=${DB_PASSWORD}", "password: ********", "Enter password for 'https://ada@git.example.org': ", f"token = tokens[{dice.randrange(99)}]",
    ))  # fmt: skip


_KINDS: Final[tuple[Callable[[random.Random], str], ...]] = (
    _git_log, _pytest, _installer, _files, _hexdump, _ids, _lockfile, _minified, _picture, _server,
)  # fmt: skip
