"""Fork a task: a new task from a historical point, in a branch and a worktree of its own."""
