"""Go on with a task or a contract: what a new session is told, which session goes on, and how its client is started."""
