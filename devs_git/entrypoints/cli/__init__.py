"""The click command line. Names and summaries come from the verb table; a command's module is imported when used."""
