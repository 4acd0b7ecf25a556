#!/usr/bin/env python3
"""Makes the core of C sources from a WebAssembly module; called by scripts/platforms.sh.

    generate.py CORE.wasm OUT.zip          with wasm2c of wabt 1.0.32 in the path

CORE.wasm is the library of FMUs (package ballesta, feature `portable`), linked with --emit-relocs. OUT.zip contains what `ballesta export
--sources` needs and no more: core.wasm, which prepares the memory of an instance; functions.c, the text of every function that an
instance may call; table.json, which functions and data each function names, so that the export can leave out what a model does not reach.
"""

import hashlib
import io
import json
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from library_manifest import without_names  # noqa: E402
from module import Module  # noqa: E402
from statements import Condenser  # noqa: E402

WABT = "1.0.32"
# A module with one function that multiplies a number in memory, and the hash of what wasm2c makes of it: another build of the same version
# may write other text, which this script would not read.
PROBE = bytes.fromhex("0061736d0100000001070160027f7c017c030201000503010001070501016600000a0c010a0020002b03082001a20b")
PROBE_HASH = "a31ced1e91c65b042d55e23eea9c3bf10206c658c1e3fbc6550045929cad7497"
# Version of the layout of OUT.zip, as crates/c-sources/src/core.rs reads it.
FORMAT = 1
# Functions of the standards. The C code frees an instance itself: it forgets the memory.
STANDARD = re.compile(r"fmi[23](?!FreeInstance)\w+")
# Functions that are a trap in C: panics, whose message nobody reads, and the drop of an instance. Compilers write names in two ways:
# `ballesta..fmi` and `8ballesta3fmi`.
ENDS = re.compile(
    r"4core9panicking|unwrap_failed|expect_failed|18panic_bounds|slice_error_fail|slice5index\w*fail|handle_alloc_error|12handle_error"
    r"|capacity_overflow|rust_panic|drop_in_place.*(?:ballesta\.\.fmi\.\.instance\.\.Instance|8ballesta3fmi8instance8Instance)"
)
# Functions that an instance calls only if fixed parameters have changed.
COMPILES = re.compile(
    r"8instance\w*8Instance7compile|8instance9simulator|drop_in_place.*(?:ballesta\.\.simulate\.\.Simulator\$|8ballesta8simulate9Simulator)"
)
HEAD = re.compile(r"^static (void|u32|u64|f32|f64) (w2c_\w+)\(Z_core_instance_t\* instance([^{]*?)\) \{$", re.M)
INDIRECT = re.compile(
    r"CALL_INDIRECT\(instance->(?P<table>\w+), (?P<result>\w+) \(\*\)\(void\*(?P<types>[\w, ]*)\), \d+, (?P<index>\w+), "
    r"instance->\w+\.data\[\w+\]\.module_instance(?P<operands>[\w, ]*)\)"
)


def readable(name):
    """The path of a Rust function in its symbol."""
    legacy = re.match(r"_ZN(.*)17h[0-9a-f]{16}E", name)
    if not legacy:
        return name if name.startswith("fmi") else ""
    parts, rest = [], legacy[1]
    while length := re.match(r"\d+", rest):
        parts.append(rest[length.end() : length.end() + int(length[0])])
        rest = rest[length.end() + int(length[0]) :]
    text = "::".join(parts)
    for code, character in (("$LT$", "<"), ("$GT$", ">"), ("$u20$", " "), ("$RF$", "&"), ("$C$", ","), ("$u7b$", "{"), ("$u7d$", "}"), ("..", "::")):
        text = text.replace(code, character)
    return re.sub(r"\$\w+\$|\*/", "", text)[:150]


def functions(text, module, wanted, without):
    """By function its signature and its text in C."""
    imported = len(module.imports)
    heads = list(HEAD.finditer(text))
    if len(heads) != module.count:
        raise SystemExit(f"wasm2c wrote {len(heads)} functions of {module.count}")
    number = {head[2]: imported + i for i, head in enumerate(heads)}

    def called(name):
        function = number[name[1]]
        return "CUT(m" if function in without else f"F{function}(m"

    def renamed(call):
        call = INDIRECT.sub(lambda c: f"ICALL({c['result']} (*)(u8 *{c['types']}), {c['index']})(m{c['operands']})", call)
        call = re.sub(r"\(?\*?(?:instance->)?Z_hostZ_(\w+?)\)?\(instance->Z_host_instance", r"host_\1(m", call)
        call = re.sub(r"wasm_rt_grow_memory\(&instance->w2c_memory", "GROW(m", call)
        call = re.sub(r"\b(w2c_\w+)\(instance", called, call)
        if "instance" in call:
            raise SystemExit(f"unknown call: {call}")
        return call

    condenser = Condenser(renamed)
    for i, head in enumerate(heads):
        function = imported + i
        if function not in wanted:
            continue
        body = text[head.end() : text.index("\n}\n", head.start())]
        declared = re.findall(r"^\s*(u32|u64|f32|f64) (w2c_[^;=(]*(?:=[^;(]*)?);", body, re.M)
        lines = re.sub(r"^\s*(u32|u64|f32|f64) w2c_[^;=(]*(?:=[^;(]*)?;", "", body, flags=re.M).split("\n")
        statements, variables = condenser.condense(lines)
        written = []
        for kind, names in declared:
            kept = [name.strip() for name in names.split(",") if name.strip()[4] not in "ijfd" or name.strip() in variables]
            if kept:
                written.append(f"{kind} {', '.join(kept)};")
        parameters = re.sub(r"\s+", " ", head[3])
        signature = f"{head[1]} F{function}(u8 *m{parameters})"
        comment = readable(module.names.get(function, ""))
        whole = (f"/* {comment} */\n" if comment else "") + f"{signature} {{\n" + "\n".join(written + statements) + "\n}\n"
        yield function, signature.replace("w2c_", ""), whole.replace("w2c_", "")


def translated(module):
    """The text that wasm2c makes of a module."""
    with tempfile.TemporaryDirectory() as folder:
        given, written = Path(folder) / "core.wasm", Path(folder) / "core.c"
        given.write_bytes(module)
        subprocess.run(["wasm2c", str(given), "-n", "core", "-o", str(written)], check=True)
        return written.read_bytes()


def main(core, out):
    version = subprocess.run(["wasm2c", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    if version != WABT:
        raise SystemExit(f"wasm2c has version {version}; {WABT} is needed, whose output this script reads")
    if hashlib.sha256(translated(PROBE)).hexdigest() != PROBE_HASH:
        raise SystemExit(f"wasm2c {WABT} writes other text here than this script was made for")
    data = core.read_bytes()
    module = Module(data)
    text = translated(data).decode()

    without = {function for function, name in module.names.items() if ENDS.search(name)}
    compiles = sorted(function for function, name in module.names.items() if COMPILES.search(name))
    if len(compiles) < 3:
        raise SystemExit("the functions that compile a model again are not in the module")
    roots = {name: function for name, function in module.exports.items() if STANDARD.fullmatch(name)}
    # The loggers are called through the memory.
    callbacks = {function for function, name in module.names.items() if "portable" in name and "portable_" not in name}
    wanted, _ = module.reached(set(roots.values()) | callbacks, module.data, without)
    pieces, rows, at = [], {}, 0
    for function, signature, piece in functions(text, module, wanted, without):
        rows[function] = {
            "signature": signature,
            "start": at,
            "end": at + len(piece),
            "functions": sorted(f for f in module.functions_of[function] if f not in without and f >= len(module.imports)),
            "data": sorted(module.data_of[function]),
        }
        pieces.append(piece)
        at += len(piece)
    # Only data that leads to functions.
    leads = {d for d, (_, _, named, _) in module.data.items() if named}
    while more := {d for d, (_, _, _, others) in module.data.items() if d not in leads and others & leads}:
        leads |= more
    for row in rows.values():
        row["data"] = [d for d in row["data"] if d in leads]
    table = {
        "format": FORMAT,
        "exports": roots,
        "compiles": compiles,
        "functions": rows,
        "data": {
            d: {"address": address, "size": size, "functions": sorted(f for f in named if f in rows), "data": sorted(others & leads)}
            for d, (address, size, named, others) in module.data.items()
            if d in leads
        },
        "table": {place: function for place, function in module.table.items() if function in rows},
    }
    contents = {"core.wasm": without_names(data), "functions.c": "".join(pieces).encode(), "table.json": json.dumps(table).encode()}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in contents.items():
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED, 9)
    out.write_bytes(buffer.getvalue())
    print(f"{len(rows)} functions, {at * 1e-6:.1f} MB of C, {len(buffer.getvalue()) * 1e-6:.2f} MB compressed", file=sys.stderr)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
