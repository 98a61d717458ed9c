"""The local page: watch a puzzle being solved, and finish it by hand. `serve` runs it."""
