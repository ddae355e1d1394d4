"""What `init` checks and takes over before it writes."""
