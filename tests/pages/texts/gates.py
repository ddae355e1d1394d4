"""Troubleshooting of gates, decisions, the TAS and the policy: what each code means, and what to type."""

from __future__ import annotations

from typing import Final

TITLE: Final = "Gates, decisions, TAS and policy"
TEXTS: Final[dict[str, str]] = {
    "GATE_BLOCKED": """\
A gate is open: somebody asked a question, and work waits until a person answers it. Or the branch `devs/ledger` is missing or damaged, so that nobody can know whether a gate is open; then the message says so. The refused command changed nothing.

If you are an agent, stop here and tell the person for whom you work. The person reads the question at a terminal:

```sh
devs-git gate list
devs-git gate show ID
```

Then the person approves it with `devs-git gate approve ID`, or rejects it with `devs-git gate reject ID --reason "We keep the old format."`.

If the ledger is missing or damaged, `devs-git doctor` prints the command that repairs it; see [LEDGER_MISSING](#ledger_missing).

To save work meanwhile: `devs-git snapshot create`. [Gates](gates.md#what-is-refused-while-a-gate-is-open) says what still works.""",
    "GATE_NOT_FOUND": """\
The ledger of this clone has no gate with this id. It may have been opened in another clone.

List the open gates; `sync` brings those of the remote:

```sh
devs-git gate list
devs-git sync
```""",
    "GATE_ALREADY_ACTIVE": """\
Only one revision of the TAS can wait for an answer, and one waits already. With `--json`, `existing_gate_id` names it.

Wait for its answer, or let a person answer it:

```sh
devs-git gate list
devs-git gate wait ID --timeout 10min
```""",
    "GATE_ALREADY_RESOLVED": """\
The gate has an answer already. A decision is written once and never changed.

Read the decision. If the answer was wrong, ask again with a new gate:

```sh
devs-git gate show ID
```""",
    "TERMINAL_REQUIRED": """\
Only a person at a terminal may do this, and there is no terminal here, or an agent's variable is set (`variable` names it).

Open a terminal of your own, outside the agent. Go to the repository and type the command there:

```sh
devs-git gate show ID
devs-git gate approve ID
```

Or sign with your SSH key: `devs-git gate approve ID --sign --key ~/.ssh/id_ed25519`.""",
    "SELF_APPROVAL": """\
The person who asked may not approve the request, and no agent may. Nothing was decided.

Ask another approver. The policy in force names them:

```sh
git show refs/heads/devs/ledger:policy.yaml
```""",
    "UNKNOWN_SIGNER": """\
The policy in force does not name you, or the key that signed, as an approver. Nothing was decided. The person who asked can take the gate back only as an approver.

The hint and `devs-git gate show` name who may decide. If they work in another clone, send the gate to them; after their answer, the same command brings it here:

```sh
devs-git sync
```

If you are one of them, name your key:

```sh
ssh-add -L
devs-git gate approve ID --sign --key ~/.ssh/id_ed25519
```

To become an approver, change `devs-policy.yaml` and ask: `devs-git gate request --type POLICY_CHANGE --blocker "…"`.""",
    "BAD_SIGNATURE": """\
The decision has no signature where the policy asks for one, or the signature is for other bytes than the decision, or `ssh-keygen`
could not sign. As a finding of `verify` it means: do not trust this decision.

Sign again. If that fails, see whether the key is there:

```sh
ssh-add -L
devs-git gate approve ID --sign --key ~/.ssh/id_ed25519
```

On another machine, sign exactly the bytes that `devs-git gate approve ID --print-bytes` prints.""",
    "REPLAYED": """\
The signature belongs to another gate or another repository, or it was used before.

Make a new signature over what the first command prints:

```sh
devs-git gate approve ID --print-bytes > d.txt
ssh-keygen -Y sign -n devs-gate@v1 -f KEY d.txt
devs-git gate approve ID --signature d.txt.sig
```""",
    "STALE_REQUEST": """\
The request is out of date: the TAS, the policy or the request itself changed after it was asked or signed.

Reject the gate and ask again:

```sh
devs-git gate show ID
devs-git gate reject ID --reason stale
devs-git gate request --help
```""",
    "COMMITTED_WHILE_FROZEN": """\
`verify` found a commit that names an event at which a gate was open. The git hooks were off or were evaded.

See who made the commit, and which gate it was. A person decides whether the commit stays:

```sh
git log -1 --format=fuller COMMIT
devs-git gate show ID
```

To take the commit back, run `git revert COMMIT`.""",
    "UNSEEN_AT_FREEZE": """\
`verify` found a commit that was made after a gate opened and names an event from before it. As a warning the commit may be honest: another clone
opened the gate, and this clone had not fetched that yet. As an error it means that this clone knew of the gate, as far as `verify` can tell.

Look at the commit and ask its author. [CI](ci.md#a-commit-that-did-not-know-of-a-gate) explains the difference:

```sh
git log -1 --format=fuller COMMIT
devs-git sync
```""",
    "TAS_UNAPPROVED": """\
The TAS, the file that describes the architecture, was changed in a section for which nobody approved a change. The message names the sections.

Either ask for the change with `devs-git gate request --type TAS_REVISION` (`--help` shows an example), or leave it out of the commit. Then your text stays in the working tree:

```sh
git restore --staged -- TAS.md
```

If `verify` found the change in a commit, revert it with `git revert COMMIT`, or ask for it now.""",
    "TAS_MISMATCH": """\
A commit changes the TAS to a text that is not the approved one.

Compare the two texts. Commit the approved one, or ask for the new one:

```sh
devs-git gate show ID
git show COMMIT -- TAS.md
devs-git gate request --type TAS_REVISION --help
```""",
    "POLICY_INVALID": """\
`devs-policy.yaml`, or the policy in the ledger, cannot be read or contradicts itself. The message has file and line.

Correct the line, then check it. Then commit the file and ask a person to put it in force:

```sh
devs-git verify policy
git add devs-policy.yaml && git commit -m "Correct the policy"
devs-git gate request --type POLICY_CHANGE --blocker "Correct the policy of this repository."
```

If `verify` found it in a decision of the ledger, that decision does not count. Tell the person who made it.""",
    "POLICY_UNTRACKED": """\
`devs-policy.yaml` is not committed, or does not name the ledger. A clone cannot find its ledger without it.

Write and commit it:

```sh
devs-git init
git add devs-policy.yaml && git commit -m "Set up devs-git"
```""",
}
