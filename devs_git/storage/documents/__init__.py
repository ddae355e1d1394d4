"""Documents: YAML files, their schemas and signatures."""
