"""What of devs-git takes space in a repository, and what is older than its time."""
