"""Functions of `ballesta convert --simscape-block`: every call names blocks, parameters and entries of tests/harness/simscape/blocks.json, and
in GNU Octave, with stand-ins for Simulink, they build the block of Míguez et al., figure 1. Simscape itself is not there."""

import json
import re
import shutil
import subprocess
import tomllib

import numpy as np
import pytest

from gallery import PROGRAM, ROOT, SCRATCH

OCTAVE = shutil.which("octave-cli")
STANDINS = ROOT / "tests" / "harness" / "simscape"
TABLE = {re.sub(r"\s+", " ", entry["path"]): entry for entry in json.loads((STANDINS / "blocks.json").read_text())}
# A truss and a frame in the plane, a frame in space whose interfaces lack rotations, beams in space with all directions.
ROMS = ["step_loaded_truss/truss", "step_loaded_frame/frame", "space_frame/frame", "serial_arm/link"]
SOLID = "sm_lib/Body Elements/Flexible Bodies/Reduced Order Flexible Solid"
CASES = [(rom, padding) for rom in ROMS for padding in ("rigid", "unit")]


def call(*command, **options):
    done = subprocess.run([str(c) for c in command], cwd=ROOT, stdin=subprocess.DEVNULL, text=True, capture_output=True, timeout=120, **options)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


def written(rom, padding):
    """The function and the data of a reduced model, and the model."""
    folder = SCRATCH / "simscape_block" / f"{rom.replace('/', '_')}_{padding}"
    folder.mkdir(parents=True, exist_ok=True)
    function, data = folder / "the_block.m", folder / "data.m"
    file = ROOT / "models" / f"{rom}.rom.toml"
    call(PROGRAM, "convert", file, "--simscape", data, "--simscape-block", function, "--padding", padding)
    return function, data, tomllib.loads(file.read_text())


def has_added(model):
    return not all(all(interface["active"]) for interface in model["interface"])


def is_plane(model):
    return not any(interface["active"][d] for interface in model["interface"] for d in (2, 3, 4))


@pytest.mark.parametrize("rom, padding", CASES)
def test_every_call_is_in_the_table(rom, padding):
    text = re.sub(r"\.\.\.\n\s*", "", written(rom, padding)[0].read_text())
    sources, variables = {}, dict(re.findall(r"^(\w+) = \[block '/(.*)'\];$", text, re.M))
    assert set(variables) >= {"solid", "port"}
    current, found, calls = {}, None, 0
    for line in text.split("\nfunction path = library_block")[0].splitlines():
        line = line.strip()
        if source := re.match(r"source = library_block\('([^']+)'\);$", line):
            found = source.group(1)
            continue
        line = line.replace("add_block(source,", f"add_block('{found}',")
        if added := re.match(r"add_block\((?:library_block\('([^']+)'\)|'([^']+)'), (\w+), (.*)\);$", line):
            source = added.group(1) or added.group(2)
            assert source in TABLE, line
            current[added.group(3)] = source
            sources.setdefault(source, 0)
            sources[source] += 1
            given = added.group(4)
        elif put := re.match(r"(?:set_param|choose)\((\w+), (.*)\);$", line):
            source, given = current[put.group(1)], put.group(2)
        else:
            # No other way to set anything.
            assert "set_param(" not in line and "add_block(" not in line and "choose(" not in line, line
            continue
        parameters = {entry["name"]: entry["values"] for entry in TABLE[source]["parameters"]}
        for name, value in re.findall(r"'(\w+)', (\{.*\}|'(?:[^']|'')*'|\[[^\]]*\])", given):
            calls += 1
            if name == "Position":
                continue
            assert name in parameters, line
            plain = [re.sub(r"\W", "", entry).lower() for entry in parameters[name]]
            words = re.findall(r"'((?:[^']|'')*)'", value)
            assert not plain or any(re.sub(r"\W", "", word).lower() in plain for word in words), line
    assert sources[SOLID] == 1 and calls >= 12


@pytest.mark.parametrize("rom, padding", CASES)
@pytest.mark.skipif(OCTAVE is None, reason="octave-cli is not installed: scripts/octave.sh does that")
def test_the_stand_ins_build_the_block_of_the_paper(rom, padding):
    function, data, model = written(rom, padding)
    count = len(model["interface"])
    order = list(range(count, 0, -1))
    # The mask holds the numbers of the data script, to the last bit.
    program = f"""
        addpath('{STANDINS}'); addpath('{function.parent}'); run('{data}');
        block = the_block({order}); found = simulink('report');
        for i = 1:numel(found.mask)
            value = eval(found.mask{{i}}.value);
            assert(isequal(value, eval(found.mask{{i}}.name)), 'the mask has another %s', found.mask{{i}}.name);
        end
        printf('REPORT%s\\n', jsonencode(rmfield(found, 'mask')));
        printf('MASK%s\\n', jsonencode(cellfun(@(value) value.name, found.mask, 'UniformOutput', false)));
        printf('BLOCK%s\\n', block);"""
    text = call(OCTAVE, "--norc", "--quiet", "--eval", program, env={"PATH": "/usr/bin:/bin"})
    report = json.loads(re.search(r"^REPORT(.*)$", text, re.M).group(1))
    mask = json.loads(re.search(r"^MASK(.*)$", text, re.M).group(1))
    root = re.search(r"^BLOCK(.*)$", text, re.M).group(1)
    assert root == f"the_block_library/{model['name']}"
    blocks = {block["path"]: block for block in report["blocks"]}
    kinds = {path: re.sub(r"\s+", " ", block["source"]) for path, block in blocks.items()}
    values = {path: {entry["name"]: entry["value"] for entry in block["parameters"]} for path, block in blocks.items()}
    of_kind = lambda kind: [path for path, found in kinds.items() if found == kind]  # noqa: E731
    [solid] = of_kind(SOLID)
    assert values[solid]["NumberOfInterfaceFrames"] == str(count)
    wanted = {"InterfaceFrameOrigins": "origins", "InterfaceFrameOrientations": "quaternions", "StiffnessMatrix": "K", "MassMatrix": "M"}
    assert wanted.items() <= values[solid].items()
    damped = bool(np.any(model["matrices"].get("damping", [0])))
    assert values[solid]["DampingType"] == ("Damping Matrix" if damped or padding == "rigid" and has_added(model) else "None")
    held = padding == "unit" and has_added(model)
    assert mask == ["origins", "quaternions", "K", "M", "C"] + (["interface_mass"] if held else [])
    # Every node of the network: the ports that lines connect with a frame of the solid.
    nets = {}
    for ends in report["lines"]:
        [at] = [end for end in ends if end["path"] == solid]
        [other] = [end for end in ends if end["path"] != solid]
        nets.setdefault(at["number"], []).append((kinds[other["path"]], other["path"].removeprefix(root + "/"), other["side"]))
    ports = {name: number for number, net in nets.items() for kind, name, _ in net if kind == "nesl_utility/Connection Port"}
    assert ports == {interface["name"]: number for interface, number in zip(model["interface"], order)}
    assert [values[f"{root}/{interface['name']}"]["Port"] for interface in model["interface"]] == [str(i + 1) for i in range(count)]
    masses, constraints = of_kind("sm_lib/Body Elements/Inertia"), of_kind("sm_lib/Constraints/Angle Constraint")
    assert (len(masses), len(constraints)) == (count if held else 0, count - 1 if held and is_plane(model) else 0)
    for path in masses:
        assert values[path] == {"InertiaType": "PointMass", "Mass": "interface_mass", "MassUnits": "kg"}
    if held:
        assert all(sum(kind.endswith("/Inertia") for kind, _, _ in net) == 1 for net in nets.values())
    for path in constraints:
        assert values[path] == {"ConstraintType": "Parallel"}
        at = {side: number for number, net in nets.items() for _, name, side in net if f"{root}/{name}" == path}
        # The base at frame 1, the follower at the frame of its number.
        assert at["left"] == order[0] and at["right"] == order[int(path.split()[-1]) - 1]


@pytest.mark.skipif(OCTAVE is None, reason="octave-cli is not installed: scripts/octave.sh does that")
@pytest.mark.parametrize("change, message", [
    (("'StiffnessMatrix'", "'StiffnessMatrices'"), "has no parameter StiffnessMatrices"),
    (("'ConstraintType', {'Parallel'}", "'ConstraintType', {'Aligned'}"), "ConstraintType of sm_lib/Constraints/Angle"),
    (("Constraints/Angle Constraint", "Constraints/Angles"), "no block sm_lib/Constraints/Angles"),
    (("'NumberOfInterfaceFrames', '2'", "'NumberOfInterfaceFrames', '3'"), "the solid has 3 frame ports, not 2"),
    (("'UnitSystemType', {'SI'}", "'UnitSystemType', {'MKS'}"), "parameter UnitSystemType has no entry MKS; its entries are SI, Imperial, Custom"),
    (("nesl_utility/Connection Port", "nesl_utility/Port"), "no block nesl_utility/Port"),
])
def test_the_stand_ins_refuse_what_is_not_in_the_table(change, message):
    function, _, _ = written("step_loaded_frame/frame", "unit")
    text = function.read_text()
    assert change[0] in text
    folder = function.parent / "changed"
    folder.mkdir(exist_ok=True)
    (folder / "the_block.m").write_text(text.replace(*change))
    done = subprocess.run([OCTAVE, "--norc", "--quiet", "--eval", f"addpath('{STANDINS}'); addpath('{folder}'); the_block()"],
                          stdin=subprocess.DEVNULL, text=True, capture_output=True, timeout=60)
    assert done.returncode != 0 and message in done.stderr, done.stderr
