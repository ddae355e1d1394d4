"""Troubleshooting of tasks, checkpoints and moves of the working tree: what each code means, and what to type."""

from __future__ import annotations

from typing import Final

TITLE: Final = "Tasks, checkpoints and moves of the working tree"
TEXTS: Final[dict[str, str]] = {
    "TASK_NOT_FOUND": """\
The ledger of this clone has no task with this id. Or the command needs an active task, and this worktree has none.

See which task is active and which checkpoints there are:

```sh
devs-git status
devs-git log --all
```

If the task is from another clone, fetch it with `devs-git sync`. If it is new, start it: `devs-git task start 10 --title "Parse dates"`.""",
    "TASK_EXISTS": """\
There is a task with this id already, active or completed. Or an undo would bring back a task, but meanwhile another task got its id.

Look at the task. For new work, start a task with another id:

```sh
devs-git task status 10
devs-git task start 11 --title "Parse dates again"
```

To look at the work of the old task, make a branch at one of its checkpoints: `devs-git branch task-10@2 -b look-at-task-10`.""",
    "TASK_ACTIVE": """\
One worktree works on one task. Another task is active here, or your task is active in another worktree.

See which task is active, and where: `devs-git status`. Then do one of two things. Either complete this task in its worktree:

```sh
devs-git task complete --all -m "Done"
```

Or work on the other task in a second worktree:

```sh
git worktree add ../second && cd ../second
```""",
    "TASK_RUNNING": """\
A client's session has begun a turn there and has not ended it: a prompt or a call of a tool came, and its process lives.
So `rewind`, `conversation rewind` and `resume` are refused. `session_id` names the session. A session on another machine or in another
container counts until it has called no hook for ten minutes.

Wait until the turn has ended. If a person stopped it, devs-git sees that only with Claude Code. With other clients, rewind all the same:

```sh
devs-git rewind task-10 --force
```""",
    "CHECKPOINT_NOT_FOUND": """\
There is such a task, but it has no such checkpoint. Or you gave the beginning of an oid, and no checkpoint or more than one begins with it.

List the checkpoints, and use a name from the list, such as `task-10@2`. If you gave an oid, write more of its characters:

```sh
devs-git log --all --task 10
```""",
    "NO_CHECKPOINT": """\
`task-10` means the checkpoint that completed task 10. There is none now: the task was never completed, or a rewind undid that.

List the checkpoints of the task, and name one of them by its number:

```sh
devs-git log --all --task 10
devs-git rewind task-10@2 --dry-run
```

If you want to take back the rewind that undid the task, use `devs-git undo --dry-run`, and then `devs-git undo`.""",
    "CONTRACT_NOT_FOUND": """\
There is no contract (line of work) with this name: nobody started it, and no task belongs to it.

List the contracts. If nobody named one for a task, it is the branch on which the task was started:

```sh
devs-git resume
```""",
    "DIRECTIVE_NOT_FOUND": """\
No directive has this id.

List the directives with their ids:

```sh
devs-git directive list
```""",
    "UNRECORDED": """\
Somebody made a commit for the active task, and the hook could not record it as a checkpoint. Nothing is lost: the commit is there.

Record it now. `doctor` names the commit:

```sh
devs-git doctor
devs-git checkpoint
```""",
    "CONFLICT": """\
The command cannot run in the state that it found. The message says what that is, for example: files in conflict, nothing
staged, a full disk, a shallow clone, a ref that somebody moved meanwhile. If `gate approve` cannot put an approved TAS in its place, `paths` names the files in the way (`--json`). Then nothing is decided,
and the gate stays open.

Do what the hint says and run the command again. These commands show the usual causes:

```sh
git status
devs-git doctor
df -h .
```

For a shallow or partial clone: `git fetch --unshallow`, or `git fetch --refetch --no-filter`.""",
    "GIT_RESET_FAILED": """\
`rewind`, `undo` or `restore` did not move the working tree. Everything is as it was. With `--json`, `reason` says
why, and `paths` names the files; see [the reasons](#why-the-working-tree-is-not-moved).

See what the command would do, and what stops it. A dry run writes nothing:

```sh
git status
devs-git rewind task-10 --dry-run
```""",
    "CHECKOUT_FAILED": """\
`devs-git checkout` did not switch. Everything is as it was. With `--json`, `reason` says why; see
[the reasons](#why-the-working-tree-is-not-moved).

See what is in the way: `git status`. If these are changes of yours, commit them, or stash them as here. Then switch:

```sh
git stash push
devs-git checkout main
```""",
    "CHECKOUT_TIMEOUT": """\
The switch took longer than its limit of 10 seconds, so devs-git took it back. Everything is as it was.

Try again:

```sh
devs-git checkout main
```

If the two branches differ in very many files, use git itself: `git switch main`.""",
    "PLAN_STALE": """\
Something changed between the plan and the command: files, index, HEAD or checkpoints. Nothing was done, because the plan no
longer says what would happen. Perhaps an editor or an agent writes files at this moment.

Make a new plan, look at it, and decide again:

```sh
devs-git rewind task-10 --dry-run
devs-git rewind task-10
```""",
    "RECOVERY_NEEDED": """\
An earlier command was interrupted, by a kill or a loss of power. devs-git cannot finish it without a decision: somebody
changed files or refs since, or the journal (the file that says how far the command came) cannot be read. The state from before the command is saved in `refs/devs/backup/`.

Run `devs-git status` first. It repairs what can be repaired without a decision. If you get the code again, decide. Your own edits stay in both cases. Either take the command back, so that everything is as before:

```sh
devs-git doctor --take-back
```

Or let devs-git finish the command:

```sh
devs-git doctor --finish
```""",
    "JOURNAL_OPEN": """\
An operation was interrupted, in this worktree or in another one. Until now, no command has finished it or taken it back.

Run this in the worktree that the message names. It finishes the operation or takes it back:

```sh
devs-git status
```

If the answer is `RECOVERY_NEEDED`, decide there: `devs-git doctor --take-back` or `devs-git doctor --finish`; see [RECOVERY_NEEDED](#recovery_needed).

If the journal cannot be read, look at the saved state first: `git show refs/devs/backup/<operation>`.""",
    "NOTHING_TO_UNDO": """\
There is no rewind, restore or undo of this worktree and branch that could be taken back. Or this clone has no backup of it: `prune` or `purge` deleted the backup, the operation was made in another clone, or the history was rewritten since.

See the operations and the saved states. Without a backup, go to a checkpoint:

```sh
devs-git history --limit 20
git for-each-ref refs/devs/backup
devs-git log
```""",
    "INVALID_BRANCH": """\
The command does not accept this as the name of a local branch. Or a ref has a name that git could take for the ledger, such as
a tag `devs/ledger`.

Use the short name of a local branch. It may have the characters `A-Za-z0-9_./-`. For a branch of a remote, make a local one first:

```sh
git branch --list
git branch feature origin/feature && devs-git checkout feature
```

If `doctor` found a ref with the ledger's name, run the command that it prints. In a push, leave the ref out.""",
    "MOMENT_NOT_FOUND": """\
There is no moment with this name: a moment is the state of a worktree between checkpoints. There may be none yet, or it was
older than the policy keeps them.

List them, with their names:

```sh
devs-git log --moments
```

Moments are made where the hooks of a coding agent are installed (`devs-git agent install CLIENT`). To make one now:

```sh
devs-git snapshot create
```""",
    "SNAPSHOT_NOT_FOUND": """\
There is no snapshot with this name, neither of the working tree nor of a conversation.

List them:

```sh
devs-git snapshot list
devs-git conversation snapshots
```""",
    "HISTORY_REWRITTEN": """\
A program such as `git filter-repo` gave the commits other oids. Checkpoints name commits that are gone or have other files now.

Move the checkpoints to the new commits. A dry run shows what would move; [the whole procedure](rewritten-history.md) has its own page:

```sh
devs-git history-rewritten --map .git/filter-repo/commit-map --dry-run
devs-git history-rewritten --map .git/filter-repo/commit-map
```

If the ledger was rewritten too and another clone has the old one, fetch it first:
`git fetch <clone> +refs/heads/devs/ledger:refs/heads/devs/ledger`.""",
}
# Why a working tree is not moved: the `reason` of GIT_RESET_FAILED and CHECKOUT_FAILED.
REASONS: Final[dict[str, str]] = {
    "dirty": "Tracked files have changes. Commit them, or say how to keep them: `--preserve branch`, `stash` or `discard`. For `checkout`: `git stash push`.",
    "untracked_in_the_way": "Untracked or ignored files are at paths of the target. Add `--untracked save`, or move them away. `--untracked remove` does not touch ignored files.",
    "nested_repository": "Another git repository is in the way. Move that folder away; devs-git never touches it.",
    "special_file": "A socket, a pipe or a device is in the way. Move it away.",
    "operation_under_way": "A merge, a rebase, a cherry-pick, a revert, an `am` or a bisect is not finished. End it: `git status` says how.",
    "unmerged": "Files are in conflict. Resolve them, then `git add` each.",
    "no_commit": "The repository has no commit yet, or the state to return to is from before the first commit.",
    "no_branch": "There is no local branch of this name. See `git branch --list`.",
    "other_worktree": "Another worktree has this branch. Work there: `git worktree list`.",
    "not_an_ancestor": "The checkpoint is not in the history of HEAD. Switch to its branch, or look at it: `devs-git branch task-10@2 -b look`. In a shallow clone: `git fetch --unshallow`.",
    "other_branch": "The moment is of another branch than the one that is checked out. The hint names the command that switches, such as `git switch main`.",
    "new_commits": "There are new commits since the operation. Say how to keep them: `devs-git undo --preserve branch`.",
    "later_tasks": "Tasks were finished after the last operation, and its undo would take them off the branch. If you mean that, give the id that the message names. To go back before a task: `devs-git rewind --before task-10`.",
    "missing_objects": "Objects are missing: the clone is partial, or a `git gc` ran. Run the `git diff` that the hint names, which fetches them, and try again.",
    "no_folder": "A file is at a path where the TAS needs a folder. Name another path in the policy (`tas: {path: …}`).",
    "too_large": "The files that must be saved first are larger than the policy allows. Commit or move large files, or raise `backup_limit` in the policy.",
    "moved_meanwhile": "Another git process moved the branch at the same moment. Everything is as that process left it. Look at `git log`, then repeat the command.",
    "not_as_written": "git wrote other files than devs-git asked for, so devs-git took the move back. Run `git fsck`, then repeat the command.",
    "disk": "The disk refused to write. Free some space (`df -h .`) or correct the permissions, then repeat the command.",
    "git_failed": "git refused, and the message has its reason. Correct that, then repeat the command.",
}
