"""The page of a report: one HTML file with its own style, without script and without anything from elsewhere."""
