#!/bin/sh
# Builds the example without a C library, runs it and compares its outputs with `ballesta run`.
#
#     examples/bare_metal/run.sh                             gcc, this machine
#     examples/bare_metal/run.sh aarch64-linux-gnu-gcc qemu-aarch64      another compiler, and how to run its program
#
# BALLESTA is the program [target/release/ballesta], OPTIONS are further options of the compiler [-O2]. Files are written to
# target/bare_metal.
set -eu
cd "$(dirname "$0")/../.."
compiler=${1:-gcc}
emulator=${2:-}
ballesta=${BALLESTA:-target/release/ballesta}
here=examples/bare_metal
out=target/bare_metal
mkdir -p "$out"

"$ballesta" export models/four_bar --sources-only --no-reference -o "$out/four_bar.fmu" >"$out/export.txt"
"$ballesta" run models/four_bar --stop 1 --step 1e-3 --csv "$out/four_bar.csv" --quiet
rm -rf "$out/fmu" "$out/objects"
mkdir "$out/objects"
python3 - "$out" <<'END'
import sys, xml.etree.ElementTree as tree, zipfile
out = sys.argv[1]
archive = zipfile.ZipFile(f"{out}/four_bar.fmu")
archive.extractall(f"{out}/fmu")
description = tree.fromstring(archive.read("modelDescription.xml"))
reference = {v.get("name"): v.get("valueReference") for v in description.iter("ScalarVariable")}
with open(f"{out}/fmu.h", "w") as header:
    header.write(f'#define GUID "{description.get("guid")}"\n')
    header.write(f'enum {{ LEFT_ANGLE = {reference["left.angle"]}, A0_FORCE_X = {reference["A0.force.x"]} }};\n')
END

# No headers except the compiler's own and those of libc/.
options="-std=c99 -ffreestanding -nostdinc -isystem $($compiler -print-file-name=include) -isystem $here/libc \
    -fno-stack-protector -fno-pic -ffunction-sections -fdata-sections -DBALLESTA_INSTANCES=1 ${OPTIONS:--O2}"
printf '%s\n' "$out"/fmu/sources/*.c | xargs -P "$(nproc)" -I '{}' sh -c \
    "$compiler $options -c {} -o $out/objects/\$(basename {} .c).o"
# shellcheck disable=SC2086
for file in main board functions; do
    $compiler $options -Wall -Wextra -I "$here" -I "$out" -c "$here/$file.c" -o "$out/objects/$file.o"
done
# libgcc has divisions and conversions that the processor has no instruction for.
# shellcheck disable=SC2086
$compiler ${OPTIONS:-} -static -no-pie -nostdlib -Wl,--gc-sections -Wl,--build-id=none "$out"/objects/*.o -lgcc -o "$out/four_bar"
$emulator "$out/four_bar" | tee "$out/outputs.txt"

python3 - "$out" <<'END'
import csv, struct, sys
out = sys.argv[1]
last = list(csv.DictReader(open(f"{out}/four_bar.csv")))[-1]
expected = [f"{name} {struct.pack('>d', float(last[name])).hex()}" for name in ("left.angle", "A0.force.x")]
if open(f"{out}/outputs.txt").read().splitlines() != expected:
    sys.exit(f"ballesta run has other bits at {last['time']} s: {', '.join(expected)}")
print(f"the bits of ballesta run at {last['time']} s")
END
