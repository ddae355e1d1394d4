"""What a report for people says of tasks, gates and the history, and in which order. It renders nothing."""
