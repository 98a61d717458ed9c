"""Text recognition by the program tesseract, where it is installed."""

import io
import re
import shutil
import subprocess

from jigsolve.io import pictures
from jigsolve.puzzle import Pixels
from jigsolve.runtime import InputError

PROGRAM = "tesseract"
ZOOM = 3  # text of a screen is small; tesseract is made for scans
TIMEOUT_S = 120  # for one picture


def check_recogniser(language: str) -> None:
    """Refuse, before long work, a name that is not a language, and a machine without the program."""
    if not re.fullmatch(r"[A-Za-z_]+(\+[A-Za-z_]+)*", language):
        raise InputError(f"Expected a language of tesseract, such as eng or deu+eng, got {language!r}.")
    if shutil.which(PROGRAM) is None:
        raise InputError(f"Expected the program {PROGRAM} to read text with: it is not installed.")


def recognise_text(picture: Pixels, language: str) -> str:
    """The text of an RGB picture, as a machine reads it: with errors."""
    file = io.BytesIO()
    pictures.encode(file, "PNG", pictures.resize(picture, ZOOM * picture.shape[1]))
    command = [PROGRAM, "stdin", "stdout", "-l", language, "--psm", "11"]
    try:
        ran = subprocess.run(command, input=file.getvalue(), capture_output=True, timeout=TIMEOUT_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InputError(f"Expected {PROGRAM} to read text ({pictures.summarise_error(error)}).") from error
    if ran.returncode:
        message = ran.stderr.decode(errors="replace").strip()[:100]
        raise InputError(f"Expected {PROGRAM} to read text ({message}).")
    lines = (line.strip() for line in ran.stdout.decode(errors="replace").splitlines())
    return "\n".join(line for line in lines if line)
