"""The program ballesta as pip installs it: where it is, and the libraries that it packs into FMUs.

The program itself needs no Python: `ballesta` is on the path. `python -m ballesta` starts it where the folder of scripts is not.
"""

from importlib import metadata
from pathlib import Path

__version__ = metadata.version("ballesta")


def _installed(name: str) -> Path:
    """The file of this installation that ends with `name`, from the list that pip keeps of what it has installed."""
    for file in metadata.files("ballesta") or ():
        path = Path(file.locate()).resolve()
        if path.as_posix().endswith(name):
            return path
    raise FileNotFoundError(f"this installation of ballesta has no {name}; install it again")


def program() -> Path:
    """The program."""
    try:
        return _installed("/ballesta.exe")
    except FileNotFoundError:
        return _installed("/bin/ballesta")


def libraries() -> Path:
    """The folder with the libraries of FMUs, one folder per platform, and their `manifest.json`."""
    return _installed("/lib/ballesta/manifest.json").parent
