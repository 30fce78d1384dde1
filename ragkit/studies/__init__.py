"""What the notebooks show: each module gives rows, which `tables` and `figures` present."""
