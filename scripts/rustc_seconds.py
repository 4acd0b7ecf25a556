#!/usr/bin/env python3
"""A `RUSTC_WRAPPER` that adds a line with a crate's name and processor seconds to the file `RUSTC_SECONDS`; see scripts/weigh.py."""

import os
import resource
import subprocess
import sys

# The compiler shares the job server of Cargo, whose file descriptors it inherits.
status = subprocess.run(sys.argv[1:], close_fds=False).returncode
# Cargo also asks for versions and targets; only compilations name a package.
if package := os.environ.get("CARGO_PKG_NAME"):
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    # One write of a short line, because several compilers append at the same time.
    with open(os.environ["RUSTC_SECONDS"], "ab", buffering=0) as log:
        log.write(f"{package} {used.ru_utime + used.ru_stime:.2f}\n".encode())
sys.exit(status)
