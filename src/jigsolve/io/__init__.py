"""From files to `Input`, and from answers to files."""
