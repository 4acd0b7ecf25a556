"""Reads a WebAssembly module that was linked with --emit-relocs: its functions, and which functions and data each one refers to."""

import bisect

FUNCTION, DATA = 0, 1
# Relocations (WebAssembly tool conventions): a call, the address of a function, the address of data; in code and in data.
CALL, FUNCTION_IN_CODE, FUNCTION_IN_DATA = {0}, {1}, {2}
DATA_IN_CODE, DATA_IN_DATA = {3, 4}, {5}
WITH_ADDEND = {3, 4, 5, 8, 9}
KNOWN = CALL | FUNCTION_IN_CODE | FUNCTION_IN_DATA | DATA_IN_CODE | DATA_IN_DATA | {6, 7, 8, 9, 20}
TYPE, IMPORT, FUNCTIONS, EXPORT, ELEMENT, CODE, SEGMENTS = 1, 2, 3, 7, 9, 10, 11


class Reader:
    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def bytes(self, count):
        self.at += count
        return self.data[self.at - count : self.at]

    def unsigned(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            value, shift, self.at = value | (byte & 127) << shift, shift + 7, self.at + 1
            if byte < 128:
                return value

    def signed(self):
        start = self.at
        value = self.unsigned()
        bits = 7 * (self.at - start)
        return value - (1 << bits) if self.data[self.at - 1] & 64 else value

    def name(self):
        return self.bytes(self.unsigned()).decode()

    def constant(self):
        """The offset of a segment: i32.const, end."""
        if self.bytes(1) != b"\x41":
            raise ValueError("a segment without a constant offset")
        value = self.signed()
        self.bytes(1)
        return value


class Module:
    """Functions are numbered as in the module: imports first."""

    def __init__(self, data):
        self.imports, self.exports, self.table, self.names = [], {}, {}, {}
        code, segments, symbols, relocations, start = [], [], [], {}, {}
        reader = Reader(data, 8)
        while reader.at < len(data):
            kind = reader.bytes(1)[0]
            length = reader.unsigned()
            at = reader.at
            end = at + length
            start[kind] = at
            if kind == IMPORT:
                for _ in range(reader.unsigned()):
                    _, name, what = reader.name(), reader.name(), reader.bytes(1)[0]
                    if what != FUNCTION:
                        raise ValueError(f"an import of another kind than a function: {name}")
                    reader.unsigned()
                    self.imports.append(name)
            elif kind == EXPORT:
                for _ in range(reader.unsigned()):
                    name, what, index = reader.name(), reader.bytes(1)[0], reader.unsigned()
                    if what == FUNCTION:
                        self.exports[name] = index
            elif kind == ELEMENT:
                for _ in range(reader.unsigned()):
                    if reader.unsigned() != 0:
                        raise ValueError("a table segment that is not active")
                    first = reader.constant()
                    self.table.update({first + i: reader.unsigned() for i in range(reader.unsigned())})
            elif kind == CODE:
                for _ in range(reader.unsigned()):
                    length = reader.unsigned()
                    code.append(reader.at)
                    reader.at += length
            elif kind == SEGMENTS:
                for _ in range(reader.unsigned()):
                    if reader.unsigned() != 0:
                        raise ValueError("a data segment that is not active")
                    address, length = reader.constant(), reader.unsigned()
                    segments.append((reader.at, length, address))
                    reader.at += length
            elif kind == 0:
                name = reader.name()
                if name == "linking":
                    symbols = self.symbols(reader, end)
                elif name in ("reloc.CODE", "reloc.DATA"):
                    relocations[name] = self.relocations(reader)
            reader.at = end
        if not relocations:
            raise ValueError("the module has no relocations; link it with --emit-relocs")
        self.count = len(code)
        self.refer(code, segments, symbols, relocations, start)

    @staticmethod
    def symbols(reader, end):
        """(kind, name, index) of functions, (kind, name, (segment, offset, size)) of data."""
        found = []
        reader.unsigned()
        while reader.at < end:
            what, length = reader.bytes(1)[0], reader.unsigned()
            after = reader.at + length
            if what == 8:
                for _ in range(reader.unsigned()):
                    kind, flags = reader.bytes(1)[0], reader.unsigned()
                    undefined = flags & 0x10
                    if kind == DATA:
                        name = reader.name()
                        place = (0, 0, 0) if undefined else (reader.unsigned(), reader.unsigned(), reader.unsigned())
                        found.append((kind, name, place))
                    elif kind == 3:
                        found.append((kind, "", reader.unsigned()))
                    else:
                        index = reader.unsigned()
                        found.append((kind, reader.name() if not undefined or flags & 0x40 else "", index))
            reader.at = after
        return found

    @staticmethod
    def relocations(reader):
        """(kind, offset in the section, symbol)"""
        reader.unsigned()
        found = []
        for _ in range(reader.unsigned()):
            kind, offset, symbol = reader.bytes(1)[0], reader.unsigned(), reader.unsigned()
            if kind not in KNOWN:
                raise ValueError(f"unknown relocation {kind}")
            if kind in WITH_ADDEND:
                reader.signed()
            found.append((kind, offset, symbol))
        return found

    def refer(self, code, segments, symbols, relocations, start):
        imported = len(self.imports)
        self.names = {index: name for kind, name, index in symbols if kind == FUNCTION}
        # Function -> functions and data that its code names.
        self.functions_of = {imported + i: set() for i in range(len(code))}
        self.data_of = {imported + i: set() for i in range(len(code))}
        for kind, offset, symbol in relocations["reloc.CODE"]:
            function = imported + bisect.bisect_right(code, start[CODE] + offset) - 1
            if kind in CALL | FUNCTION_IN_CODE:
                self.functions_of[function].add(symbols[symbol][2])
            elif kind in DATA_IN_CODE:
                self.data_of[function].add(symbol)
        # Data -> address, size, functions and data that it names.
        self.data = {}
        for i, (kind, _, place) in enumerate(symbols):
            if kind == DATA:
                segment, offset, size = place
                self.data[i] = (segments[segment][2] + offset, size, set(), set())
        by_address = sorted((address, size, i) for i, (address, size, _, _) in self.data.items() if size)
        addresses = [address for address, _, _ in by_address]
        for kind, offset, symbol in relocations.get("reloc.DATA", []):
            place = start[SEGMENTS] + offset
            address = next(a + place - at for at, length, a in segments if at <= place < at + length)
            # Symbols may share an address: all that contain it get the reference.
            owners, k = [], bisect.bisect_right(addresses, address) - 1
            while k >= 0 and address - by_address[k][0] < 1 << 20:
                if address < by_address[k][0] + by_address[k][1]:
                    owners.append(by_address[k][2])
                    if k == 0 or by_address[k - 1][0] != by_address[k][0]:
                        break
                k -= 1
            if not owners:
                raise ValueError(f"no data symbol contains the address {address}")
            for owner in owners:
                if kind in FUNCTION_IN_DATA:
                    self.data[owner][2].add(symbols[symbol][2])
                else:
                    self.data[owner][3].add(symbol)

    def reached(self, functions, data=(), without=frozenset()):
        """Functions and data that code from these functions on can name."""
        live, named = set(), set()
        todo = [(FUNCTION, f) for f in functions] + [(DATA, d) for d in data]
        while todo:
            kind, item = todo.pop()
            if kind == FUNCTION and item not in live and item in self.functions_of and item not in without:
                live.add(item)
                todo += [(FUNCTION, f) for f in self.functions_of[item]] + [(DATA, d) for d in self.data_of[item]]
            elif kind == DATA and item not in named:
                named.add(item)
                todo += [(FUNCTION, f) for f in self.data[item][2]] + [(DATA, d) for d in self.data[item][3]]
        return live, named
