"""The command line: parse, call, print, exit code. Only here do errors of the library become one line for the user."""

import signal
import sys
from collections.abc import Sequence
from contextlib import suppress

from jigsolve.cli.signals import INTERRUPTED, end_at_once

with end_at_once():
    from jigsolve.cli.argv import expand_values, join_command
    from jigsolve.cli.output import close_streams, open_streams, say
    from jigsolve.runtime import InputError

BAD_INPUT = 2


def main() -> None:
    open_streams()
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # what was found by then is kept, as after Ctrl-C
    code = run(sys.argv[1:])
    if (error := close_streams()) is not None:
        code = 1 if isinstance(error, BrokenPipeError) else _print_error(f"Expected to print: {error.strerror}.")
    sys.exit(code)


def run(argv: Sequence[str]) -> int:
    """Run one command; returns the exit code."""
    with end_at_once():
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
        return 1  # the reader of our output is gone
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
        say("Interrupted.", to_stderr=True)
    return code if isinstance(code, int) else 0


def _print_error(message: str) -> int:
    with suppress(OSError):  # stderr may be full
        say(f"Error: {' '.join(message.split())}", to_stderr=True)
    return BAD_INPUT
