"""Make a checkpoint, and let it follow its commit."""
