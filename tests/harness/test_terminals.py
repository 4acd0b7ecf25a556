"""Terminals and icons of the FMUs: valid after the schema of FMI 3.0, about variables that exist, with a picture that can be read."""

import struct
import zipfile
from pathlib import Path

import fmpy
import pytest
from lxml import etree

import gallery

SCHEMA = etree.XMLSchema(file=str(Path(fmpy.__file__).parent / "schema" / "fmi3" / "fmi3TerminalsAndIcons.xsd"))
FOLDER = "terminalsAndIcons/"


def terminals(fmu):
    """Names of the terminals with their members; what is wrong with the folder is an assertion."""
    with zipfile.ZipFile(fmu.path) as archive:
        files = {name: archive.read(name) for name in archive.namelist() if name.startswith(FOLDER)}
    assert sorted(files) == [FOLDER + name for name in ("icon.png", "icon.svg", "terminalsAndIcons.xml")]
    tree = etree.fromstring(files[FOLDER + "terminalsAndIcons.xml"])
    SCHEMA.assertValid(tree)
    png = files[FOLDER + "icon.png"]
    width, height = struct.unpack(">II", png[16:24])
    assert png[:8] == b"\x89PNG\r\n\x1a\n" and max(width, height) == 400 and len(png) < 100_000, (width, height, len(png))
    icon = tree.find("GraphicalRepresentation/Icon")
    sides = [float(icon.get(end)) - float(icon.get(begin)) for begin, end in (("x1", "x2"), ("y1", "y2"))]
    assert max(sides) == 200 and abs(sides[0] / sides[1] - width / height) < 0.02 * width / height
    etree.fromstring(files[FOLDER + "icon.svg"])
    found = {}
    for terminal in tree.iter("Terminal"):
        members = {member.get("memberName"): member.get("variableName") for member in terminal}
        assert len(members) == len(terminal) and set(members.values()) <= set(fmu.variables), terminal.get("name")
        found[terminal.get("name")] = members
    return found


def test_terminals_and_icons_of_every_model_are_valid(exported):
    terminals(exported)


@pytest.mark.parametrize("fmi", ["2.0", "3.0"])
def test_drives_and_wheel_ports_are_terminals(fmi, program):
    arm = gallery.Exported("driven_arm", gallery.HOST_LIBRARY, fmi=fmi)
    assert terminals(arm) == {
        "yaw": {"effort": "yaw.torque", "position": "yaw.angle"},
        "elbow": {"effort": "elbow.torque", "position": "elbow.angle", "speed": "elbow.speed"},
    }
    hubs = gallery.Exported("hubs", gallery.HOST_LIBRARY, source=gallery.ROOT / "models" / "van" / "hubs.toml", fmi=fmi)
    found = {name: members for name, members in terminals(hubs).items() if name.startswith("wheel_")}
    assert len(found) == 4
    for name, members in found.items():
        assert members["force.z"] == f"{name}.force.z"
        assert members.get("pos", members.get("pos.x")) in (f"{name}.pos", f"{name}.pos.x")
