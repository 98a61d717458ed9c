"""The command line: parse, call, print, exit code. Only here do errors of the library become one line for the user."""

import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper

from jigsolve.cli.argv import expand_values, join_command
from jigsolve.runtime import InputError

BAD_INPUT = 2
INTERRUPTED = 130  # what the parser returns after Ctrl-C


def main() -> None:
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # file names need not be valid text
    code = run(sys.argv[1:])
    try:
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python would flush again at exit
        code = 1 if isinstance(error, BrokenPipeError) else _print_error(f"Expected to print: {error.strerror}.")
    sys.exit(code)


def run(argv: Sequence[str]) -> int:
    """Run one command; returns the exit code."""
    from jigsolve.cli.bench_commands import SEVERAL, TWO_WORDS
    from jigsolve.cli.commands import app

    words = join_command(argv, TWO_WORDS)
    try:
        if words[:1] == ["bench"]:
            patterns = SEVERAL
            if any(word.startswith("--plugin") for word in words):
                from jigsolve.cli.plugins import add_plugin_names

                patterns = add_plugin_names(SEVERAL, words)
            words = expand_values(words, patterns)
        code = app(args=words or ["--help"], prog_name="jigsolve", standalone_mode=False)
    except InputError as error:
        return _print_error(str(error))
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output is gone, and Python would complain about it at exit
        return 1
    except MemoryError:
        return _print_error("Expected a puzzle that fits into memory, got one that does not.")
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        return _print_error(f"{name}{error.strerror or error}")
    except Exception as error:
        usage = getattr(error, "format_message", None)  # the parser's own errors
        if usage is None:
            raise
        return _print_error(f"{usage().rstrip('.')}. See jigsolve --help.")
    if code == INTERRUPTED:
        print("Interrupted.", file=sys.stderr)
    return code if isinstance(code, int) else 0


def _print_error(message: str) -> int:
    line = " ".join(message.split()).encode(errors="backslashreplace").decode()  # file names need not be valid text
    print(f"Error: {line}", file=sys.stderr)
    return BAD_INPUT
