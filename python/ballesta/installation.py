"""Locations of the program `ballesta` and its FMU libraries in a pip installation.

The program does not need Python: `ballesta` is on the path. If the scripts folder is not on the path, use `python -m
ballesta`.
"""

from importlib import metadata
from pathlib import Path


def _installed(name: str) -> Path:
    """Returns the installed file whose path ends with `name`, from pip's list of installed files."""
    try:
        files = metadata.files("ballesta") or ()
    except metadata.PackageNotFoundError:
        raise FileNotFoundError(f"ballesta was not installed by pip; {name} not found") from None
    for file in files:
        path = Path(file.locate()).resolve()
        if path.as_posix().endswith(name):
            return path
    raise FileNotFoundError(f"this installation of ballesta has no {name}; reinstall it")


def program() -> Path:
    """Path of the program."""
    try:
        return _installed("/ballesta.exe")
    except FileNotFoundError:
        return _installed("/bin/ballesta")


def libraries() -> Path:
    """Folder with the FMU libraries, one folder per platform, and their `manifest.json`."""
    return _installed("/lib/ballesta/manifest.json").parent
