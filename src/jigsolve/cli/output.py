"""What the commands print, and the streams that they print to."""

import os
import shlex
import shutil
import sys
from io import TextIOWrapper
from pathlib import Path


def say(line: str, *, to_stderr: bool = False, flush: bool = False) -> None:
    """Print a line."""
    print(escape(line), file=sys.stderr if to_stderr else sys.stdout, flush=flush)


def format_command(*words: str) -> str:
    """A command that works when it is pasted: this program may not be on the PATH, but in an environment."""
    own, found = Path(sys.executable).with_name("jigsolve"), shutil.which("jigsolve")
    if found is not None and os.path.realpath(found) == os.path.realpath(own):
        start = ["jigsolve"]
    elif own.is_file():
        start = [str(own.relative_to(Path.cwd()) if own.is_relative_to(Path.cwd()) else own)]
    else:
        start = [sys.executable, "-m", "jigsolve"]
    return shlex.join([*start, *words])


def escape(text: str) -> str:
    """The text with control characters escaped: file names may hold commands to the terminal."""
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)


def open_streams() -> None:
    """Replace streams that were closed by the caller: the next file to be opened would take the place of one."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # the terminal may know fewer characters


def close_streams() -> OSError | None:
    """Print what is left. Returns the error of a stream that cannot be written to; a full stderr is none."""
    problem = None
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError as error:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())  # Python would flush again at exit
            if stream is sys.stdout or isinstance(error, BrokenPipeError):
                problem = error
    return problem
