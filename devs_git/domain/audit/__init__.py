"""What `verify` and a server find wrong with a history: decisions about facts that others read."""
