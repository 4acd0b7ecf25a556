#!/usr/bin/env python3
"""Checks an FMU library and adds it to manifest.json; called by scripts/platforms.sh.

    library_manifest.py fresh FOLDER PLATFORM SOURCES           exit code 0: the library exists and was built from these sources
    library_manifest.py add FOLDER PLATFORM LIBRARY --sources S --compiler C --linker L --flags F

Rejects a library with exit code 1 if it exports other functions than include/ballesta.h declares, needs more than the
system libraries listed below, or contains a path of the build machine. The library of live pages (wasm32) exports the
functions of crates/workshop/src/exports.rs, imports nothing, and is compressed without function names. The library that
writes FMUs in pages (wasm32-packer) has the functions of crates/packer/src/exports.rs and reports progress to the page. The core of C
sources (c-sources) has the functions that the header declares.
The script reads ELF, PE, Mach-O and WebAssembly files itself, because an objdump for all platforms is rarely available.
"""

import argparse
import fcntl
import hashlib
import io
import json
import os
import re
import shutil
import struct
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FORMAT = 1
MANIFEST = "manifest.json"
# ELF machines (System V ABI) of the Linux platforms.
ELF_MACHINES = {"x86_64-linux": 62, "aarch64-linux": 183}
# Processors (CPU_TYPE of mach/machine.h) of the macOS platforms.
MACHO_PROCESSORS = {"x86_64-darwin": 0x01000007, "aarch64-darwin": 0x0100000C}
FILES = {
    "x86_64-linux": "libballesta.so",
    "aarch64-linux": "libballesta.so",
    "x86_64-windows": "ballesta.dll",
    "x86_64-darwin": "libballesta.dylib",
    "aarch64-darwin": "libballesta.dylib",
    "wasm32": "ballesta.wasm.gz",
    "wasm32-packer": "packer.wasm.gz",
    "c-sources": "c-sources.zip",
}
# Source of the exported functions, and imported modules, of the libraries of pages.
PAGES = {
    "wasm32": ("crates/workshop/src/exports.rs", set()),
    "wasm32-packer": ("crates/packer/src/exports.rs", {"page"}),
}
LIBC_FAMILY = re.compile(r"(libc|libm|libpthread|libdl|librt|ld-linux-x86-64|ld-linux-aarch64)\.so\.\d+")
OLDEST_GLIBC = (2, 17)
OLDEST_MACOS = (11, 0)
# Part of every macOS. The crate libc, which sha2 uses on ARM, names iconv in its list of libraries; nothing calls it.
MACOS = re.compile(r"/usr/lib/lib(System\.B|iconv\.2|charset\.1)\.dylib")
# Exported in addition by every library for macOS, because Zig ignores the list of exports that rustc gives the linker: the
# header, and two symbols of Rust's standard library. macOS looks up a symbol in one library, so they replace nothing.
MACHO_EXTRA = re.compile(r"_mh_dylib_header|__dso_handle|rust_eh_personality|_R\w+EMPTY_PANIC")
PYTHON_ENTRY = "PyInit__native"
# Part of every Windows 10.
WINDOWS = re.compile(r"(kernel32|ntdll|msvcrt|bcrypt|bcryptprimitives|advapi32|ws2_32|userenv|api-ms-win-core-[a-z0-9-]+)\.dll", re.I)


class Refused(Exception):
    """A fault of a library."""


def text_at(data, offset):
    return data[offset : data.index(b"\0", offset)].decode("ascii")


def read_elf(data, machine):
    """Exported functions, needed libraries and required glibc versions of an ELF file."""
    if data[:6] != b"\x7fELF\x02\x01" or struct.unpack_from("<HH", data, 16) != (3, machine):
        raise Refused("is not a 64-bit shared object for this platform")
    (table,), (size, count) = struct.unpack_from("<Q", data, 40), struct.unpack_from("<HH", data, 58)
    # name, type, flags, address, offset, size, link, info, alignment, entry size
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, table + i * size) for i in range(count)]
    exported, needed, versions = set(), [], set()
    for _, kind, _, _, offset, length, link, info, _, entry in sections:
        names = sections[link][4] if link < count else 0
        if kind == 11:  # dynamic symbols
            for at in range(offset, offset + length, entry):
                name, binding, _, section = struct.unpack_from("<IBBH", data, at)
                if section != 0 and binding >> 4 in (1, 2):
                    exported.add(text_at(data, names + name))
        elif kind == 6:  # dynamic section
            for at in range(offset, offset + length, entry):
                tag, value = struct.unpack_from("<QQ", data, at)
                if tag == 1:
                    needed.append(text_at(data, names + value))
        elif kind == 0x6FFFFFFE:  # needed versions
            at = offset
            for _ in range(info):
                _, many, _, first, following = struct.unpack_from("<HHIII", data, at)
                inner = at + first
                for _ in range(many):
                    _, _, _, name, step = struct.unpack_from("<IHHII", data, inner)
                    versions.add(text_at(data, names + name))
                    inner += step
                at += following
    return exported, needed, versions


def read_pe(data, program=False):
    """Exported functions and imported libraries of a DLL, or of a program, for x86-64."""
    kind = "program" if program else "DLL"
    if data[:2] != b"MZ":
        raise Refused(f"is not a {kind}")
    (header,) = struct.unpack_from("<I", data, 60)
    machine, count, _, _, _, optional, flags = struct.unpack_from("<HHIIIHH", data, header + 4)
    if data[header : header + 4] != b"PE\0\0" or machine != 0x8664 or bool(flags & 0x2000) == program:
        raise Refused(f"is not a {kind} for x86-64")
    start = header + 24
    sections = [struct.unpack_from("<IIII", data, start + optional + 40 * i + 8) for i in range(count)]

    def place(address):
        for size, virtual, raw_size, raw in sections:
            if virtual <= address < virtual + max(size, raw_size):
                return raw + address - virtual
        raise Refused(f"has an address outside its sections: {address:#x}")

    (exports, _), (imports, _) = struct.unpack_from("<II", data, start + 112), struct.unpack_from("<II", data, start + 120)
    exported = set()
    if exports:
        at = place(exports)
        (names,), (table,) = struct.unpack_from("<I", data, at + 24), struct.unpack_from("<I", data, at + 32)
        exported = {text_at(data, place(address)) for (address,) in struct.iter_unpack("<I", data[place(table) : place(table) + 4 * names])}
    needed, at = [], place(imports)
    while (name := struct.unpack_from("<I", data, at + 12)[0]) != 0:
        needed.append(text_at(data, place(name)))
        at += 20
    return exported, needed


def read_macho(data, processor):
    """Exported functions, needed libraries and the oldest macOS of a dynamic library."""
    magic, cpu, _, kind, count, _ = struct.unpack_from("<IIIIII", data)
    if (magic, cpu, kind) != (0xFEEDFACF, processor, 6):
        raise Refused("is not a dynamic library for this platform")
    exported, needed, oldest, name, signed, at = set(), [], None, None, False, 32
    for _ in range(count):
        command, length = struct.unpack_from("<II", data, at)
        if command in (0xC, 0x80000018, 0x8000001F):  # LC_LOAD_DYLIB and its weak and exporting variants
            needed.append(text_at(data, at + struct.unpack_from("<I", data, at + 8)[0]))
        elif command == 0xD:  # LC_ID_DYLIB
            name = text_at(data, at + struct.unpack_from("<I", data, at + 8)[0])
        elif command == 0x32:  # LC_BUILD_VERSION
            (version,) = struct.unpack_from("<I", data, at + 12)
            oldest = (version >> 16, version >> 8 & 255)
        elif command in (0x22, 0x80000022):  # LC_DYLD_INFO
            exported |= names_of_trie(data, *struct.unpack_from("<II", data, at + 40))
        elif command == 0x80000033:  # LC_DYLD_EXPORTS_TRIE
            exported |= names_of_trie(data, *struct.unpack_from("<II", data, at + 8))
        elif command == 0x1D:  # LC_CODE_SIGNATURE
            signed = True
        at += length
    if name != "@rpath/libballesta.dylib":
        raise Refused(f"has the install name {name}")
    if processor == MACHO_PROCESSORS["aarch64-darwin"] and not signed:
        raise Refused("has no signature; macOS on ARM does not load it")
    return {symbol for symbol in exported if not MACHO_EXTRA.fullmatch(symbol)}, needed, oldest


def names_of_trie(data, start, size):
    """Symbols of the export trie of a Mach-O file, without the underscore before names of C."""
    found, pending = set(), [(0, b"")] if size else []
    while pending:
        offset, prefix = pending.pop()
        terminal, at = leb128(data, start + offset)
        if terminal:
            found.add(prefix.decode("ascii").removeprefix("_"))
        at += terminal
        children, at = data[at], at + 1
        for _ in range(children):
            end = data.index(b"\0", at)
            child, following = leb128(data, end + 1)
            pending.append((child, prefix + data[at:end]))
            at = following
    return found


def leb128(data, at):
    """An unsigned number of variable length, and the offset after it."""
    value = shift = 0
    while True:
        byte = data[at]
        value, shift, at = value | (byte & 127) << shift, shift + 7, at + 1
        if byte < 128:
            return value, at


def read_wasm(data):
    """Exported functions and imported modules of a WebAssembly module."""
    if data[:8] != b"\0asm\1\0\0\0":
        raise Refused("is not a WebAssembly module")

    def name(at):
        length, at = leb128(data, at)
        return data[at : at + length].decode(), at + length

    exported, needed, at = set(), set(), 8
    while at < len(data):
        section, (length, start) = data[at], leb128(data, at + 1)
        at = start + length
        count, place = leb128(data, start) if section in (2, 7) else (0, start)
        if section == 2 and count:
            needed.add(name(place)[0])
        for _ in range(count if section == 7 else 0):
            text, place = name(place)
            kind, (_, place) = data[place], leb128(data, place + 1)
            if kind == 0:
                exported.add(text)
    return exported, needed


def without_names(data):
    """A WebAssembly module without its custom sections (function names, producers), which a page does not use."""
    kept, at = [data[:8]], 8
    while at < len(data):
        length, place = leb128(data, at + 1)
        if data[at] != 0:
            kept.append(data[at : place + length])
        at = place + length
    return b"".join(kept)


def functions_of_pages(path):
    """The functions that the worker of a page calls."""
    text = (ROOT / path).read_text(encoding="utf-8")
    return set(re.findall(r"pub extern \"C\" fn (\w+)\(", text))


def functions_of_the_standard():
    """The functions that the header declares."""
    return set(re.findall(r"\b(fmi[23]\w+)\(", (ROOT / "include/ballesta.h").read_text(encoding="utf-8")))


def tells_no_folder(data):
    """Raises Refused if a library or program contains a path of the build machine."""
    home = Path.home()
    for folder in (ROOT, Path(os.environ.get("CARGO_HOME", home / ".cargo")), home):
        if len(folder.parts) > 1 and f"{folder}{os.sep}".encode() in data:
            raise Refused(f"contains paths in {folder}, where it was built")


def needs_of_system(needed, versions=None):
    """System requirements of a library or program; raises Refused if not every system meets them. `versions`: a set of glibc's symbol versions,
    the oldest macOS, or None on Windows."""
    if isinstance(versions, tuple):
        if versions > OLDEST_MACOS:
            raise Refused(f"requires macOS {versions[0]}.{versions[1]}; the limit is {OLDEST_MACOS[0]}.{OLDEST_MACOS[1]}")
        allowed, system = MACOS, {"macos": f"{versions[0]}.{versions[1]}"}
    elif versions is not None:
        allowed = LIBC_FAMILY
        numbers = [tuple(map(int, v[6:].split("."))) for v in versions if re.fullmatch(r"GLIBC_[0-9.]+", v)]
        glibc = max(numbers, default=(2, 0))
        if glibc > OLDEST_GLIBC:
            raise Refused(f"requires glibc {'.'.join(map(str, glibc))}; the limit is {'.'.join(map(str, OLDEST_GLIBC))}")
        system = {"glibc": ".".join(map(str, glibc))}
    else:
        allowed, system = WINDOWS, {"windows": "10"}
    if strange := sorted(name for name in needed if not allowed.fullmatch(name)):
        raise Refused(f"requires {', '.join(strange)}, which not every system has")
    return {"needs": sorted(needed), **system}


def read(data, platform, program=False):
    if platform in MACHO_PROCESSORS:
        return read_macho(data, MACHO_PROCESSORS[platform])
    return read_elf(data, ELF_MACHINES[platform]) if platform in ELF_MACHINES else read_pe(data, program)


def examine_program(data, platform):
    """System requirements of a program; raises Refused if a check fails."""
    tells_no_folder(data)
    _, *needs = read(data, platform, program=True)
    return needs_of_system(*needs)


def examine_module(data, platform):
    """System requirements of the Python module. It exports the entry function for the interpreter and the functions of the FMU library."""
    tells_no_folder(data)
    exported, needed, *versions = read(data, platform)
    if PYTHON_ENTRY not in exported:
        raise Refused(f"does not export {PYTHON_ENTRY}, which Python needs to load it")
    if strange := sorted(exported - functions_of_the_standard() - {PYTHON_ENTRY}):
        raise Refused(f"exports {', '.join(strange)}")
    # The stable ABI of any version; on Linux it is part of the interpreter.
    return needs_of_system([name for name in needed if name.lower() != "python3.dll"], *versions)


def examine(data, platform):
    """System requirements of a library, which must export exactly the functions of the standard."""
    tells_no_folder(data)
    if platform in PAGES:
        source, imports = PAGES[platform]
        exported, needed = read_wasm(data)
        if needed != imports or exported != functions_of_pages(source):
            raise Refused(f"imports {sorted(needed)}, or exports other functions than {source}")
        if b"time not implemented on this platform" in data:
            raise Refused("uses the clock of std, which panics in a page")
        return {"needs": []}
    declared = functions_of_the_standard()
    if platform == "c-sources":
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            exported = set(json.loads(archive.read("table.json"))["exports"])
            tells_no_folder(archive.read("core.wasm") + archive.read("functions.c"))
        if exported != {name for name in declared if "FreeInstance" not in name}:
            raise Refused("has other functions than include/ballesta.h declares")
        return {"needs": []}
    exported, *needs = read(data, platform)
    needs = needs_of_system(*needs)
    if extra := sorted(exported - declared):
        raise Refused(f"exports {', '.join(extra)}, which include/ballesta.h does not declare")
    if lost := sorted(declared - exported):
        raise Refused(f"does not export {', '.join(lost)}")
    return needs


def read_manifest(folder):
    try:
        contents = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {"format": FORMAT, "libraries": []}
    return contents if contents.get("format") == FORMAT else {"format": FORMAT, "libraries": []}


def version():
    return re.search(r'^version = "(.*)"$', (ROOT / "Cargo.toml").read_text(encoding="utf-8"), re.M)[1]


def fresh(folder, platform, sources):
    for entry in read_manifest(folder)["libraries"]:
        path = folder / entry["file"]
        if entry["platform"] == platform and entry["sources"] == sources and entry["version"] == version() and path.is_file():
            return hashlib.sha256(path.read_bytes()).hexdigest() == entry["sha256"]
    return False


def replace(path, data):
    """Writes a temporary file, then replaces `path` in one step."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        new.write_bytes(data)
        os.replace(new, path)
    finally:
        new.unlink(missing_ok=True)


def add(folder, platform, library, sources, compiler, linker, flags):
    data = library.read_bytes()
    needs = examine(data, platform)
    if platform in PAGES:
        # In target/venv, where scripts/platforms.sh calls this.
        import zopfli.gzip

        data = zopfli.gzip.compress(without_names(data), numiterations=5)
    file = f"{platform}/{FILES[platform]}"
    entry = {
        "platform": platform,
        "file": file,
        "bytes": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
        "version": version(),
        "sources": sources,
        **needs,
        "compiler": compiler,
        "linker": linker,
        "flags": flags,
    }
    # Two scripts may build two platforms at the same time.
    with open(folder / ".lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        manifest = read_manifest(folder)
        others = [other for other in manifest["libraries"] if other["platform"] != platform]
        manifest["libraries"] = sorted([*others, entry], key=lambda e: e["platform"])
        replace(folder / file, data)
        replace(folder / MANIFEST, (json.dumps(manifest, indent=2) + "\n").encode())
    systems = {"glibc": "glibc {}", "windows": "Windows {}", "macos": "macOS {}"}
    needed = next((words.format(needs[key]) for key, words in systems.items() if key in needs), "no system library")
    print(f"{folder / file}: {len(data) * 1e-6:.2f} MB, needs {needed}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    question = commands.add_parser("fresh")
    entry = commands.add_parser("add")
    for command in (question, entry):
        command.add_argument("folder", type=Path)
        command.add_argument("platform", choices=sorted(FILES))
    question.add_argument("sources")
    entry.add_argument("library", type=Path)
    for name in ("sources", "compiler", "linker", "flags"):
        entry.add_argument(f"--{name}", required=True)
    arguments = vars(parser.parse_args())
    if arguments.pop("command") == "fresh":
        return 0 if fresh(**arguments) else 1
    try:
        add(**arguments)
    except Refused as refused:
        print(f"error: {arguments['library']} {refused}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
