"""Git hooks and client hooks: how they are installed and whether they run."""
