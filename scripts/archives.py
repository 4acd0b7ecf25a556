#!/usr/bin/env python3
"""Writes an archive and a Python wheel with the program and the FMU libraries; called by scripts/package.sh.

    archives.py PLATFORM --program FILE --module FILE --libraries FOLDER --sources FINGERPRINT --page-sources FINGERPRINT
                --packer-sources FINGERPRINT --c-sources FINGERPRINT [--out FOLDER]

maturin is not used, because archive and wheel contain the same program, byte for byte, built with the toolchains, flags
and checks of the libraries. maturin would build a second one with its own recipe, supports neither Debian's compiler
nor files next to a program, and writes no archives. A wheel is a zip file with three text files (PyPA, "Binary
distribution format").

The wheel installs the program into the scripts folder and the libraries into lib/ballesta of the same prefix, as in the
archive, so that the program finds them in the same way. It also installs the Python package with its compiled module,
for Python 3.10 or later.

Equal inputs give equal bytes: sorted names, one time stamp, no owners. Exit code 1: a check failed, nothing is written.
"""

import argparse
import base64
import gzip
import hashlib
import io
import json
import os
import re
import sys
import tarfile
import zipfile
from pathlib import Path

from library_manifest import FILES, MANIFEST, OLDEST_GLIBC, ROOT, Refused, examine_module, examine_program, fresh, read_manifest, replace, version

# The start of the time of zip files, 1980-01-01.
TIME = 315_532_800
ZIP_TIME = (1980, 1, 1, 0, 0, 0)
# PEP 600, with the older name for old installers.
LINUX_TAG = "manylinux_{0}_{1}_{{cpu}}.manylinux2014_{{cpu}}".format(*OLDEST_GLIBC)
TAGS = {
    "x86_64-linux": LINUX_TAG.format(cpu="x86_64"),
    "aarch64-linux": LINUX_TAG.format(cpu="aarch64"),
    "x86_64-windows": "win_amd64",
}
LICENSES = ("LICENSE-APACHE", "LICENSE-MIT", "scripts/package/third-party-licenses.txt")
PYTHON = ">=3.10"
PYTHON_TAG = "cp310-abi3"
NEEDS = ("numpy>=1.23",)
EXTRAS = {"pandas": ["pandas"], "study": ["pandas", "pyarrow"], "dask": ["distributed", "pandas", "pyarrow"]}


def cargo(key):
    return re.search(rf'^{key} = "(.*)"$', (ROOT / "Cargo.toml").read_text(encoding="utf-8"), re.M)[1]


def libraries(folder, sources, **others):
    """Path below lib/ballesta and contents of the manifest and of all libraries; each must be built from these sources. `others`: the
    fingerprints of the libraries that have their own, by platform."""
    for platform in FILES:
        if not fresh(folder, platform, others.get(platform.replace("-", "_"), sources)):
            raise Refused(f"has no library for {platform} built from the current sources; run scripts/platforms.sh {platform}")
    entries = [entry for entry in read_manifest(folder)["libraries"] if entry["platform"] in FILES]
    found = {entry["file"]: (folder / entry["file"]).read_bytes() for entry in entries}
    found[MANIFEST] = (json.dumps({"format": 1, "libraries": entries}, indent=2) + "\n").encode()
    return found


def below(folder, pattern="*"):
    """Files of the source tree below a folder, by their path."""
    paths = (path for path in (ROOT / folder).rglob(pattern) if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in paths}


def manual():
    """Manual pages, in the folder that `man` searches for programs in bin/."""
    return {f"share/man/man1/{Path(path).name}": data for path, data in below("docs/man").items()}


def archive_files(platform, program, found):
    """Path in the archive → contents."""
    windows = platform.endswith("windows")
    name = "ballesta.exe" if windows else "ballesta"
    words = {
        "version": version(),
        "platform": platform,
        "program": "bin\\ballesta" if windows else "bin/ballesta",
        "separator": "\\" if windows else "/",
        "manual": "" if windows else "share/man/      manual pages: `man ballesta`, `man ballesta-run` where bin/ is on the path, or `man share/man/man1/ballesta.1`\n",
        "system": "Windows 10 or later" if windows else "glibc 2.17 (2012) or later",
    }
    readme = (ROOT / "scripts/package/README.txt").read_text(encoding="utf-8").format(**words)
    files = {
        "README.txt": (readme.replace("\n", "\r\n") if windows else readme).encode(),
        f"bin/{name}": program,
        **{Path(path).name: (ROOT / path).read_bytes() for path in LICENSES},
        **{f"lib/ballesta/{path}": data for path, data in found.items()},
        **below("models"),
        **below("docs", "*.md"),
        **below("docs", "*.json"),
        **below("docs", "*.svg"),
        **({} if windows else manual()),
    }
    return {f"ballesta-{version()}-{platform}/{path}": data for path, data in files.items()}


def executable(path):
    return "/bin/" in path or "/scripts/" in path


def write_tar(files):
    tar = io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path, data in sorted(files.items()):
            entry = tarfile.TarInfo(path)
            entry.size, entry.mtime, entry.mode = len(data), TIME, 0o755 if executable(path) else 0o644
            archive.addfile(entry, io.BytesIO(data))
    return gzip.compress(tar.getvalue(), compresslevel=9, mtime=TIME)


def write_zip(files):
    """In the order of `files`."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, ZIP_TIME)
            entry.create_system, entry.compress_type = 3, zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if executable(path) else 0o100644) << 16
            archive.writestr(entry, data)
    return out.getvalue()


def metadata():
    repository = (ROOT / "README.md").read_text(encoding="utf-8").split("\n## ")[0]
    # Links within the source tree do not work in a package index.
    description = re.sub(r"\[([^\]]+)\]\((?!https?:)[^)]*\)", r"\1", repository)
    return "\n".join(
        [
            "Metadata-Version: 2.4",
            "Name: ballesta",
            f"Version: {version()}",
            f"Summary: {cargo('description')}",
            f"License-Expression: {cargo('license')}",
            *(f"License-File: {Path(path).name}" for path in sorted(LICENSES)),
            "Keywords: multibody,fmi,fmu,real-time,simulation,mechanism",
            "Classifier: Environment :: Console",
            "Classifier: Topic :: Scientific/Engineering",
            f"Requires-Python: {PYTHON}",
            *(f"Requires-Dist: {need}" for need in NEEDS),
            *(f"Provides-Extra: {extra}" for extra in EXTRAS),
            *(f'Requires-Dist: {need}; extra == "{extra}"' for extra, needs in EXTRAS.items() for need in needs),
            "Description-Content-Type: text/markdown",
            "",
            description.strip(),
            "",
        ]
    )


def wheel_files(platform, program, module, found):
    """Path in the wheel → contents, RECORD last."""
    data, info = f"ballesta-{version()}.data", f"ballesta-{version()}.dist-info"
    windows = platform.endswith("windows")
    name = "ballesta.exe" if windows else "ballesta"
    tags = [f"Tag: {PYTHON_TAG}-{tag}" for tag in TAGS[platform].split(".")]
    package = below("python/ballesta") | {f"python/ballesta/{'_native.pyd' if windows else '_native.abi3.so'}": module}
    files = {path.removeprefix("python/"): content for path, content in sorted(package.items())}
    files[f"{data}/scripts/{name}"] = program
    files |= {f"{data}/data/lib/ballesta/{path}": content for path, content in sorted(found.items())}
    if not windows:
        files |= {f"{data}/data/{path}": content for path, content in sorted(manual().items())}
    files |= {f"{info}/licenses/{Path(path).name}": (ROOT / path).read_bytes() for path in sorted(LICENSES)}
    files[f"{info}/METADATA"] = metadata().encode()
    files[f"{info}/WHEEL"] = "\n".join(["Wheel-Version: 1.0", "Generator: ballesta", "Root-Is-Purelib: false", *tags, ""]).encode()
    lines = []
    for path, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{path},sha256={digest},{len(content)}\n")
    files[f"{info}/RECORD"] = "".join([*lines, f"{info}/RECORD,,\n"]).encode()
    return files


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("platform", choices=sorted(FILES))
    parser.add_argument("--program", type=Path, required=True)
    parser.add_argument("--module", type=Path, required=True)
    parser.add_argument("--libraries", type=Path, required=True)
    parser.add_argument("--sources", required=True)
    parser.add_argument("--page-sources", required=True)
    parser.add_argument("--packer-sources", required=True)
    parser.add_argument("--c-sources", required=True)
    parser.add_argument("--out", type=Path, default=Path("dist"))
    typed = parser.parse_args()
    program, module = typed.program.read_bytes(), typed.module.read_bytes()
    about = typed.program
    try:
        examine_program(program, typed.platform)
        for about, data in ((typed.module, module), (typed.program, program)):
            if typed.sources.encode() not in data:
                raise Refused("was not built from the current sources; run scripts/package.sh")
        about = typed.module
        examine_module(module, typed.platform)
        about = typed.libraries
        found = libraries(
            typed.libraries, typed.sources, wasm32=typed.page_sources, wasm32_packer=typed.packer_sources, c_sources=typed.c_sources
        )
    except Refused as refused:
        print(f"error: {about} {refused}", file=sys.stderr)
        return 1
    files = archive_files(typed.platform, program, found)
    windows = typed.platform.endswith("windows")
    results = {
        f"ballesta-{version()}-{typed.platform}.{'zip' if windows else 'tar.gz'}": write_zip(dict(sorted(files.items()))) if windows else write_tar(files),
        f"ballesta-{version()}-{PYTHON_TAG}-{TAGS[typed.platform]}.whl": write_zip(wheel_files(typed.platform, program, module, found)),
    }
    for name, data in results.items():
        replace(typed.out / name, data)
        print(f"{os.fspath(typed.out / name)}: {len(data) * 1e-6:.2f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
