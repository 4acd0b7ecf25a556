"""Where the figures of docs/papers come from: by page and item, one source for each figure of the column "ours", in its order.

A source is a function of what the commands of the row print, or one of the exemptions TIME, HELD and NAME."""

import csv
import re

import papers
from gallery import ROOT


class Exempt:
    """A figure that is not compared; `shows` is a pattern of what the commands print all the same."""

    def __init__(self, reason, shows=None):
        self.reason, self.shows = reason, shows


def time(shows):
    """A time, or a ratio of times."""
    return Exempt("times differ from run to run", shows)


HELD = Exempt("a Rust test asserts it: the command of the row")
NAME = Exempt("names a case, a size or a setting, and is no result")
# Times of another program, which benches/spinup/run.sh installs.
OTHER = Exempt("times of another program, from its own script")


def printed(pattern, command=None):
    """The number in the group of a pattern: in what all commands of the row print, or that of this number."""
    def find(answers):
        text = "\n".join(answers.texts if command is None else answers.texts[command:command + 1])
        found = re.search(pattern, text, re.MULTILINE)
        assert found, f"{pattern!r} is not in what is printed:\n{text[:1500]}"
        return float(found.group(1))
    return find


def count(pattern, command=0):
    """How often a pattern is printed."""
    return lambda answers: len(re.findall(pattern, answers.texts[command], re.MULTILINE))


def quotient(above, below):
    return lambda answers: above(answers) / below(answers)


def off(value, exact):
    """Deviation in %."""
    return lambda answers: abs(100.0 * (value(answers) / exact(answers) - 1.0))


def column(file, name, reduce):
    """A number made of a column of a CSV that the commands have written."""
    def find(answers):
        with open(answers.folder / file, newline="", encoding="utf-8") as text:
            return reduce([float(row[name]) for row in csv.DictReader(text)])
    return find


def largest(values):
    return max(abs(value) for value in values)


def axial(file):
    """The largest axial forces at A, B and C."""
    return [column(file, f"{place}.force.x", largest) for place in ("root", "middle", "tip")]


def equal(sources):
    """The number that all sources give, to 1e-6."""
    def find(answers):
        values = [source(answers) for source in sources]
        assert max(values) - min(values) <= 1e-6, values
        return values[0]
    return find


class Bound:
    """A figure that a number stays below."""

    def __init__(self, source):
        self.source = source


def peaks(spectrum, modes, number):
    """The largest deviation in % of the first peaks of a spectrum from the frequencies of the full structure."""
    def find(answers):
        found = re.findall(r"^ +([\d.]+) +[\d.e-]+ +-[\d.]+$", answers.texts[spectrum], re.MULTILINE)[:number]
        exact = re.findall(r"^ +\d+ +([\d.]+) +[\d.]+$", answers.texts[modes], re.MULTILINE)[:number]
        assert len(found) == len(exact) == number
        return max(abs(100.0 * (float(one) / float(other) - 1.0)) for one, other in zip(found, exact))
    return find


def part(file, mark):
    """The lines of a page between a mark and the end of its table."""
    text = (ROOT / file).read_text(encoding="utf-8").split(mark, 1)[1]
    return [line for line in re.split(r"<!-- end|\n## ", text)[0].splitlines() if line.startswith("|")]


def cells(line):
    return [cell.strip() for cell in line.strip("| \n").split("|")]


def deviations(page, mark, beginning):
    """The largest deviation in % in a row of a table that a Rust test compares."""
    def find(answers):
        line = next(line for line in part(f"docs/papers/{page}.md", f"<!-- {mark} -->") if line.startswith(f"| {beginning}"))
        return max(abs(float(share.replace("−", "-"))) for share in re.findall(r"\(([^)]*) %\)", line))
    return find


# The tables of docs/performance.md that the bench `stages` writes: µs by vehicle, size, row and column.
COLUMNS = ["loops", "dense", "sparse", "structured"]
STAGES = {"positions": "| b_j", "lu": "| Φ_zd", "R_z": "| R_z", "M": "| M =", "sum": None}


def of_stages(vehicle):
    """The rows of the table of a vehicle: "van" or "truck", with "lean " before it for the gallery's model."""
    name = vehicle.removeprefix("lean ") + ("" if vehicle.startswith("lean ") else " in the sizes of the paper")
    lines = part("docs/performance.md", f"**{name}**:")
    lines = lines[2:next(i for i, line in enumerate(lines) if line.startswith("| 20 000")) + 1]
    # The gallery's model has its totals alone.
    assert len(lines) == (2 if vehicle.startswith("lean ") else 11), name
    return lines


def stage(vehicle, row, way):
    """µs of a row, or of the nine rows together."""
    lean = vehicle.startswith("lean ")
    assert not lean or row == "sum", f"{vehicle}: {row}"
    chosen = [line for line in of_stages(vehicle)[:1 if lean else 9] if row == "sum" or line.startswith(STAGES[row])]
    assert len(chosen) == (9 if row == "sum" and not lean else 1), f"{vehicle}: {row}"
    return sum(float(cells(line)[1 + COLUMNS.index(way)]) for line in chosen)


def seconds(vehicle, way):
    """20 000 evaluations in s."""
    return lambda _: float(cells(of_stages(vehicle)[-1])[1 + COLUMNS.index(way)])


def share(vehicle, rows, way):
    """Of the sum, in %."""
    return lambda _: 100.0 * sum(stage(vehicle, row, way) for row in rows) / stage(vehicle, "sum", way)


def saving(vehicle, way, than, lean=None):
    """By how many per cent one way is faster than another, or the lean model than the large one."""
    return lambda _: 100.0 * (1.0 - stage(lean or vehicle, "sum", way) / stage(vehicle, "sum", than))


def of_lean(vehicle, reduce):
    savings = lambda: [saving(vehicle, way, way, f"lean {vehicle}")(None) for way in COLUMNS]
    return lambda _: reduce(savings())


def deadlines(vehicle, place):
    """A cell of the table of docs/performance.md on vehicles at 1 ms, without priority."""
    def find(_):
        line = next(line for line in part("docs/performance.md", "## Vehicles at 1 ms for 60 s") if f"| {vehicle} | default" in line)
        return float(cells(line)[place].replace(" ", ""))
    return find


def exact_beam(_):
    """Its least deflection, from the table of extremes that a Rust test compares."""
    lines = part("docs/papers/gutierrez.md", "<!-- extremes -->")
    return float(cells(next(line for line in lines if line.startswith("| exact beam |")))[1])


OF_TEN = r"^  10 +"
DEFLECTION, FREQUENCY, THIN = OF_TEN + r"([\d.]+)", OF_TEN + r"[\d.]+ +([\d.]+)", r"exact for a thin beam: ([\d.]+) mm"
MODE_1, MODE_2 = r"^  1 +([\d.]+)", r"^  2 +([\d.]+)"
EXECUTION, MISSED = time(r"^  execution  "), time(r"deadlines? of \d+ w")


def line(name, command):
    """The number of the model in a line of `check` that compares it with the publication."""
    return printed(rf"^Compared with [\s\S]*?^  {name} +(?:[\d–]\S*(?: %)?) +([\d.]+)", command)


def jacobian(command):
    return [printed(r"^  Jacobian +\d+ × \d+ +(\d+) × \d+", command), printed(r"^  Jacobian +\d+ × \d+ +\d+ × (\d+)", command)]


def counts(command):
    return [line(name, command) for name in ("bodies", "without mass", "joints", "rods")]


def rods(command):
    return printed(r"^  rods +(\d+)", command)


def vehicle_rows(vehicle):
    """Rows that both vehicles have; commands 0 and 1 check the model in the sizes of the paper and the lean one."""
    freedom = [printed(r"^  degrees of freedom +(\d+)", 0), printed(r"^  driven coordinates +(\d+)", 0)]
    bodies = [*counts(0), *counts(1)]
    if vehicle == "truck":
        # Its publication gives no rods.
        bodies = [*counts(0)[:3], rods(0), *counts(1)[:3], rods(1)]
    return {
        ("hidalgo", f"{vehicle}: degrees of freedom"): freedom,
        ("hidalgo", f"{vehicle}: bodies"): bodies,
        ("hidalgo", f"{vehicle}: Φ_zd, redundant"): [*jacobian(0), line("redundant equations", 0), *jacobian(1)],
        ("hidalgo", f"{vehicle}: density"): [
            line("by structure", 0), line("its density", 0), line("by structure", 1), line("its density", 1),
        ],
    }


SOURCES = {
    ("ghidella", "mass of the beam"): [printed(r"^  mass +([\d.]+) kg")],
    ("ghidella", "deflection, analytic"): [printed(THIN)],
    ("ghidella", "deflection, 10 elements"): [printed(DEFLECTION)],
    ("ghidella", "frequency, 10 elements"): [printed(FREQUENCY)],
    ("ghidella", "frequencies, finite elements"): [printed(MODE_1), printed(MODE_2)],
    ("ghidella", "the weight of the beam lowers"): [
        printed(FREQUENCY, 0), printed(FREQUENCY, 1), NAME, printed(FREQUENCY, 2), NAME,
        quotient(printed(FREQUENCY, 0), printed(FREQUENCY, 1)), quotient(printed(FREQUENCY, 0), printed(FREQUENCY, 2)),
    ],
    ("ghidella", "the chain does not converge"): [
        *(printed(rf"^  {n} +([\d.]+)") for n in (5, 10, 20, 40)), NAME, NAME, NAME, NAME, printed(THIN),
    ],
    ("ghidella", "the chain is accurate in statics"): [
        NAME, printed(DEFLECTION), printed(THIN), printed(FREQUENCY), printed(MODE_1, 1),
        off(printed(DEFLECTION), printed(THIN)), off(printed(FREQUENCY), printed(MODE_1, 1)),
    ],
    ("gutierrez", "variables of the beam"): [
        printed(r"^  relative coordinates +(\d+)"), printed(r"^  driven coordinates +(\d+)"), printed(r"(\d+) elastic coordinates"),
    ],
    ("gutierrez", "beam of the example"): [printed(r"^  mass +([\d.]+) kg"), printed(r"^  centre of mass +([\d.]+),")],
    ("gutierrez", "table I, model EF"): [OTHER, OTHER, OTHER],
    ("gutierrez", "all three models capture"): [*(column(f"p{n}.csv", "tip.y", min) for n in (1, 2, 3)), exact_beam],
    ("gutierrez", "model 1 gives the same"): [equal(axial("p1.csv"))],
    ("gutierrez", "model 2 improves"): axial("p2.csv"),
    ("gutierrez", "model 3 has no axial force"): [equal(axial("p3.csv"))],
    ("gutierrez", "model 3 with axial modes"): axial("p4.csv"),
    ("gutierrez", "bending moments are largest"): [
        *(column(f"p{n}.csv", "root.moment.y", largest) for n in (1, 2, 3)),
        Bound(lambda answers: max(column(f"p{n}.csv", "tip.moment.y", largest)(answers) for n in (1, 2, 3))),
    ],
    ("hidalgo", "rod removed against"): [
        rods(2), *jacobian(1), *jacobian(2), *[HELD] * 6, HELD, HELD, HELD, NAME,
    ],
    ("hidalgo", "sizes and densities"): [line("by structure", command) for command in range(4)],
    ("hidalgo", "tyres by the Magic"): [NAME, NAME],
    **vehicle_rows("van"),
    **vehicle_rows("truck"),
    ("hidalgo", "van: manoeuvre"): [NAME],
    ("hidalgo", "truck: manoeuvre"): [NAME],
    ("hidalgo", "the motion does not depend"): [HELD, HELD],
    ("hidalgo", "table 1, van"): [seconds(size, way) for size in ("van", "lean van") for way in COLUMNS],
    ("hidalgo", "table 2, truck"): [seconds(size, way) for size in ("truck", "lean truck") for way in COLUMNS],
    ("hidalgo", "rows of both tables"): [count(r'"row": ')],
    ("hidalgo", "truck over van"): [quotient(seconds("truck", way), seconds("van", way)) for way in COLUMNS],
    ("hidalgo", "M, of the sum"): [
        share("van", ["M"], "loops"), share("truck", ["M"], "loops"), share("van", ["M"], "dense"), share("van", ["M"], "structured"),
    ],
    ("hidalgo", "R_z, of the sum"): [
        share("van", ["R_z"], "loops"), share("truck", ["R_z"], "loops"), share("van", ["R_z"], "dense"),
        share("van", ["R_z"], "structured"), share("van", ["R_z", "M"], "loops"), share("truck", ["R_z", "M"], "loops"),
    ],
    ("hidalgo", "BLAS saves"): [saving(size, "dense", "loops") for size in ("van", "truck", "lean van", "lean truck")],
    ("hidalgo", "LU of Φ_zd"): [
        (lambda size, way: lambda _: stage(size, "lu", way))(size, way) for size in ("van", "truck") for way in ("loops", "dense")
    ],
    ("hidalgo", "sparse against BLAS"): [saving(size, "sparse", "dense") for size in ("van", "truck", "lean van", "lean truck")],
    ("hidalgo", "sparse against loops"): [saving(size, "sparse", "loops") for size in ("van", "truck")],
    ("hidalgo", "fewer coordinates"): [
        of_lean("van", min), of_lean("van", max), of_lean("truck", min), of_lean("truck", max),
    ],
    ("hidalgo", "real time on a Xeon 5160"): [
        NAME, deadlines("van", 5), deadlines("truck", 5),
        lambda answers: 1e-3 * deadlines("van", 8)(answers), lambda answers: 1e-3 * deadlines("truck", 8)(answers), NAME,
        deadlines("van", 2), deadlines("truck", 2), deadlines("van", 3), deadlines("truck", 3),
    ],
    ("hidalgo", "real time at the paper's sizes"): [NAME, EXECUTION, EXECUTION, NAME, *[MISSED] * 4],
    ("hidalgo", "stages 3 and 8"): [share(size, [row], "loops") for row in ("M", "R_z") for size in ("van", "truck")],
    ("hidalgo", "improvements of 15 %"): [
        saving("van", "dense", "loops"), saving("truck", "dense", "loops"), saving("van", "sparse", "loops"),
        saving("truck", "sparse", "loops"),
    ],
    ("hidalgo", "sparse: no gain for the van"): [saving("van", "sparse", "dense"), saving("truck", "sparse", "dense")],
    ("miguez", "table 1: four frequencies"): [
        peaks(1, 2, 4), NAME, deviations("miguez", "truss: peaks by number of modes", "12 modes"), NAME,
    ],
    ("miguez", "the point of reduction"): [time(r"^  step  ")] * 4,
    ("miguez", "table 2: seven frequencies"): [deviations("miguez", "frame: peaks", "seven modes"), peaks(1, 2, 7)],
    ("miguez", "as few masters"): [
        printed(r"^ +(\d+) of interfaces"), printed(r"(\d+) internal modes"), printed(r"^  coordinates +(\d+) of"),
        printed(r"^  coordinates +\d+ of (\d+)"),
    ],
    ("miguez", "excellent agreement"): [
        deviations("miguez", "truss: peaks by number of modes", "7 modes"), deviations("miguez", "frame: peaks", "seven modes"), NAME,
    ],
    ("miguez", "step of load without damping"): [printed(r"(\d+) peaks", 0), NAME, printed(r"(\d+) peaks", 1)],
    ("saura", "four-bar linkage, groups"): [
        printed(r"^  1  (\d+)  "), printed(r"^  2  (\d+), \d+"), printed(r"^  2  \d+, (\d+)"), printed(r"^  links +4  (\d+) is the ground"),
    ],
    ("saura", "(N_m, L_c) of the four-bar groups"): [
        printed(r"^  \*  \S+ +\((\d), \d\) \(\d, \d\)"), printed(r"^  \*  \S+ +\(\d, (\d)\) \(\d, \d\)"),
        printed(r"^  \*  \S+ +\(\d, \d\) \((\d), \d\)"), printed(r"^  \*  \S+ +\(\d, \d\) \(\d, (\d)\)"),
    ],
    ("saura", "epicyclic train, cam, open chain"): [
        printed(r"^  1  (\d), \d "), printed(r"^  1  \d, (\d) "), printed(r"^  2  (\d) "), printed(r"^  3  (\d) "),
    ],
    ("saura", "matrix of results of the worked example"): [printed(rf"^  group{'  [0-9]' * before}  (\d)") for before in range(5)],
}
