"""Condenses a function as wasm2c writes it: values of the stack become expressions.

wasm2c writes one statement per instruction, with a variable for each place of the stack (w2c_i0: 32-bit integer, j: 64-bit, d: double).
Here a value is kept as text until it is used, and becomes a statement only before something that could change it: a store, a call, an
assignment to a local variable that it reads, a label. The order of loads, stores and calls is unchanged. A product is never an operand of
a sum in one expression: the C standard lets compilers contract within expressions, which would change the last bit.
"""

import re

ON_STACK = re.compile(r"\bw2c_[ijfd]\d+\b")
VARIABLE = re.compile(r"\bw2c_[ijfdlp]\d+\b")
STATEMENT = re.compile(
    r"(?P<set>w2c_[ijfdlp]\d+) (?P<operator>[-+*/&|^]|<<|>>|)= (?P<value>.*);"
    r"|if \((?P<condition>w2c_i\d+)\) \{goto w2c_(?P<branch>\w+);\}"
    r"|goto w2c_(?P<goto>\w+);"
    r"|w2c_(?P<label>\w+):;?"
    r"|switch \((?P<switch>w2c_i\d+)\) \{"
    r"|case (?P<case>\d+): goto w2c_(?P<target>\w+);"
    r"|default: goto w2c_(?P<default>\w+);"
    r"|(?P<close>\})"
    r"|return (?P<result>w2c_[ijfd]\d+);"
    r"|(?P<stop>UNREACHABLE);"
    r"|instance->w2c___stack_pointer\w* = (?P<pointer>w2c_i\d+);"
    r"|(?P<store>[if]\d\d_store\d*)\(&instance->w2c_memory, (?P<address>.*?), (?P<stored>w2c_[ijfd]\d+)\);"
    r"|(?P<block>memory_copy|memory_fill)\((?:&instance->w2c_memory, )+(?P<operands>.*)\);"
    r"|(?P<call>.*\(.*\));"
)
CALL = re.compile(r"w2c_\w+\(instance|CALL_INDIRECT\(|\(\*instance->|Z_host|wasm_rt_grow_memory")
COMPARISON = re.compile(r"[^<>](?:[<>]=?|[=!]=)[^<>=]")
# Longest text of a value: brackets of C need not nest deeper than 63.
LONGEST = 160


class Value:
    """Text of a value, the variables that it reads, whether it reads memory or the stack pointer, whether it is a product."""

    def __init__(self, text, reads=frozenset(), memory=False, pointer=False, product=False):
        self.text, self.reads, self.memory, self.pointer, self.product = text, reads, memory, pointer, product

    def operand(self):
        plain = re.fullmatch(r"[\w.+-]+", self.text) and not self.text.startswith("-")
        return self.text if plain or is_one_call(self.text) else f"({self.text})"


def encloses(text):
    """Whether the bracket with which the text begins is closed by its last character."""
    depth = 0
    for k, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return k == len(text) - 1
    return False


def is_one_call(text):
    name = re.match(r"\w+(?=\()", text)
    return bool(name) and encloses(text[name.end() :])


def bare(text):
    return text[1:-1] if text.startswith("(") and encloses(text) else text


def parsed(lines):
    statements = []
    for line in lines:
        line = line.strip()
        if line in ("", "FUNC_PROLOGUE;", "FUNC_EPILOGUE;"):
            continue
        for text in re.findall(r"case \d+: goto \w+;", line) if line.startswith("case ") else [line]:
            found = STATEMENT.fullmatch(text)
            if not found:
                raise ValueError(f"unknown statement: {text}")
            statements.append(found.groupdict())
    return statements


def target(statement):
    return statement["branch"] or statement["goto"] or statement["target"] or statement["default"]


def needed(statements):
    """By label the values of the stack that are used after it; by statement whether the value that it sets is used again."""
    live = {s["label"]: frozenset() for s in statements if s["label"]}
    uses = []
    for s in statements:
        text = " ".join(str(value) for key, value in s.items() if value and key != "set" and key != "operator")
        used = set(ON_STACK.findall(text))
        uses.append(used | {s["set"]} if s["operator"] else used)
    again = [True] * len(statements)
    changed = True
    while changed:
        changed, now = False, set()
        for k in range(len(statements) - 1, -1, -1):
            s = statements[k]
            if s["goto"] or s["default"]:
                now = set(live[target(s)])
            elif s["result"] or s["stop"]:
                now = set()
            elif target(s):
                now |= live[target(s)]
            if s["set"]:
                is_local = s["set"][4] in "lp"
                again[k] = (s["value"] if is_local else s["set"]) in now
                now.discard(s["set"])
            now |= uses[k]
            if s["label"] and now != live[s["label"]]:
                live[s["label"]], changed = frozenset(now), True
    return live, again


class Condenser:
    """`renamed` turns the text of a call into that of the sources."""

    def __init__(self, renamed):
        self.renamed = renamed

    def condense(self, lines):
        """The statements, and the variables of the stack that remain."""
        statements = parsed(lines)
        self.live, again = needed(statements)
        self.lines, self.values, self.variables = [], {}, set()
        for statement, self.again in zip(statements, again):
            self.add(statement)
        return self.lines, self.variables

    def write(self, text):
        self.variables.update(ON_STACK.findall(text))
        self.lines.append(text)

    def settle(self, name):
        """Turns a value into a statement, after those that read the variable which this sets."""
        value = self.values.pop(name)
        if value.text != name:
            self.settle_if(lambda other: name in other.reads)
            self.write(f"{name} = {bare(value.text)};")

    def settle_if(self, test):
        for name in [name for name, value in self.values.items() if test(value)]:
            if name in self.values:
                self.settle(name)

    def settle_live(self, label):
        for name in [name for name in self.values if name in self.live[label]]:
            if name in self.values:
                self.settle(name)

    def value(self, name):
        return self.values.get(name) or Value(name, frozenset((name,)))

    def taken(self, text):
        """The text with the values of its variables, which are used up."""
        reads, memory, pointer = set(), False, False

        def operand(found):
            nonlocal memory, pointer
            name = found.group()
            if name[4] in "lp":
                reads.add(name)
                return name
            value = self.value(name)
            reads.update(value.reads)
            memory, pointer = memory or value.memory, pointer or value.pointer
            return value.operand()

        written = VARIABLE.sub(operand, text)
        for name in ON_STACK.findall(text):
            self.values.pop(name, None)
        return Value(written, frozenset(reads), memory, pointer)

    def address(self, text):
        parts = re.fullmatch(r"\(u64\)\((w2c_i\d+)\)(?: \+ (\d+)u?)?", text)
        value = self.taken(parts[1])
        value.text = f"{bare(value.text)}, {parts[2] or 0}"
        return value

    def called(self, text):
        """A call; what it may change is computed before."""
        written = self.taken(self.renamed(text)).text
        self.settle_if(lambda value: value.memory or value.pointer)
        return written

    def add(self, s):
        if s["set"] and s["set"][4] in "ijfd":
            self.push(s["set"], s["operator"], s["value"])
        elif s["set"]:
            value = self.taken(s["value"])
            self.settle_if(lambda other: s["set"] in other.reads)
            self.write(f"{s['set']} = {bare(value.text)};")
            if self.again:
                self.values[s["value"]] = Value(s["set"], frozenset((s["set"],)))
        elif s["label"]:
            self.settle_live(s["label"])
            self.values.clear()
            self.write(f"w2c_{s['label']}:;")
        elif s["branch"]:
            condition = bare(self.taken(s["condition"]).text)
            if condition.startswith("(u32)(") and encloses(condition[5:]):
                condition = condition[6:-1]
            self.settle_live(s["branch"])
            self.write(f"if ({condition}) goto w2c_{s['branch']};")
        elif s["goto"]:
            self.settle_live(s["goto"])
            self.values.clear()
            self.write(f"goto w2c_{s['goto']};")
        elif s["switch"]:
            chosen = bare(self.taken(s["switch"]).text)
            self.settle_if(lambda value: True)
            self.write(f"switch ({chosen}) {{")
        elif s["target"]:
            self.write(f"case {s['case']}: goto w2c_{s['target']};")
        elif s["default"]:
            self.write(f"default: goto w2c_{s['default']};")
        elif s["close"]:
            self.write("}")
        elif s["result"]:
            self.write(f"return {bare(self.taken(s['result']).text)};")
            self.values.clear()
        elif s["stop"]:
            self.write("UNREACHABLE;")
            self.values.clear()
        elif s["pointer"]:
            value = self.taken(s["pointer"])
            self.settle_if(lambda other: other.pointer)
            self.write(f"SP = {bare(value.text)};")
        elif s["store"]:
            stored, address = self.taken(s["stored"]), self.address(s["address"])
            self.settle_if(lambda value: value.memory)
            self.write(f"{s['store']}({address.text}, {bare(stored.text)});")
        elif s["block"]:
            operands = self.taken(s["operands"])
            self.settle_if(lambda value: value.memory)
            self.write(f"{s['block']}({operands.text});")
        else:
            self.write(self.called(s["call"]) + ";")

    def push(self, name, operator, text):
        """A value for the stack."""
        if CALL.match(text):
            written = self.called(text)
            self.values.pop(name, None)
            self.settle_if(lambda value: name in value.reads)
            self.write(f"{name} = {written};" if self.again else f"{written};")
            return
        if operator:
            text = f"{name} {operator} {text}"
        if name[4] in "df" and re.search(r" [-+] ", text):
            for operand in ON_STACK.findall(text):
                if operand in self.values and self.values[operand].product:
                    self.settle(operand)
        load = re.fullmatch(r"([if]\d\d_load\w*)\(&instance->w2c_memory, (.*)\)", text)
        if load:
            address = self.address(load[2])
            value = Value(f"{load[1]}({address.text})", address.reads, True, address.pointer)
        elif re.fullmatch(r"instance->w2c___stack_pointer\w*", text):
            value = Value("SP", pointer=True)
        elif ON_STACK.fullmatch(text):
            value = self.value(text)
            self.values.pop(text, None)
        elif name[4] in "df" and re.fullmatch(r"-?\d+", text):
            # A whole number would make a quotient of two of them one of integers, and loses the sign of zero.
            value = Value(f"{text}.0")
        else:
            value = self.taken(text)
            compared = re.sub(r"\([us](?:32|64)\)", "", text)
            if name[4] == "i" and " ? " not in text and (compared.startswith("!(") or COMPARISON.search(f" {compared} ")):
                # Of type int in C: a difference of two of them would be negative.
                value.text = f"(u32)({value.text})"
            value.product = name[4] in "df" and " * " in text
        self.values.pop(name, None)
        if self.again:
            self.values[name] = value
            if len(value.text) > LONGEST:
                self.settle(name)
