"""`python -m ballesta ARGUMENTS`: the program, with its exit code."""

import os
import subprocess
import sys

from ballesta import program


def main() -> int:
    command = [str(program()), *sys.argv[1:]]
    if os.name == "posix":
        os.execv(command[0], command)
    return subprocess.call(command)


if __name__ == "__main__":
    sys.exit(main())
