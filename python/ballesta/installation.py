"""Where the program ballesta is as pip installs it, and the libraries that it packs into FMUs.

The program itself needs no Python: `ballesta` is on the path. `python -m ballesta` starts it where the folder of scripts is not.
"""

from importlib import metadata
from pathlib import Path


def _installed(name: str) -> Path:
    """The file of this installation that ends with `name`, from the list that pip keeps of what it has installed."""
    try:
        files = metadata.files("ballesta") or ()
    except metadata.PackageNotFoundError:
        raise FileNotFoundError(f"ballesta was not installed by pip, so that {name} is not known") from None
    for file in files:
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
