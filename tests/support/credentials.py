"""Sixty forms of credentials as they stand in outputs, all made here: none of them is one that anybody ever used.

A script makes them, with the check sums that their makers put in, so that no scanner finds one in this repository.
"""

from __future__ import annotations

import base64
import functools
import json
import random
import string
import zlib
from collections.abc import Callable, Iterator
from typing import Final

_BASE62: Final = string.digits + string.ascii_uppercase + string.ascii_lowercase
_WORD: Final = string.ascii_letters + string.digits
_LOWER: Final = string.ascii_lowercase + string.digits
_HEX: Final = "0123456789abcdef"
_URL: Final = _WORD + "-_"
_KEYS: Final = ("RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED ", "")


class _Maker:
    def __init__(self, seed: int) -> None:
        self._dice = random.Random(seed)

    def of(self, letters: str, count: int) -> str:
        return "".join(self._dice.choices(letters, k=count))

    def summed(self, start: str, count: int) -> str:
        """GitHub's and npm's form: random letters, then the CRC-32 of them in six letters."""
        body = self.of(_WORD, count)
        rest, end = zlib.crc32(body.encode()), ""
        for _ in range(6):
            rest, digit = divmod(rest, 62)
            end = _BASE62[digit] + end
        return start + body + end

    def base64(self, count: int) -> str:
        return base64.b64encode(self._dice.randbytes(count)).decode()

    def uuid(self) -> str:
        return "-".join(
            (
                self.of(_HEX, 8),
                self.of(_HEX, 4),
                "4" + self.of(_HEX, 3),
                "a" + self.of(_HEX, 3),
                self.of(_HEX, 12),
            )
        )

    def private_key(self, kind: str) -> str:
        body = self.base64(1190)
        lines = "\n".join(body[at : at + 64] for at in range(0, len(body), 64))
        return f"-----BEGIN {kind}PRIVATE KEY-----\n{lines}\n-----END {kind}PRIVATE KEY-----"

    def jwt(self) -> str:
        parts = (
            {"alg": "HS256", "typ": "JWT"},
            {"sub": "4211", "name": "A B", "iat": 1516239022, "exp": 1916239022},
        )
        packed = [base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts]
        return ".".join((*packed, self.of(_URL, 43)))

    def password(self) -> str:
        return self.of(_WORD, 12) + self.of("!%*+-_", 1) + self.of(_WORD, 5)


def credentials(seed: int = 1) -> Iterator[tuple[str, str, str]]:
    """Name, the text in which it stands, and the secret in this text."""
    m = _Maker(seed)
    for name, text, secret in _forms():
        made = secret(m)
        yield name, text.replace("@@", made), made


def _forms() -> Iterator[tuple[str, str, Callable[[_Maker], str]]]:
    yield from _tokens_of_forges()
    yield from _keys_of_clouds()
    yield from _tokens_of_services()
    yield from _models_and_registries()
    for kind in _KEYS:
        yield (
            f"private key {kind.strip() or 'PKCS8'}",
            "$ cat key\n@@\n$",
            functools.partial(_Maker.private_key, kind=kind),
        )
    yield from _in_text()


def _tokens_of_forges() -> Iterator[tuple[str, str, Callable[[_Maker], str]]]:
    for name, start in (
        ("classic", "ghp"),
        ("oauth", "gho"),
        ("user", "ghu"),
        ("app", "ghs"),
        ("refresh", "ghr"),
    ):
        yield (
            f"GitHub {name}",
            "remote: token @@ rejected",
            functools.partial(_Maker.summed, start=f"{start}_", count=30),
        )
    yield (
        "GitHub fine-grained",
        "GITHUB_TOKEN=@@",
        lambda m: f"github_pat_{m.of(_WORD, 22)}_{m.of(_WORD, 59)}",
    )
    yield "GitLab personal", "PRIVATE-TOKEN: @@", lambda m: "glpat-" + m.of(_URL, 20)
    yield "GitLab runner", 'token = "@@"', lambda m: "glrt-" + m.of(_URL, 20)
    yield "GitLab deploy", "GITLAB_DEPLOY_TOKEN=@@", lambda m: "gldt-" + m.of(_URL, 20)
    yield "Bitbucket", "BITBUCKET_APP_PASSWORD=@@", lambda m: "ATBB" + m.of(_WORD, 24) + m.of(_HEX.upper(), 8)
    yield (
        "Atlassian",
        "JIRA_API_TOKEN=@@",
        lambda m: "ATATT3xFfGF0" + m.of(_URL, 171) + "=" + m.of(_HEX.upper(), 8),
    )


def _keys_of_clouds() -> Iterator[tuple[str, str, Callable[[_Maker], str]]]:
    upper = string.ascii_uppercase + "234567"
    yield "AWS access key id", "export AWS_ACCESS_KEY_ID=@@", lambda m: "AKIA" + m.of(upper, 16)
    yield "AWS secret key", "aws_secret_access_key = @@", lambda m: m.base64(30)
    yield "AWS session", "AWS_SESSION_TOKEN=@@", lambda m: "IQoJb3JpZ2luX2Vj" + m.base64(300)
    yield "GCP key", "https://maps.googleapis.com/maps/api/js?key=@@&v=3", lambda m: "AIza" + m.of(_URL, 35)
    yield (
        "GCP service account",
        '{"type": "service_account", "private_key_id": "0", "private_key": "@@"}',
        lambda m: m.private_key("").replace("\n", "\\n"),
    )
    yield "Google OAuth", '"client_secret": "@@"', lambda m: "GOCSPX-" + m.of(_URL, 28)
    yield "Google access token", "Authorization: Bearer @@", lambda m: "ya29." + m.of(_URL, 120)
    yield (
        "Azure storage",
        "DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=@@;EndpointSuffix=core.windows.net",
        lambda m: m.base64(64),
    )
    yield "Azure client secret", "AZURE_CLIENT_SECRET=@@", lambda m: m.of(_WORD, 3) + "8Q~" + m.of(_URL, 34)
    yield "Azure DevOps", "AZURE_DEVOPS_PAT: @@", lambda m: m.of(_LOWER, 52)
    yield "DigitalOcean", "DIGITALOCEAN_TOKEN=@@", lambda m: "dop_v1_" + m.of(_HEX, 64)
    yield "Cloudflare", "CLOUDFLARE_API_TOKEN=@@", lambda m: m.of(_URL, 40)
    yield "Heroku", "HEROKU_API_KEY=@@", lambda m: m.uuid()


def _tokens_of_services() -> Iterator[tuple[str, str, Callable[[_Maker], str]]]:
    digits = string.digits
    yield (
        "Slack bot",
        "SLACK_BOT_TOKEN=@@",
        lambda m: f"xoxb-{m.of(digits, 12)}-{m.of(digits, 13)}-{m.of(_WORD, 24)}",
    )
    yield (
        "Slack user",
        "token: @@",
        lambda m: f"xoxp-{m.of(digits, 12)}-{m.of(digits, 12)}-{m.of(digits, 13)}-{m.of(_HEX, 32)}",
    )
    yield (
        "Slack webhook",
        "curl https://hooks.slack.com/services/@@",
        lambda m: f"T{m.of(_LOWER.upper(), 8)}/B{m.of(_LOWER.upper(), 10)}/{m.of(_WORD, 24)}",
    )
    yield "Stripe live", "stripe.api_key = '@@'", lambda m: "sk_live_" + m.of(_WORD, 99)
    yield "Stripe restricted", "STRIPE_KEY=@@", lambda m: "rk_live_" + m.of(_WORD, 24)
    yield "Stripe webhook", "STRIPE_WEBHOOK_SECRET=@@", lambda m: "whsec_" + m.of(_WORD, 32)
    yield "Twilio", "TWILIO_API_KEY_SECRET=@@", lambda m: m.of(_WORD, 32)
    yield "Twilio auth", "TWILIO_AUTH_TOKEN=@@", lambda m: m.of(_HEX, 32)
    yield "SendGrid", "SENDGRID_API_KEY=@@", lambda m: f"SG.{m.of(_URL, 22)}.{m.of(_URL, 43)}"
    yield "Mailgun", "MAILGUN_API_KEY=@@", lambda m: "key-" + m.of(_HEX, 32)
    yield (
        "Discord",
        "DISCORD_BOT_TOKEN=@@",
        lambda m: f"MTA{m.of(_WORD, 21)}.G{m.of(_WORD, 5)}.{m.of(_URL, 38)}",
    )
    yield (
        "Telegram",
        "https://api.telegram.org/bot@@/getMe",
        lambda m: f"8{m.of(digits, 9)}:AA{m.of(_URL, 33)}",
    )
    yield "Shopify", "SHOPIFY_TOKEN=@@", lambda m: "shpat_" + m.of(_HEX, 32)
    yield "Sentry", "SENTRY_AUTH_TOKEN=@@", lambda m: "sntryu_" + m.of(_HEX, 64)
    yield "Datadog", "DD_API_KEY=@@", lambda m: m.of(_HEX, 32)
    yield "New Relic", "NEW_RELIC_API_KEY=@@", lambda m: "NRAK-" + m.of(_LOWER.upper(), 27)


def _models_and_registries() -> Iterator[tuple[str, str, Callable[[_Maker], str]]]:
    yield "npm", "//registry.npmjs.org/:_authToken=@@", lambda m: m.summed("npm_", 30)
    yield "PyPI", "TWINE_PASSWORD=@@", lambda m: "pypi-AgEIcHlwaS5vcmc" + m.of(_URL, 150)
    yield "OpenAI project", "OPENAI_API_KEY=@@", lambda m: f"sk-proj-{m.of(_URL, 74)}T3BlbkFJ{m.of(_URL, 74)}"
    yield (
        "OpenAI",
        "openai: incorrect API key provided: @@",
        lambda m: f"sk-{m.of(_WORD, 20)}T3BlbkFJ{m.of(_WORD, 20)}",
    )
    yield "Anthropic", "x-api-key: @@", lambda m: f"sk-ant-api03-{m.of(_URL, 93)}AA"
    yield "Hugging Face", "login(token='@@')", lambda m: "hf_" + m.of(string.ascii_letters, 34)
    yield "Vault", "VAULT_TOKEN=@@", lambda m: "hvs." + m.of(_URL, 95)
    yield "Docker Hub", "docker login -u me -p @@", lambda m: "dckr_pat_" + m.of(_URL, 27)


def _in_text() -> Iterator[tuple[str, str, Callable[[_Maker], str]]]:
    yield "JWT", "Authorization: Bearer @@", _Maker.jwt
    yield (
        "basic auth in a URL",
        "origin\thttps://anna:@@@git.example.org/shop.git (fetch)",
        lambda m: m.of(_WORD, 16),
    )
    yield (
        "basic auth in a header",
        "Authorization: Basic @@",
        lambda m: base64.b64encode(f"anna:{m.password()}".encode()).decode(),
    )
    yield ".netrc", "machine git.example.org login anna password @@", _Maker.password
    yield ".pgpass", "db.example.org:5432:shop:anna:@@", _Maker.password
    yield (
        "PostgreSQL",
        "DATABASE_URL=postgresql://anna:@@@db.example.org:5432/shop",
        lambda m: m.of(_WORD, 16),
    )
    yield "MongoDB", "mongodb+srv://anna:@@@cluster0.ab1cd.mongodb.net/shop", lambda m: m.of(_WORD, 16)
    yield "Redis", "redis://:@@@cache.example.org:6379/0", lambda m: m.of(_WORD, 24)
    yield "ODBC", "Server=db;Database=shop;User Id=anna;Password=@@;", _Maker.password
    yield "environment", "DB_PASSWORD=@@", _Maker.password
    yield "YAML", "database:\n  user: anna\n  password: @@\n", _Maker.password
    yield "JSON", '{"user": "anna", "password": "@@"}', _Maker.password
    yield "curl", "curl -u anna:@@ https://example.org", lambda m: m.of(_WORD, 16)
    yield "Django", "SECRET_KEY = '@@'", lambda m: "django-insecure-" + m.of(_LOWER + "!@#%^&*(-_=+)", 50)
