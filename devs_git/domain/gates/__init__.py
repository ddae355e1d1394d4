"""Gates, the policy, decisions about gates, and the lock of the TAS."""
