"""`python -m jigsolve`."""

from jigsolve.cli import main

main()
