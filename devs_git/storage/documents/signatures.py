"""Signatures by SSH keys, made and verified with `ssh-keygen -Y`.

The caller names the signers. git's configuration (`gpg.ssh.allowedSignersFile`, `gpg.ssh.program`) has no effect, and
HOME is an empty folder while a signature is verified.
"""

from __future__ import annotations

import base64
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from devs_git.domain.gates.policy import Approver
from devs_git.domain.gates.signed_decision import NAMESPACE
from devs_git.domain.text import limits
from devs_git.errors import DevsError, invalid

_PROGRAM: Final = "ssh-keygen"
_BEGIN: Final = b"-----BEGIN SSH SIGNATURE-----"
_END: Final = b"-----END SSH SIGNATURE-----"
_MAGIC: Final = b"SSHSIG\0\0\0\1"
# The offset of the public key, after its length.
_KEY_AT: Final = len(_MAGIC) + 4
_MOST: Final = limits.SIGNATURE.most
_SECONDS: Final = 30.0


def sign(message: bytes, key: Path, namespace: str = NAMESPACE) -> bytes:
    """The detached signature of `message` for one purpose. The file `key` has a private key, or a public key for ssh-agent.

    ssh-keygen itself asks for a passphrase, a touch or a PIN, on the terminal or through SSH_ASKPASS. BAD_SIGNATURE.
    """
    if not key.is_file():
        raise invalid("key", "The key file does not exist.", hint="Name it: --key ~/.ssh/id_ed25519")
    done = _run("sign", "-f", os.fspath(key), "-n", namespace, stdin=message, env=dict(os.environ))
    if done.returncode or not done.stdout.startswith(_BEGIN):
        words = done.stderr.decode("utf-8", "replace").strip().replace(os.fspath(key), "the key")
        raise DevsError(
            "BAD_SIGNATURE",
            f"ssh-keygen could not sign: {words.splitlines()[-1] if words else 'no reason given'}",
            hint="List the keys of ssh-agent: ssh-add -L. Or name the file of yours: --key ~/.ssh/id_ed25519",
        )
    return done.stdout


@contextmanager
def key_file(public: str) -> Iterator[Path]:
    """A temporary file with a public key, to sign with the private key in ssh-agent."""
    with tempfile.TemporaryDirectory(prefix="devs-git-") as folder:
        path = Path(folder) / "key.pub"
        path.write_text(public + "\n", encoding="utf-8")
        yield path


def verify(message: bytes, signature: bytes, signers: Sequence[Approver], namespace: str = NAMESPACE) -> str:
    """The principal whose key signed `message` in this namespace. UNKNOWN_SIGNER, BAD_SIGNATURE.

    If two signers have the same key, the first in `signers` counts.
    """
    _require_armoured(signature)
    signer = _signer(signature, signers)
    with tempfile.TemporaryDirectory(prefix="devs-git-") as name:
        folder = Path(name)
        allowed, sig = folder / "allowed", folder / "sig"
        allowed.write_text(_line(signer, namespace), encoding="utf-8")
        sig.write_bytes(signature)
        env = {"HOME": name, "PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"}
        checked = _run(
            *("verify", "-I", signer.principal, "-n", namespace),
            *("-s", os.fspath(sig), "-f", os.fspath(allowed)),
            stdin=message,
            env=env,
        )
        if checked.returncode:
            raise _bad("The signature does not cover this text, or was made for another purpose.")
        return signer.principal


def key_of(message: bytes, signature: bytes) -> str:
    """The public key that signed `message` in our namespace, as `ssh-ed25519 AAAA…`. BAD_SIGNATURE.

    This does not check whose key it is, or whether that person may decide.
    """
    text = key_in(signature)
    verify(message, signature, (Approver("signer", text),))
    return text


def key_in(signature: bytes) -> str:
    """The public key that a signature names. This does not verify the signature. BAD_SIGNATURE if it cannot be read."""
    _require_armoured(signature)
    key = _named_key(signature)
    length = int.from_bytes(key[:4], "big")
    text = f"{key[4 : 4 + length].decode('ascii', 'replace')} {base64.b64encode(key).decode()}"
    if not re.fullmatch(r"[a-z0-9@.-]{1,64} [A-Za-z0-9+/=]+", text):
        raise _bad("This SSH signature cannot be read.")
    return text


def _require_armoured(signature: bytes) -> None:
    if not signature.lstrip().startswith(_BEGIN) or len(signature) > _MOST:
        raise _bad("This is not an SSH signature.")


def _named_key(signature: bytes) -> bytes:
    """The public key that a signature names."""
    try:
        armoured = signature.partition(_BEGIN)[2].partition(_END)[0]
        blob = base64.b64decode(b"".join(armoured.split()), validate=True)
        length = int.from_bytes(blob[_KEY_AT - 4 : _KEY_AT], "big")
        key = blob[_KEY_AT : _KEY_AT + length]
    except ValueError:
        key = b""
    if not key or not blob.startswith(_MAGIC) or len(key) != length:
        raise _bad("This SSH signature cannot be read.")
    return key


def _signer(signature: bytes, signers: Sequence[Approver]) -> Approver:
    """The signer whose key the signature names. ssh-keygen then verifies the signature with this key only.

    We read the key ourselves, without `ssh-keygen -Y find-principals`: a history may have thousands of signatures.
    """
    key = _named_key(signature)
    wanted = base64.b64encode(key).decode()
    found = next((one for one in signers if one.key.split()[1:2] == [wanted]), None)
    if found is None:
        raise DevsError(
            "UNKNOWN_SIGNER",
            "No approver of the policy in force has the key of this signature.",
            hint="See who may decide: devs-git gate show",
        )
    return found


def _line(signer: Approver, namespace: str) -> str:
    """One line of an allowed-signers file. The comment of the key is dropped, because it could add an option."""
    words = signer.key.split()[:2]
    return f'{signer.principal} namespaces="{namespace}" {" ".join(words)}\n' if len(words) == 2 else ""


def _run(*words: str, env: dict[str, str], stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(
            [_PROGRAM, "-Y", *words],
            input=stdin,
            env=env,
            capture_output=True,
            timeout=_SECONDS * 10,
            check=False,
        )
    except FileNotFoundError as error:
        raise DevsError(
            "BAD_SIGNATURE",
            "ssh-keygen is not on PATH.",
            hint="Install OpenSSH: apt-get install openssh-client",
        ) from error


def _bad(message: str) -> DevsError:
    return DevsError("BAD_SIGNATURE", message, hint="Sign again: devs-git gate approve <gate_id> --sign")
