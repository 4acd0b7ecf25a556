"""Pictures as SVG, in the style of `ballesta run --plot`: readable in print and on a dark page."""

import math

STYLE = """text{font:12px system-ui,'DejaVu Sans',Arial,sans-serif;fill:#1a1a1a}
.title{font-size:15px;font-weight:bold} .heading{font-weight:bold} .note{fill:#555}
.tick{text-anchor:end} .time{text-anchor:middle}
.page{fill:#fff} .grid{stroke:#dedede;fill:none} .frame{stroke:#777;fill:none}
.curve{fill:none;stroke-width:1.6;stroke-linejoin:round} .dashed{stroke-dasharray:7 4} .dotted{stroke-dasharray:2 3} .none{stroke:none}
.c0{stroke:#0072b2;fill:#0072b2}.c1{stroke:#d55e00;fill:#d55e00}.c2{stroke:#008f68;fill:#008f68}.c3{stroke:#b65a90;fill:#b65a90}
@media screen and (prefers-color-scheme:dark){
text{fill:#e6e6e6} .note{fill:#aaa} .page{fill:#15181c} .grid{stroke:#33383f} .frame{stroke:#8a8f96}
.c0{stroke:#56b4e9;fill:#56b4e9}.c1{stroke:#ff8c42;fill:#ff8c42}.c2{stroke:#33cfa3;fill:#33cfa3}.c3{stroke:#e6a1c9;fill:#e6a1c9}
}
.curve{fill:none}"""
WIDTH = 880


def text(x, y, kind, content):
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{content}</text>'


def page(title, note, height, body):
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" width="{WIDTH}" height="{height:g}" role="img">'
    top = [head, f"<title>{title}</title>", f"<style>\n{STYLE}\n</style>", '<rect class="page" width="100%" height="100%"/>']
    top += [text(40, 24, "title", title), text(40, 42, "note", note)]
    return "\n".join([*top, *body, "</svg>"]) + "\n"


def short(value):
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def legend(y, entries, x=40, place=170):
    lines = []
    for i, name in enumerate(entries):
        lines.append(f'<rect class="c{i}" x="{x + place * i}" y="{y - 9}" width="22" height="9"/>')
        lines.append(text(x + 28 + place * i, y, "name", name))
    return lines


def dots(results, path):
    """Evaluation times of all models as dots on a logarithmic axis."""
    names = ["ballesta", "MuJoCo", "Pinocchio"]
    rows = []
    for r in results:
        us = r["us"]
        rows.append((r["model"], [us[f"ours {r['same']} evaluation"], us["mujoco evaluation"], us["pinocchio evaluation"]]))
    values = [value for _, row in rows for value in row]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values) * 1.6))
    left, right, top = 150, WIDTH - 40, 90
    x = lambda value: left + (right - left) * (math.log10(value) - low) / (high - low)
    height, bar = 54, 13
    bottom = top + height * len(rows)
    body = legend(66, names)
    for decade in range(low, high + 1):
        body.append(f'<path class="grid" d="M{x(10.0**decade):.1f} {top}V{bottom}"/>')
        body.append(text(x(10.0**decade), bottom + 17, "time", f"{10.0**decade:g} µs"))
    for i, (name, row) in enumerate(rows):
        y = top + height * i + 6
        body.append(text(left - 10, y + 1.5 * bar + 4, "tick", name))
        for k, value in enumerate(row):
            middle = y + bar * k + bar / 2
            body.append(f'<path class="grid" d="M{left} {middle:.1f}H{x(value):.1f}"/>')
            body.append(f'<circle class="c{k} none" cx="{x(value):.1f}" cy="{middle:.1f}" r="4.5"/>')
            body.append(text(x(value) + 9, middle + 4, "name", short(value)))
    body.append(f'<rect class="frame" x="{left}" y="{top}" width="{right - left}" height="{bottom - top}"/>')
    note = "one evaluation of the accelerations, without tyres; medians, logarithmic scale"
    path.write_text(page("Evaluations of the same models", note, bottom + 34, body))


def slope(points):
    """Exponent of the cost between the last two points that are at least a factor of 2 apart."""
    n, t = points[-1]
    m, s = next((p for p in reversed(points[:-1]) if n >= 2 * p[0]), points[0])
    return math.log(t / s) / math.log(n / m)


def curves(panels, path):
    """Cost curves: panels of (heading, {name: [(n, µs), ...]}), both axes logarithmic."""
    left, right, height, gap, top = 90, WIDTH - 40, 250, 70, 104
    names = list(panels[0][1])
    body = legend(66, names)
    for index, (heading, lines) in enumerate(panels):
        y0 = top + index * (height + gap)
        points = [p for line in lines.values() for p in line]
        xs = [math.log10(min(p[0] for p in points)), math.log10(max(p[0] for p in points) * 1.45)]
        ys = [math.floor(math.log10(min(p[1] for p in points))), math.ceil(math.log10(max(p[1] for p in points)))]
        x = lambda n: left + (right - left) * (math.log10(n) - xs[0]) / (xs[1] - xs[0])
        y = lambda t: y0 + height * (1 - (math.log10(t) - ys[0]) / (ys[1] - ys[0]))
        body.append(text(left, y0 - 8, "heading", heading))
        for decade in range(ys[0], ys[1] + 1):
            body.append(f'<path class="grid" d="M{left} {y(10.0**decade):.1f}H{right}"/>')
            body.append(text(left - 6, y(10.0**decade) + 4, "tick", f"{10.0**decade:g} µs"))
        for n in sorted({p[0] for p in points}):
            body.append(f'<path class="grid" d="M{x(n):.1f} {y0}v{height}"/>')
            body.append(text(x(n), y0 + height + 17, "time", str(n)))
        for k, line in enumerate(lines.values()):
            way = " L".join(f"{x(n):.1f} {y(t):.1f}" for n, t in line)
            body.append(f'<path class="curve c{k}" d="M{way}"/>')
            body.extend(f'<circle class="c{k} none" cx="{x(n):.1f}" cy="{y(t):.1f}" r="3"/>' for n, t in line)
        # Exponents beside the ends, moved apart where they would touch.
        ends = sorted((y(line[-1][1]), slope(line), x(line[-1][0])) for line in lines.values())
        last = -math.inf
        for at, exponent, end in ends:
            last = max(at + 4, last + 14)
            body.append(text(end + 8, last, "name", f"∝ N^{exponent:.2f}"))
        body.append(f'<rect class="frame" x="{left}" y="{y0}" width="{right - left}" height="{height}"/>')
    total = top + len(panels) * (height + gap) - gap + 34
    note = "one evaluation of the accelerations over N, both axes logarithmic; at the right the exponent at the end"
    path.write_text(page("Cost over size", note, total, body))
