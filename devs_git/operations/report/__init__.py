"""The steps that gather what a report shows."""
