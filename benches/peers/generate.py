"""Writes models of any size: generate.py chain N, or generate.py windows N."""

import sys

THIRD = 1 / 12  # kg m², of a uniform slender rod of 1 kg and 1 m about its centre


def chain(links):
    """An open chain of uniform rods, 1 m and 1 kg, along x; every joint turns about y."""
    lines = ["[model]", f'name = "chain_{links}"', "gravity = [0, 0, -9.81]", "step = 1e-3"]
    for i in range(links):
        before = f"link_{i - 1}" if i else "ground"
        lines += ["", "[[body]]", f'name = "link_{i}"', "mass = 1", f"com = [{i}.5, 0, 0]"]
        lines += [f"inertia = [0, {THIRD}, {THIRD}, 0, 0, 0]"]
        lines += ["", "[[joint]]", f'name = "joint_{i}"', 'type = "revolute"', f'bodies = ["{before}", "link_{i}"]']
        lines += [f"point = [{i}, 0, 0]", "axis = [0, 1, 0]"]
    return "\n".join(lines) + "\n"


def windows(count):
    """A four-bar linkage with `count` windows, that of examples/four_bar_windows.rs."""
    lines = ["[model]", f'name = "four_bar_windows_{count}"', "gravity = [0, -9.81, 0]", "step = 1e-3"]

    def rod(name, com, inertia):
        lines.extend(["", "[[body]]", f'name = "{name}"', "mass = 1", f"com = {com}", f"inertia = {inertia}"])

    def joint(name, first, second, point):
        lines.extend(["", "[[joint]]", f'name = "{name}"', 'type = "revolute"', f'bodies = ["{first}", "{second}"]'])
        lines.extend([f"point = {point}", "axis = [0, 0, 1]"])

    for i in range(count + 1):
        rod(f"vertical_{i}", [i, 0.5, 0], [THIRD, 0, THIRD, 0, 0, 0])
        joint(f"A{i}", "ground", f"vertical_{i}", [i, 0, 0])
        if i == 0:
            lines.append("speed = -1")
    for i in range(count):
        rod(f"horizontal_{i}", [i + 0.5, 1, 0], [0, THIRD, THIRD, 0, 0, 0])
        joint(f"left_{i}", f"vertical_{i}", f"horizontal_{i}", [i, 1, 0])
        joint(f"right_{i}", f"horizontal_{i}", f"vertical_{i + 1}", [i + 1, 1, 0])
    return "\n".join(lines) + "\n"


KINDS = {"chain": chain, "windows": windows}

if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in KINDS:
        sys.exit("usage: generate.py chain|windows N")
    print(KINDS[sys.argv[1]](int(sys.argv[2])), end="")
