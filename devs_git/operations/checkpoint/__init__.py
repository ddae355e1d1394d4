"""Record checkpoints, and move them when their commits are rewritten."""
