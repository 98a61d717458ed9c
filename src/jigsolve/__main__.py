"""`python -m jigsolve`."""

from jigsolve.cli import main

if __name__ == "__main__":  # not in the processes that the page starts
    main()
