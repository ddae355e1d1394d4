"""Take traces and conversations into the catalog."""
