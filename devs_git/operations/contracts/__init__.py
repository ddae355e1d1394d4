"""Steps of contracts: which session steers one, and what a new phase changes in the worktrees."""
