"""Writes the body panels and windows of the van, the cars and the cab of the truck as OBJ files (W of the model, m).

A body is a loft between sections across x. The outlines are invented; they fit around the wheels of the models.
"""

import math
from pathlib import Path

MODELS = Path(__file__).resolve().parent.parent / "models"


def between(table, x):
    """Linear interpolation in a table of (x, value), x descending."""
    for (x0, v0), (x1, v1) in zip(table, table[1:]):
        if x0 >= x >= x1:
            return v0 if x0 == x1 else v0 + (v1 - v0) * (x0 - x) / (x0 - x1)
    return table[0][1] if x > table[0][0] else table[-1][1]


def section(x, low, belt, top, wide, roof, edge):
    """Points of a section, from the lower left over the top to the lower right."""
    edge = min(edge, 0.45 * (top - belt), 0.8 * roof)
    # Between belt and roof the sides lean inwards.
    t = (top - edge - belt) / max(top - belt, 1e-9)
    side = wide + t * (roof - wide)
    half = [(0.94 * wide, low), (wide, low + 0.3 * (belt - low)), (wide, belt), (side, top - edge), (roof - 0.35 * edge, top - 0.25 * edge), (roof - edge, top)]
    return [(x, y, z) for y, z in half] + [(x, -y, z) for y, z in reversed(half)]


def loft(sections):
    """Triangles of a closed surface through sections with the same number of points, x descending."""
    triangles = []
    count = len(sections[0])
    for a, b in zip(sections, sections[1:]):
        for k in range(count):
            n = (k + 1) % count
            triangles += [(a[k], b[n], a[n]), (a[k], b[k], b[n])]
    for points, ahead in ((sections[0], True), (sections[-1], False)):
        # A fan on each side of the middle line.
        for k in range(count // 2 - 1):
            quad = [points[k], points[k + 1], points[count - 2 - k], points[count - 1 - k]]
            if not ahead:
                quad.reverse()
            triangles += [(quad[0], quad[1], quad[2]), (quad[0], quad[2], quad[3])]
    return triangles


def patch(corners, out):
    """Two triangles of four corners, moved outwards."""
    a, b, c, d = [tuple(p[k] + out[k] for k in range(3)) for p in corners]
    return [(a, b, c), (a, c, d)]


def write(path, name, triangles):
    """Writes triangles without those of no area, every point once."""
    points = {}
    faces = []
    for triangle in triangles:
        corners = [points.setdefault(tuple(round(x, 4) + 0.0 for x in point), len(points) + 1) for point in triangle]
        if len(set(corners)) == 3:
            faces.append("f {} {} {}".format(*corners))
    lines = [f"# {name}, by scripts/vehicle_shapes.py", *("v {:g} {:g} {:g}".format(*point) for point in points), *faces]
    path.write_text("\n".join(lines) + "\n")
    print(path.relative_to(MODELS.parent), len(faces), "triangles,", path.stat().st_size, "bytes")


class Body:
    """A body by its outlines over x: upper edge, belt line, lower edge, half widths at the belt and at the upper edge."""

    def __init__(self, top, belt, low, wide, roof, edge, wheels=(), arch=0.0):
        self.top, self.belt, self.low, self.wide, self.roof, self.edge = top, belt, low, wide, roof, edge
        self.wheels, self.arch = wheels, arch

    def at(self, x, low=None):
        low = between(self.low, x) if low is None else low
        return section(x, low, between(self.belt, x), between(self.top, x), between(self.wide, x), between(self.roof, x), self.edge)

    def sections(self):
        cuts = {x for table in (self.top, self.belt, self.low, self.wide, self.roof) for x, _ in table}
        for x, _ in self.wheels:
            cuts = {cut for cut in cuts if abs(cut - x) > self.arch}
        stations = [(cut, None) for cut in cuts]
        for x, z in self.wheels:
            for k in range(11):
                angle = math.pi * k / 10
                stations.append((x + self.arch * math.cos(angle), z + self.arch * math.sin(angle)))
            stations += [(x + self.arch + 1e-4, None), (x - self.arch - 1e-4, None)]
        return [self.at(x, low) for x, low in sorted(stations, key=lambda one: -one[0])]

    def side(self, x, z, out=0.006):
        """Places on the left side."""
        points = self.at(x)
        for (_, y0, z0), (_, y1, z1) in zip(points[2:5], points[3:6]):
            if z0 <= z <= z1:
                return (x, y0 + (y1 - y0) * (z - z0) / (z1 - z0) + out, z)
        return (x, points[2][1] + out, z)

    def window(self, outline):
        """A window on both sides, by its corners (x, z): lower front, lower rear, upper rear, upper front."""
        a, b, c, d = outline
        steps = 6

        def place(i, k):
            s, t = i / steps, k / steps
            x, z = [(1 - t) * ((1 - s) * a[n] + s * b[n]) + t * ((1 - s) * d[n] + s * c[n]) for n in (0, 1)]
            return self.side(x, z)

        triangles = []
        for i in range(steps):
            for k in range(steps):
                p, q, r, s = place(i, k), place(i + 1, k), place(i + 1, k + 1), place(i, k + 1)
                triangles += [(p, q, r), (p, r, s)]
        # The left side is seen against the y axis.
        return [t[::-1] for t in triangles] + [tuple((x, -y, z) for x, y, z in t) for t in triangles]

    def screen(self, low, high, inset=0.08, out=0.008):
        """A window across, between two stations."""
        ends = []
        for x in (low, high):
            y = self.at(x)[5][1] - inset * 0.3
            ends.append((x, y, between(self.top, x)))
        (x0, y0, z0), (x1, y1, z1) = ends
        length = math.hypot(x1 - x0, z1 - z0)
        t = inset / length
        mix = lambda a, b, s: a + (b - a) * s
        (xa, ya, za), (xb, yb, zb) = [(mix(x0, x1, s), mix(y0, y1, s), mix(z0, z1, s)) for s in (t, 1 - t)]
        normal = ((z1 - z0) / length, 0, -(x1 - x0) / length)
        if normal[2] < 0:
            normal = tuple(-n for n in normal)
        corners = [(xa, ya, za), (xa, -ya, za), (xb, -yb, zb), (xb, yb, zb)]
        if x1 < x0:
            corners.reverse()
        return patch(corners, tuple(out * n for n in normal))


def van():
    body = Body(
        top=[(0.74, 0.92), (0.70, 1.02), (0.55, 1.13), (-0.12, 1.32), (-0.86, 2.22), (-1.1, 2.34), (-1.6, 2.4), (-4.2, 2.4), (-4.36, 2.33), (-4.38, 2.2)],
        belt=[(0.74, 0.8), (0.55, 0.98), (-0.12, 1.2), (-0.5, 1.3), (-4.38, 1.3)],
        low=[(0.74, 0.4), (-4.38, 0.4)],
        wide=[(0.74, 0.84), (0.6, 0.95), (0.2, 1.0), (-4.2, 1.0), (-4.38, 0.95)],
        roof=[(0.74, 0.8), (-0.12, 0.93), (-0.86, 0.88), (-1.6, 0.9), (-4.2, 0.9), (-4.38, 0.86)],
        edge=0.14, wheels=[(0, 0.37), (-3.3, 0.37)], arch=0.47,
    )
    write(MODELS / "van/parts/body.obj", "body panels of the van", loft(body.sections()))
    glass = body.screen(-0.12, -0.86) + body.window([(-0.5, 1.4), (-1.62, 1.4), (-1.62, 2.06), (-0.98, 2.0)])
    y, x = 0.7, -4.386
    glass += [((x, s * 0.06, 1.45), (x, s * y, 1.45), (x, s * y, 2.1)) if s < 0 else ((x, s * y, 1.45), (x, s * 0.06, 1.45), (x, s * y, 2.1)) for s in (-1, 1)]
    glass += [((x, s * 0.06, 1.45), (x, s * y, 2.1), (x, s * 0.06, 2.1)) if s < 0 else ((x, s * 0.06, 1.45), (x, s * 0.06, 2.1), (x, s * y, 2.1)) for s in (-1, 1)]
    write(MODELS / "van/parts/glass.obj", "windows of the van", glass)


def car(name, wheelbase, end, top, roof, windows, rear_screen):
    """A car by its outline behind the windscreen; `end` is x of its rear end."""
    body = Body(
        top=[(0.78, 0.66), (0.74, 0.74), (0.6, 0.84), (-0.1, 0.96), (-0.45, 0.99), *top],
        belt=[(0.78, 0.55), (0.6, 0.68), (-0.45, 0.86), (end + 0.19, 0.93), (end, 0.72)],
        low=[(0.78, 0.26), (0.6, 0.2), (end + 0.24, 0.2), (end, 0.32)],
        wide=[(0.78, 0.7), (0.6, 0.82), (0.2, 0.885), (end + 0.44, 0.885), (end + 0.14, 0.82), (end, 0.74)],
        roof=[(0.78, 0.64), (-0.45, 0.72), *roof],
        edge=0.07, wheels=[(0, 0.31), (-wheelbase, 0.31)], arch=0.385,
    )
    write(MODELS / f"car/shapes/{name}.obj", f"body panels of the {name}", loft(body.sections()))
    glass = body.screen(-0.45, top[0][0], 0.05) + body.screen(*rear_screen, 0.05)
    for window in windows:
        glass += body.window(window)
    write(MODELS / f"car/shapes/{name}_glass.obj", f"windows of the {name}", glass)


def cars():
    (MODELS / "car/shapes").mkdir(exist_ok=True)
    front = [(-0.75, 0.96), (-1.6, 0.97), (-1.6, 1.35), (-1.28, 1.28)]
    car(
        "compact", 2.62, -3.34,
        top=[(-1.15, 1.37), (-1.5, 1.45), (-2.2, 1.45), (-2.7, 1.38), (-3.15, 1.02), (-3.3, 0.95), (-3.34, 0.8)],
        roof=[(-1.15, 0.6), (-2.2, 0.61), (-2.7, 0.6), (-3.15, 0.66), (-3.34, 0.66)],
        windows=[front, [(-1.68, 0.97), (-2.72, 0.98), (-2.5, 1.28), (-1.68, 1.35)]], rear_screen=(-3.15, -2.7),
    )
    car(
        "saloon", 2.8, -3.7,
        top=[(-1.15, 1.37), (-1.5, 1.45), (-2.2, 1.44), (-2.95, 1.07), (-3.1, 1.03), (-3.62, 0.98), (-3.7, 0.82)],
        roof=[(-1.15, 0.6), (-2.2, 0.61), (-2.95, 0.7), (-3.62, 0.68), (-3.7, 0.66)],
        windows=[front, [(-1.68, 0.97), (-2.65, 0.98), (-2.3, 1.28), (-1.68, 1.35)]], rear_screen=(-2.95, -2.2),
    )
    car(
        "pickup", 2.9, -3.88,
        top=[(-1.15, 1.42), (-1.35, 1.5), (-1.85, 1.5), (-2.0, 1.42), (-2.08, 1.0), (-3.8, 1.0), (-3.88, 0.92)],
        roof=[(-1.15, 0.6), (-2.0, 0.62), (-2.08, 0.82), (-3.8, 0.82), (-3.88, 0.72)],
        windows=[[(-0.75, 0.96), (-1.8, 0.97), (-1.75, 1.36), (-1.3, 1.3)]], rear_screen=(-2.08, -2.0),
    )


def truck():
    cab = Body(
        top=[(1.38, 1.9), (1.36, 1.98), (1.2, 3.05), (1.1, 3.2), (0.9, 3.28), (-0.6, 3.34), (-0.73, 3.28), (-0.75, 3.15)],
        belt=[(1.38, 1.85), (1.36, 1.86), (1.2, 1.95), (-0.75, 1.95)],
        low=[(1.38, 0.98), (0.72, 0.98), (0.7, 1.25), (-0.75, 1.25)],
        wide=[(1.38, 1.12), (1.3, 1.2), (1.15, 1.24), (-0.75, 1.24)],
        roof=[(1.38, 1.1), (1.2, 1.12), (-0.75, 1.13)],
        edge=0.14,
    )
    write(MODELS / "truck/cab.obj", "panels of the cab", loft(cab.sections()))
    glass = cab.screen(1.36, 1.2, 0.06)
    glass += cab.window([(1.1, 2.1), (0.35, 2.1), (0.35, 2.85), (1.02, 2.85)])
    write(MODELS / "truck/glass.obj", "windows of the cab", glass)


if __name__ == "__main__":
    van()
    cars()
    truck()
