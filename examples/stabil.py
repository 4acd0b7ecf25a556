"""A structure of STABIL, the MATLAB toolbox of KU Leuven, from its tables to the file that `ballesta reduce` reads.

    python examples/stabil.py truss.m -o truss --interface 1=left --interface 6=right --interface 9=load --modes 7
    ballesta reduce truss -o truss.rom.toml

The tables are `Nodes` [NodID X Y Z], `Types` {TypID EltName Options}, `Elements` [EltID TypID SecID MatID n1 n2 n3], `Sections` [SecID A
ky kz Ixx Iyy Izz ...] and `Materials` [MatID E nu rho]. They come from

- a MATLAB script `.m` that assigns them: numbers, expressions of scalars, concatenation, ranges and `reprow` are evaluated here; nothing is run;
- a MAT-file `.mat` up to version 7: save('truss.mat', '-v7', 'Nodes', 'Types', 'Elements', 'Sections', 'Materials', 'DOF'); needs scipy;
- a folder with the files Nodes.txt, Types.txt, Elements.txt, Sections.txt, Materials.txt and, if there are supports, DOF.txt, or .csv.

Elements are `truss` and `beam`; the reference node n3 of a beam turns its section. Supports are the degrees of freedom that are missing in
`DOF`, that `removedof(DOF, ...)` takes away, or that --removed names. A structure whose z, rx and ry are removed at all nodes is plane. The
structure file has the supports for `ballesta modes`; a reduction is free, and the joints of the mechanism hold it.
"""

import argparse
import math
import re
import sys
from pathlib import Path

TABLES = {"Nodes": 4, "Elements": 6, "Sections": 2, "Materials": 4}
# Length in m and force in N of a unit; time is in s. STABIL has no units: its tables are consistent.
UNITS = {"m-N": (1.0, 1.0), "m-kN": (1.0, 1e3), "mm-N": (1e-3, 1.0), "mm-kN": (1e-3, 1e3), "in-lbf": (0.0254, 4.4482216152605)}
DIRECTIONS = ("x", "y", "z", "rx", "ry", "rz")
# Directions that the elements of STABIL have at a node, from 1.
OF_ELEMENT = {"truss": (1, 2, 3), "beam": (1, 2, 3, 4, 5, 6)}
# A shear area that is infinite next to one that is not: what it adds to the deflection is lost in rounding.
STIFF_IN_SHEAR = 1e12
# Beyond it, a mistyped range or `reprow` would take the memory.
MAX_ROWS = 1_000_000
BLOCKS = ("for", "parfor", "while", "if", "switch", "try", "function")


class Wrong(Exception):
    """What is wrong with the input, for the user."""


# --- MATLAB scripts -------------------------------------------------------------------------------------------------

TOKEN = re.compile(r"""(?P<space>[ \t]+)|(?P<number>(\d+\.?\d*|\.\d+)([eEdD][+-]?\d+)?)|(?P<name>[A-Za-z]\w*)
                       |(?P<operator>\.\*|\./|\.\^|[-+*/^()\[\]{};,:=.'"\n])""", re.VERBOSE)


def tokens(text, line=1):
    """Kind, text and line of every token; comments and continuations are left out."""
    found, at, before = [], 0, ""
    while at < len(text):
        if text.startswith("...", at) or text[at] in "%#":
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            if text.startswith("...", at):
                end, line = min(end + 1, len(text)), line + 1
                found.append(("space", " ", line))
            at = end
            continue
        # After a value it transposes, elsewhere a quote begins a text.
        if text[at] in "'\"" and not (text[at] == "'" and re.fullmatch(r"[\w\])}']", before)):
            end = at + 1
            while end < len(text) and text[end] != "\n" and (text[end] != text[at] or text[end:end + 2] == 2 * text[at]):
                end += 2 if text[end] == text[at] else 1
            if text[end:end + 1] != text[at]:
                raise Wrong(f"line {line}: a text without its closing quote")
            found.append(("text", text[at + 1:end].replace(2 * text[at], text[at]), line))
            before, at = "'", end + 1
            continue
        match = TOKEN.match(text, at)
        # Signs that tables do not have (~, &, @, ...) belong to statements that are passed over.
        kind, word = (match.lastgroup, match.group()) if match else ("other", text[at])
        if kind not in ("space", "number", "name", "other"):
            kind = "operator"
        found.append((kind, word, line))
        line += word.count("\n")
        before, at = word[-1], at + len(word)
    return found


def without_block_comments(text):
    """Lines between %{ and %} emptied."""
    lines, depth = [], 0
    for line in text.splitlines():
        depth += line.strip() in ("%{", "#{")
        lines.append("" if depth else line)
        depth -= line.strip() in ("%}", "#}")
    return "\n".join(lines) + "\n"


def statements(found):
    """Lists of tokens between line breaks, semicolons and commas outside of brackets."""
    one, depth = [], 0
    for token in found:
        kind, word, _ = token
        if kind == "operator" and word in ("\n", ";", ",") and depth <= 0:
            if one:
                yield one
            one, depth = [], 0
            continue
        depth += (word in "([{") - (word in ")]}") if kind == "operator" else 0
        one.append(token)
    if one:
        yield one


class Expression:
    """Value of the tokens of an expression: a number, a text, or a table, a list of rows."""

    def __init__(self, found, names):
        self.found, self.names, self.at, self.depth = found, names, 0, 0
        self.line = found[0][2] if found else 0

    def value(self):
        result = self.sum()
        if self.peek() is not None:
            self.fail()
        return result

    def fail(self, why=None):
        word = self.found[self.at][1] if self.at < len(self.found) else "the end of the statement"
        raise Wrong(f"line {self.line}: {why or f'`{word.strip() or word!r}` is not understood here'}")

    def peek(self):
        """The next operator or kind of value; within brackets blanks stay."""
        while self.at < len(self.found):
            kind, word, self.line = self.found[self.at]
            if kind == "space" and self.depth == 0:
                self.at += 1
                continue
            return word if kind in ("operator", "other") else kind
        return None

    def take(self, *wanted):
        if self.peek() in wanted:
            self.at += 1
            return self.found[self.at - 1][1]
        return None

    def spaces(self):
        while self.peek() == "space":
            self.at += 1

    def binary(self, operators):
        """An operator, if the blanks around it do not make it the sign of the next entry of a row."""
        start = self.at
        self.spaces()
        blank = self.at > start
        operator = self.take(*operators)
        if operator and not (operator in "+-" and blank and self.peek() != "space"):
            self.spaces()
            return operator
        self.at = start
        return None

    def sum(self):
        value = self.product()
        while operator := self.binary(("+", "-")):
            value = self.apply(operator, value, self.product())
        return value

    def product(self):
        value = self.sign()
        while operator := self.binary(("*", "/", ".*", "./")):
            value = self.apply(operator, value, self.sign())
        return value

    def sign(self):
        if sign := self.take("+", "-"):
            self.spaces()
            value = self.sign()
            return value if sign == "+" else self.apply("*", -1.0, value)
        return self.power()

    def power(self):
        value = self.primary()
        while self.binary(("^", ".^")):
            negative = self.take("-")
            exponent = self.primary()
            value = self.apply("^", value, self.apply("*", -1.0, exponent) if negative else exponent)
        return value

    def apply(self, operator, a, b):
        if not all(isinstance(value, float) for value in (a, b)):
            self.fail(f"`{operator}` is evaluated for numbers alone: evaluate the script in MATLAB or Octave and save a MAT-file")
        try:
            return {"+": a.__add__, "-": a.__sub__, "*": a.__mul__, "/": a.__truediv__, "^": a.__pow__}[operator[-1]](b)
        except (ZeroDivisionError, OverflowError):
            self.fail(f"{a} {operator} {b} is not finite")

    def primary(self):
        kind, line = self.peek(), self.line
        if kind == "number":
            return float(self.take("number").lower().replace("d", "e"))
        if kind == "text":
            return self.take("text")
        if kind == "(":
            self.take("(")
            depth, self.depth = self.depth, 0
            value = self.sum()
            if not self.take(")"):
                self.fail()
            self.depth = depth
            return value
        if kind in ("[", "{"):
            return self.rows()
        if kind == "name":
            name = self.take("name")
            if self.peek() == "(" or name == "reprow":
                return self.call(name)
            if name not in self.names:
                raise Wrong(f"line {line}: `{name}` has no value yet")
            if isinstance(self.names[name], Wrong):
                raise self.names[name]
            return self.names[name]
        self.fail()

    def call(self, name):
        if name in self.names:
            self.fail(f"`{name}(...)` takes a part of a table: evaluate the script in MATLAB or Octave and save a MAT-file")
        self.take("(")
        depth, self.depth = self.depth, 0
        values = []
        while not self.take(")"):
            values.append(self.range())
            if self.peek() not in (",", ")"):
                self.fail()
            self.take(",")
        self.depth = depth
        functions = {"sqrt": math.sqrt, "sin": math.sin, "cos": math.cos, "tan": math.tan, "abs": abs, "exp": math.exp}
        if name in functions and len(values) == 1 and isinstance(values[0], float):
            return functions[name](values[0])
        if name == "reprow" and len(values) == 4:
            return self.repeat(*values)
        if name == "struct" and len(values) % 2 == 0:
            return dict(zip(values[::2], values[1::2]))
        self.fail(f"`{name}(...)` is not evaluated: evaluate the script in MATLAB or Octave and save a MAT-file")

    def range(self):
        """An argument, which may be first:last or first:step:last."""
        ends = [self.sum()]
        while self.take(":"):
            ends.append(self.sum())
        if len(ends) == 1:
            return ends[0]
        first, step, last = (ends[0], 1.0, ends[1]) if len(ends) == 2 else ends[:3]
        if not all(isinstance(end, float) and math.isfinite(end) for end in (first, step, last)) or abs(last - first) > MAX_ROWS * abs(step):
            self.fail("the ends of a range are finite numbers, and its step is not 0")
        count = math.floor((last - first) / step + 1e-9) + 1 if last != first else 1
        return [[first + i * step for i in range(max(count, 0))]]

    def repeat(self, table, chosen, times, increments):
        """STABIL's reprow: the chosen rows, counted from 1, again so many times, with the increments added each time."""
        chosen = chosen[0] if isinstance(chosen, list) and chosen else [chosen]
        fits = (isinstance(table, list) and isinstance(increments, list) and len(increments) == 1 and isinstance(times, float)
                and 0 <= times * len(chosen) <= MAX_ROWS and all(isinstance(row, float) and 1 <= row <= len(table) for row in chosen))
        if not fits or any(len(row) != len(increments[0]) or not all(isinstance(value, float) for value in (*row, *increments[0])) for row in table):
            self.fail("reprow(table, rows, times, increments): the rows or the increments do not fit the table")
        chosen = [int(row) for row in chosen]
        more = [[value + (i + 1) * step for value, step in zip(table[row - 1], increments[0])]
                for i in range(int(times)) for row in chosen]
        return table + more

    def rows(self):
        """What brackets hold: numbers, texts, and tables, which are put next to each other or below each other."""
        end = "]" if self.take("[", "{") == "[" else "}"
        outside, self.depth = self.depth, 1
        rows, row = [], []
        while True:
            self.spaces()
            if self.take(end):
                break
            if self.take(";", "\n"):
                rows, row = rows + self.joined(row), []
            elif self.peek() is None:
                self.fail("a bracket is not closed")
            elif not self.take(","):
                row.append(self.sum())
        rows += self.joined(row)
        self.depth = outside
        return rows

    def joined(self, row):
        if len(row) == 1 and isinstance(row[0], list):
            return row[0]
        flat = []
        for value in row:
            if isinstance(value, list) and len(value) == 1:
                flat += value[0]
            elif isinstance(value, list):
                self.fail("a table of several rows stands next to other entries")
            else:
                flat.append(value)
        return [flat] if flat else []


def read_script(path):
    """Variables of a script, and the labels that `removedof` takes away."""
    constants = {"pi": math.pi, "Inf": math.inf, "inf": math.inf, "NaN": math.nan, "nan": math.nan, "true": 1.0, "false": 0.0}
    names, removed, depth = dict(constants), [], 0
    for found in statements(tokens(without_block_comments(path.read_text(encoding="utf-8-sig", errors="replace")))):
        while found and found[0][0] == "space":
            found.pop(0)
        while found and found[-1][0] == "space":
            found.pop()
        words, line = [word for kind, word, _ in found if kind != "space"], found[0][2] if found else 0
        if not words:
            continue
        if words[0] in BLOCKS:
            depth += words[0] != "function"
            continue
        if words[0] in ("end", "endfor", "endif", "endwhile"):
            depth = max(depth - 1, 0)
            continue
        if words[:4] == ["DOF", "=", "removedof", "("]:
            comma = next((i for i, token in enumerate(found) if token[1] == ","), len(found))
            value = Expression(found[comma + 1:-1], names).value()
            removed += [label for row in (value if isinstance(value, list) else [[value]]) for label in row]
            continue
        if "=" not in words[1:]:
            continue
        target, equals = words[0], words.index("=")
        assigned = found[next(i for i, token in enumerate(found) if token[1] == "=") + 1:]
        if depth or words[1] == "(":
            names[target] = Wrong(f"line {line}: `{target}` is assigned in a loop or a branch, or by an index: evaluate the script in "
                                  "MATLAB or Octave and save a MAT-file")
            continue
        try:
            if words[1] == "." and equals == 3:
                names[target] = {**(names.get(target) if isinstance(names.get(target), dict) else {}),
                                 words[2]: Expression(assigned, names).value()}
            elif equals == 1:
                names[target] = Expression(assigned, names).value()
        except Wrong as wrong:
            # A table that is not needed may be anything.
            names[target] = wrong
        if "addconstr" in words or target in ("Constr", "Constraints"):
            names["Constr"] = Wrong(f"line {line}: constraint equations have no place in the structure file: bring K and M instead")
    for name in constants:
        names.pop(name)
    return names, removed


# --- MAT-files and tables as text -----------------------------------------------------------------------------------

def read_mat(path):
    try:
        from scipy import io
    except ImportError as error:
        raise Wrong(f"{path}: MAT-files need scipy: pip install scipy") from error
    try:
        data = io.loadmat(path, squeeze_me=True, struct_as_record=False)
    except (NotImplementedError, ValueError) as error:
        raise Wrong(f"{path}: {error}; write it with save(..., '-v7')") from error
    names = {}
    for name in (*TABLES, "Types", "DOF", "Constr"):
        if name not in data:
            continue
        value = data[name]
        if name == "Types":
            value = value.reshape(-1, value.shape[-1]) if getattr(value, "ndim", 1) == 2 else value.reshape(1, -1)
            names[name] = [[dict(vars(cell)) if hasattr(cell, "_fieldnames") else cell for cell in row] for row in value]
        elif name == "DOF":
            names[name] = [[float(label)] for label in value.reshape(-1)]
        else:
            names[name] = [[float(number) for number in row] for row in (value if value.ndim == 2 else value.reshape(1, -1))]
    if names.get("Constr"):
        names["Constr"] = Wrong("`Constr`: constraint equations have no place in the structure file: bring K and M instead")
    return names, []


def read_folder(path):
    names = {}
    for name in (*TABLES, "Types", "DOF"):
        file = next((file for ending in (".txt", ".csv") if (file := path / f"{name}{ending}").is_file()), None)
        if file is None:
            continue
        rows = []
        for number, line in enumerate(file.read_text(encoding="utf-8-sig").splitlines(), 1):
            cells = [cell.strip("'\"") for cell in re.split(r"[,;\s]+", line.split("%")[0].split("#")[0].strip()) if cell]
            if not cells or not re.match(r"[-+.\d]", cells[0]):
                # A heading.
                continue
            try:
                rows.append([cells[0], *cells[1:]] if name == "Types" else [float(cell) for cell in cells])
            except ValueError as error:
                raise Wrong(f"{file}:{number}: {error}") from error
        names[name] = rows
    return names, []


# --- From tables to a structure -------------------------------------------------------------------------------------

def whole(value, what):
    if not isinstance(value, (int, float)) or not math.isfinite(value) or value != math.floor(value) or value < 1:
        raise Wrong(f"{what} is {value}, not a whole number from 1 on")
    return int(value)


def table(names, name):
    """Rows of a table by the number in their first column."""
    if name not in names:
        raise Wrong(f"`{name}` is missing")
    if isinstance(names[name], Wrong):
        raise Wrong(f"`{name}`: {names[name]}")
    if not isinstance(names[name], list):
        raise Wrong(f"`{name}` is no table")
    rows = {}
    for i, row in enumerate(names[name], 1):
        if len(row) < TABLES[name]:
            hint = ": a mass needs the density rho, in the fourth column" if name == "Materials" else ""
            raise Wrong(f"`{name}`, row {i}: {len(row)} columns, at least {TABLES[name]} are needed{hint}")
        if not all(isinstance(value, float) for value in row):
            raise Wrong(f"`{name}`, row {i}: an entry is no number")
        number = whole(row[0], f"`{name}`, row {i}: the number")
        if number in rows:
            raise Wrong(f"`{name}`, row {i}: the number {number} comes twice")
        rows[number] = row[1:]
    return rows


def types(names):
    """Name and options of the element types by their number."""
    if not isinstance(names.get("Types"), list):
        raise Wrong(f"`Types`: {names['Types']}" if isinstance(names.get("Types"), Wrong) else "`Types` is missing")
    found = {}
    for i, row in enumerate(names["Types"], 1):
        if len(row) < 2:
            raise Wrong(f"`Types`, row {i}: needs a number and a name, like {{1 'beam'}}")
        options = row[2] if len(row) > 2 else {}
        if not isinstance(options, dict):
            # Earlier versions have a list of words.
            words = [str(word).lower() for word in (options if isinstance(options, (list, tuple)) else [options])]
            options = {"lumped": "lumped" in words, "rotationalInertia": not any(word.startswith("norot") for word in words)}
        found[whole(float(row[0]), f"`Types`, row {i}: the number")] = (str(row[1]).lower(), options)
    return found


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


class Structure:
    """The tables, checked against each other."""

    def __init__(self, names, removed):
        self.nodes, self.sections, self.materials = (table(names, name) for name in ("Nodes", "Sections", "Materials"))
        self.types, self.elements = types(names), table(names, "Elements")
        if isinstance(names.get("Constr"), Wrong):
            raise names["Constr"]
        self.check_elements()
        self.used = sorted({int(node) for row in self.elements.values() for node in row[3:5]})
        self.directions = {}
        for row in self.elements.values():
            for node in row[3:5]:
                self.directions.setdefault(int(node), set()).update(OF_ELEMENT[self.types[int(row[0])][0]])
        for label in removed:
            if not isinstance(label, float) or not 0.01 <= label <= 1e9:
                raise Wrong(f"the removed degree of freedom {label} is no label: write node.0direction, 0.0direction of all nodes, or node.00")
            node = round(100 * label) // 100
            if node and node not in self.nodes:
                raise Wrong(f"the removed degree of freedom {label:.2f} is none of this structure")
        self.removed = {(node, direction) for node, all_of in self.directions.items() for direction in all_of
                        if self.is_removed(node, direction, removed)}
        if isinstance(names.get("DOF"), list):
            kept = {round(100 * float(label)) for row in names["DOF"] for label in row}
            self.removed |= {(node, direction) for node, all_of in self.directions.items() for direction in all_of
                             if 100 * node + direction not in kept}

    def check_elements(self):
        unknown = {}
        for number, row in self.elements.items():
            kind = self.types.get(int(row[0]) if math.isfinite(row[0]) else 0)
            if kind is None:
                raise Wrong(f"element {number}: type {row[0]:g} is not in `Types`")
            if kind[0] not in OF_ELEMENT:
                unknown.setdefault(kind[0], []).append(number)
        if unknown:
            lists = "; ".join(f"`{kind}`: {len(numbers)}, the first is element {numbers[0]}" for kind, numbers in unknown.items())
            raise Wrong(f"elements that are neither `truss` nor `beam` are not read ({lists}): bring K and M as matrices instead "
                        "(docs/foreign-matrices.md)")
        for number, row in self.elements.items():
            for what, rows, value in (("section", self.sections, row[1]), ("material", self.materials, row[2]),
                                      ("node", self.nodes, row[3]), ("node", self.nodes, row[4])):
                if value not in rows:
                    raise Wrong(f"element {number}: there is no {what} {value:g}")
            if row[3] == row[4] or self.nodes[int(row[3])] == self.nodes[int(row[4])]:
                raise Wrong(f"element {number}: its nodes {row[3]:g} and {row[4]:g} are in one place")
            if self.types[int(row[0])][0] == "beam" and self.types[int(row[0])][1].get("lumped"):
                raise Wrong(f"element {number}: lumped beams of STABIL have ρAL³/24 at their rotations, which the structure file cannot "
                            "say: leave `lumped` out, or bring K and M")

    @staticmethod
    def is_removed(node, direction, labels):
        """Whether labels take this one away: node.0direction, 0.0direction of all nodes, node.00 of all directions."""
        return any(round(100 * label) in (100 * node + direction, direction, 100 * node) for label in labels)

    def is_plane(self):
        """Whether z, rx and ry are removed wherever they are."""
        out = [(node, direction) for node, all_of in self.directions.items() for direction in all_of & {3, 4, 5}]
        return all(entry in self.removed for entry in out)

    def up(self, number, row):
        """The local z axis of a beam: normal to it and to the direction of its reference node, as STABIL has it."""
        third = row[5] if len(row) > 5 else math.nan
        if third not in self.nodes:
            raise Wrong(f"element {number}: a beam needs a reference node n3 in column 7; found {third:g}")
        first, last, reference = (self.nodes[int(node)] for node in (row[3], row[4], third))
        along, across = ([b - a for a, b in zip(first[:3], end[:3])] for end in (last, reference))
        normal = cross(along, across)
        size, scale = math.hypot(*normal), math.hypot(*along) * math.hypot(*across)
        if size <= 1e-9 * scale or scale == 0.0:
            raise Wrong(f"element {number}: its nodes and its reference node {third:g} are on one line")
        return [value / size + 0.0 for value in normal]


def number(value):
    return repr(float(value))


class Writer:
    """The structure file."""

    def __init__(self, structure, typed, source):
        self.structure, self.typed = structure, typed
        self.length, force = UNITS[typed.units]
        # Time is in s, so that a unit of mass is force s²/length.
        self.stress, self.density = force / self.length**2, force / self.length**4
        self.plane = structure.is_plane() if typed.dimension is None else typed.dimension == 2
        self.lines = [f"# From {source} by examples/stabil.py; its units: {typed.units}, s. Here all is in SI units."]
        if self.plane:
            self.check_plane()

    def check_plane(self):
        for node in self.structure.used:
            if self.structure.nodes[node][2] != 0.0:
                raise Wrong(f"node {node}: z = {self.structure.nodes[node][2]:g}, but a planar structure lies in the plane xy; rotate it, or "
                            "give --dimension 3")

    def table(self, head, entries):
        self.lines += ["", head, *[f"{key} = {value}" for key, value in entries if value is not None]]

    def text(self):
        structure, typed = self.structure, self.typed
        self.table("[structure]", [("name", f'"{typed.output.name}"'), ("dimension", 2 if self.plane else 3)])
        count = 2 if self.plane else 3
        self.table("[nodes]", [(node, "[" + ", ".join(number(self.length * x) for x in structure.nodes[node][:count]) + "]")
                               for node in structure.used])
        kinds = [(structure.types[int(row[0])][0], row) for row in structure.elements.values()]
        for material in sorted({int(row[2]) for _, row in kinds}):
            self.material(material, any(kind == "beam" and row[2] == material for kind, row in kinds))
        for section in sorted({int(row[1]) for _, row in kinds}):
            beams = [numbered for numbered in structure.elements.items()
                     if structure.types[int(numbered[1][0])][0] == "beam" and numbered[1][1] == section]
            self.section(section, beams)
        for element, row in structure.elements.items():
            self.element(element, row)
        self.supports()
        self.interfaces()
        self.table("[reduction]", [("modes", typed.modes)])
        return "\n".join(self.lines) + "\n"

    def material(self, material, bends):
        e, nu, rho = self.structure.materials[material][:3]
        if not e > 0 or not rho >= 0 or (bends and not -1 < nu <= 0.5):
            raise Wrong(f"material {material}: E = {e:g}, nu = {nu:g}, rho = {rho:g}; E is above 0, nu of beams at most 0.5, rho 0 or more")
        ratio = number(nu) if -1 < nu <= 0.5 else None
        self.table("[[material]]", [("name", f'"{material}"'), ("youngs_modulus", number(self.stress * e)), ("poisson_ratio", ratio),
                                    ("density", number(self.density * rho))])

    def section(self, section, beams):
        row = self.structure.sections[section] + 11 * [math.nan]
        area, ky, kz, ixx, iyy, izz = row[:6]
        if not 0 < area < math.inf:
            raise Wrong(f"section {section}: A = {area:g}; a section needs an area above 0")
        entries = [("name", f'"{section}"'), ("shape", '"given"'), ("area", number(self.length**2 * area))]
        if beams:
            moments = {"torsion": ixx, "inertia_y": iyy, "inertia_z": izz}
            if self.plane:
                # Of a plane frame one moment acts; the others have to be there.
                acting = {"inertia_z" if abs(self.structure.up(*beam)[2]) > 0.5 else "inertia_y" for beam in beams}
                value = next(moments[name] for name in sorted(acting))
                moments = {name: found if name in acting or found > 0 else value for name, found in moments.items()}
            for name, value in moments.items():
                if not 0 < value < math.inf:
                    names = {"torsion": "Ixx", "inertia_y": "Iyy", "inertia_z": "Izz"}
                    raise Wrong(f"section {section}: {names[name]} = {value:g}; a beam needs it above 0")
                entries.append((name, number(self.length**4 * value)))
            if self.shears(row):
                for name, factor in (("shear_y", ky), ("shear_z", kz)):
                    if not factor > 0:
                        raise Wrong(f"section {section}: a shear factor is {factor:g}; it is above 0, or Inf for a beam without shear")
                    entries.append((name, number(self.length**2 * area * (factor if factor < math.inf else STIFF_IN_SHEAR))))
        self.table("[[section]]", entries)

    @staticmethod
    def shears(row):
        """Whether a section has shear deformation: a factor that is not infinite."""
        return any(factor < math.inf for factor in row[1:3])

    def element(self, element, row):
        kind, options = self.structure.types[int(row[0])]
        entries = [("name", f'"{element}"'), ("nodes", f'["{row[3]:.0f}", "{row[4]:.0f}"]'), ("material", f'"{row[2]:.0f}"'),
                   ("section", f'"{row[1]:.0f}"')]
        if kind == "truss":
            self.table("[[truss]]", [*entries, ("mass", '"lumped"' if options.get("lumped") else None)])
            return
        up = self.structure.up(element, row)
        if self.plane and abs(up[2]) > 1e-6 and math.hypot(*up[:2]) > 1e-6:
            raise Wrong(f"element {element}: neither axis of its section is in the plane: put its reference node {row[5]:g} into the plane xy")
        shear = self.shears(self.structure.sections[int(row[1])] + 2 * [math.nan])
        rotary = "true" if options.get("rotationalInertia", True) else "false"
        self.table("[[beam]]", [*entries, ("theory", '"timoshenko"' if shear else None),
                                ("up", "[" + ", ".join(map(number, up)) + "]"), ("rotary_inertia", rotary)])

    def supports(self):
        held = {}
        for node, direction in sorted(self.structure.removed):
            if not (self.plane and direction in (3, 4, 5)):
                held.setdefault(node, []).append(DIRECTIONS[direction - 1])
        for node, directions in held.items():
            self.table("[[support]]", [("node", f'"{node}"'), ("fixed", "[" + ", ".join(f'"{name}"' for name in directions) + "]")])
        self.held = list(held)

    def interfaces(self):
        chosen = self.typed.interface or [(node, f"n{node}") for node in self.held]
        if not chosen:
            raise Wrong("name the interfaces: --interface NODE=NAME for each node that joints or loads of the mechanism use")
        for node, name in chosen:
            if node not in self.structure.used:
                raise Wrong(f"--interface {node}: no element has this node")
            self.table("[[interface]]", [("name", f'"{name}"'), ("node", f'"{node}"')])


def interface(text):
    node, _, name = text.partition("=")
    if not node.isdecimal() or not re.fullmatch(r"[\w ]*", name):
        raise argparse.ArgumentTypeError(f"{text}: write NODE or NODE=NAME, with letters, digits and _ in the name")
    return int(node), name or f"n{node}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("input", type=Path, help="script .m, MAT-file .mat, or folder of tables")
    parser.add_argument("-o", "--output", type=Path, required=True, help="folder of the structure")
    parser.add_argument("--interface", type=interface, action="append", metavar="NODE=NAME",
                        help="node that joints or loads use; may be repeated [default: nodes with supports]")
    parser.add_argument("--modes", type=int, default=10, help="internal modes that a reduction keeps [default: 10]")
    parser.add_argument("--units", choices=UNITS, default="m-N", help="length and force of the tables; mass is force s²/length [default: m-N]")
    parser.add_argument("--dimension", type=int, choices=(2, 3), help="2: plane, in xy [default: by the removed degrees of freedom]")
    parser.add_argument("--removed", type=float, nargs="+", default=[], metavar="LABEL", help="removed degrees of freedom, like 0.03 1.01")
    typed = parser.parse_args()
    try:
        if typed.input.is_dir():
            names, removed = read_folder(typed.input)
        elif not typed.input.is_file():
            raise Wrong("there is no such file or folder")
        else:
            names, removed = read_mat(typed.input) if typed.input.suffix == ".mat" else read_script(typed.input)
        structure = Structure(names, removed + typed.removed)
        writer = Writer(structure, typed, typed.input.name)
        text = writer.text()
    except Wrong as wrong:
        sys.exit(f"{typed.input}: {wrong}")
    typed.output.mkdir(parents=True, exist_ok=True)
    (typed.output / "structure.toml").write_text(text, encoding="utf-8")
    counts = {kind: sum(structure.types[int(row[0])][0] == kind for row in structure.elements.values()) for kind in OF_ELEMENT}
    print(f"{typed.output / 'structure.toml'}: {'plane' if writer.plane else 'in space'}, {len(structure.used)} nodes, "
          f"{counts['truss']} trusses, {counts['beam']} beams, {len(writer.held)} nodes with supports")


if __name__ == "__main__":
    main()
