"""What `verify` and a server find wrong in a history. Other modules read the facts."""
