"""The command line: parse, call, print, exit code. Errors of the library become one line here and nowhere else."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from io import TextIOWrapper

from jigsolve.cli.argv import expanded, joined
from jigsolve.runtime.errors import InputError

BAD_INPUT = 2
INTERRUPTED = 130  # what the parser makes of Ctrl-C


def main() -> None:
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # names of files need not be text
    code = run(sys.argv[1:])
    try:
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python would try again on its way out
        code = 1 if isinstance(error, BrokenPipeError) else _failed(f"Expected to print: {error.strerror}.")
    sys.exit(code)


def run(argv: Sequence[str]) -> int:
    """Run one command; returns the exit code."""
    from jigsolve.cli.bench_commands import SEVERAL, TWO_WORDS
    from jigsolve.cli.commands import app

    words = joined(argv, TWO_WORDS)
    try:
        if words[:1] == ["bench"]:
            words = expanded(words, _known(SEVERAL, words))
        code = app(args=words or ["--help"], prog_name="jigsolve", standalone_mode=False)
    except InputError as error:
        return _failed(str(error))
    except BrokenPipeError:
        sys.stderr.close()  # whoever read us went away; Python would complain about it once more
        return 1
    except MemoryError:
        return _failed("Expected a puzzle that fits into memory, got one that does not.")
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        return _failed(f"{name}{error.strerror or error}")
    except Exception as error:
        usage = getattr(error, "format_message", None)  # the parser's own errors
        if usage is None:
            raise
        return _failed(f"{usage().rstrip('.')}. See jigsolve --help.")
    if code == INTERRUPTED:
        print("Interrupted.", file=sys.stderr)
    return code if isinstance(code, int) else 0


def _known(several: Mapping[str, str], argv: Sequence[str]) -> Mapping[str, str]:
    """What values look like, for options that take several: names of plugins are values too."""
    if not any(word.startswith("--plugin") for word in argv):
        return several
    from jigsolve.cli.plugins import with_plugins

    return with_plugins(several, argv)


def _failed(message: str) -> int:
    line = " ".join(message.split()).encode(errors="backslashreplace").decode()  # names of files need not be text
    print(f"Error: {line}", file=sys.stderr)
    return BAD_INPUT
