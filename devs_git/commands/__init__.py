"""One verb, one file: `Request` in, `run(workspace, request)`, one frozen `Result` out. Commands never import commands."""
