"""A relocatable cubin as lines of text, and edits of objects as differences of such lines.

Each line says what it is part of, so that a changed line can be read alone:

    header FIELD VALUE
    section NAME type=T flags=F address=A size=S link=L info=I
            align=A entry=E                  size=own: the size of the contents
    symbol NAME info=I other=O section=S value=V size=S
    relocation SECTION OFFSET type=T symbol=INDEX addend=A         addend=none in SHT_REL
    attribute SECTION format=F code=C value=V                      payload=HEX in sized records
    bytes SECTION OFFSET HEX [times=N]

Lines of a kind are in the order of the object. Numbers of symbols and sections are indices. The
contents of a section that is not the first of its name are those of NAME#2, NAME#3 and so on.
"""

from __future__ import annotations

import difflib
import struct
from collections import Counter
from collections.abc import Iterator

from cubin import (
    ELF_HEADER,
    SECTION_HEADER,
    SYMBOL,
    WITH_ADDENDS,
    WITHOUT_BYTES,
    Cubin,
    Section,
    Symbol,
)

SHT_REL, SHT_CUDA_INFO = 9, 0x70000000
SIZED = 4
LINE_BYTES = 16
LONG_RUN = 128
HEADER_FIELDS = {1: "type", 2: "machine", 3: "version", 4: "entry", 7: "flags", 13: "names"}
NO_NAME = "-"


def is_names(cubin: Cubin, section: Section) -> bool:
    """Whether the section is one of the tables that Cubin.write makes: the string tables and the
    symbol table."""
    strings = cubin.sections[cubin.symbol_table.link]
    return section is cubin.sections[cubin.names_index] or section in (strings, cubin.symbol_table)


def records(data: bytes) -> list[tuple[int, int, int, bytes]] | None:
    """Format, code, value and payload of each record. None if the last record is cut off."""
    found, at = [], 0
    while at + 4 <= len(data):
        form, code, value = struct.unpack_from("<BBH", data, at)
        size = value if form == SIZED else 0
        found.append((form, code, value, bytes(data[at + 4 : at + 4 + size])))
        at += 4 + size
    return found if at == len(data) else None


def labels(sections: list[Section]) -> list[str]:
    """A label for each section: its name, followed by #2, #3 and so on if earlier sections have the
    same name."""
    seen: Counter[str] = Counter()
    found = []
    for section in sections:
        seen[section.name] += 1
        number = seen[section.name]
        found.append(section.name if number == 1 else f"{section.name}#{number}")
    return found


def content_lines(cubin: Cubin, section: Section, name: str) -> Iterator[str]:
    if is_names(cubin, section) or section.type in WITHOUT_BYTES:
        return
    whole = len(section.data) % (24 if section.type in WITH_ADDENDS else 16) == 0
    if section.type in (*WITH_ADDENDS, SHT_REL) and whole:
        for r in section.relocations():
            addend = "none" if r.addend is None else f"{r.addend:#x}"
            place = f"{name} {r.offset:#x}"
            yield f"relocation {place} type={r.type:#x} symbol={r.symbol} addend={addend}"
        return
    found = records(section.data) if section.type == SHT_CUDA_INFO else None
    if found is not None:
        for form, code, value, payload in found:
            what = f"payload={payload.hex() or NO_NAME}" if form == SIZED else f"value={value:#x}"
            yield f"attribute {name} format={form} code={code:#x} {what}"
        return
    yield from byte_lines(name, bytes(section.data))


def byte_lines(name: str, data: bytes) -> Iterator[str]:
    """Writes the bytes as lines. A run of equal lines becomes one line with the number of
    repetitions."""
    at = 0
    while at < len(data):
        line = data[at : at + LINE_BYTES]
        end = at + len(line)
        while data[end : end + LINE_BYTES] == line:
            end += LINE_BYTES
        count = (end - at) // LINE_BYTES
        if count < LONG_RUN:
            count = 1
        times = f" times={count}" if count > 1 else ""
        yield f"bytes {name} {at:#x} {line.hex()}{times}"
        at += len(line) * count


def section_line(section: Section) -> str:
    return (
        f"section {section.name or NO_NAME} type={section.type:#x} flags={section.flags:#x}"
        f" address={section.address:#x} size={section.size if is_empty(section) else 'own'}"
        f" link={section.link} info={section.info} align={section.alignment}"
        f" entry={section.entry_size}"
    )


def is_empty(section: Section) -> bool:
    return section.type in WITHOUT_BYTES


def symbol_line(symbol: Symbol) -> str:
    return (
        f"symbol {symbol.name or NO_NAME} info={symbol.info:#x} other={symbol.other:#x}"
        f" section={symbol.section} value={symbol.value:#x} size={symbol.size:#x}"
    )


def text_of(cubin: Cubin) -> list[str]:
    lines = [f"ident {cubin.header[0].hex()}"]
    lines += [f"header {name} {cubin.header[i]:#x}" for i, name in HEADER_FIELDS.items()]
    lines += [section_line(section) for section in cubin.sections]
    lines += [symbol_line(symbol) for symbol in cubin.symbols]
    for section, name in zip(cubin.sections, labels(cubin.sections), strict=True):
        lines += content_lines(cubin, section, name)
    return lines


def facts(words: list[str]) -> dict[str, str]:
    return dict(word.split("=", 1) for word in words)


def read_section(words: list[str]) -> Section:
    given = facts(words[1:])
    name = "" if words[0] == NO_NAME else words[0]
    section = Section(name, int(given["type"], 0), int(given["flags"], 0))
    section.address = int(given["address"], 0)
    section.size = 0 if given["size"] == "own" else int(given["size"])
    section.link, section.info = int(given["link"]), int(given["info"])
    section.alignment, section.entry_size = int(given["align"]), int(given["entry"])
    return section


def read_symbol(words: list[str]) -> Symbol:
    given = {key: int(value, 0) for key, value in facts(words[1:]).items()}
    name = "" if words[0] == NO_NAME else words[0]
    keys = ("info", "other", "section", "value", "size")
    return Symbol(name, *(given[key] for key in keys))


def read_relocation(words: list[str]) -> bytes:
    given = facts(words[1:])
    info = int(given["symbol"]) << 32 | int(given["type"], 0)
    entry = struct.pack("<QQ", int(words[0], 0), info)
    addend = given["addend"]
    return entry + (b"" if addend == "none" else struct.pack("<q", int(addend, 0)))


def read_attribute(words: list[str]) -> bytes:
    given = facts(words)
    form, code = int(given["format"]), int(given["code"], 0)
    if form != SIZED:
        return struct.pack("<BBH", form, code, int(given["value"], 0))
    payload = b"" if given["payload"] == NO_NAME else bytes.fromhex(given["payload"])
    return struct.pack("<BBH", form, code, len(payload)) + payload


def read_bytes(words: list[str]) -> bytes:
    times = int(facts(words[2:]).get("times", "1"))
    return bytes.fromhex(words[1]) * times


CONTENTS = {
    "relocation": read_relocation,
    "attribute": read_attribute,
    "bytes": read_bytes,
}


def object_of(lines: list[str], base: Cubin) -> Cubin:
    """Returns the object that the lines describe. It has the string table of `base`, so that names
    of symbols keep their offsets."""
    cubin = Cubin(base.write())
    strings = cubin.sections[cubin.symbol_table.link].data
    fields = {name: index for index, name in HEADER_FIELDS.items()}
    cubin.sections, cubin.symbols = [], []
    contents: dict[str, list[str]] = {}
    for line in lines:
        kind, *words = line.split(" ")
        if kind == "ident":
            cubin.header[0] = bytes.fromhex(words[0])
        elif kind == "header":
            cubin.header[fields[words[0]]] = int(words[1], 0)
        elif kind == "section":
            cubin.sections.append(read_section(words))
        elif kind == "symbol":
            cubin.symbols.append(read_symbol(words))
        else:
            contents.setdefault(words[0], []).append(line)
    for section, name in zip(cubin.sections, labels(cubin.sections), strict=True):
        for line in contents.pop(name, []):
            kind, _, *words = line.split(" ")
            section.data += CONTENTS[kind](words)
    if contents:
        raise ValueError(f"no section {', '.join(contents)}")
    cubin.names_index = cubin.header[13]
    cubin.symbol_table = next(s for s in cubin.sections if s.type == 2)
    cubin.sections[cubin.symbol_table.link].data = strings
    return cubin


def difference(before: list[str], after: list[str]) -> list[str]:
    """Returns hunks without context. Each is `@@ LINE`, the number of its first line, then the
    lines that are removed and the lines that are added."""
    found: list[str] = []
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for tag, i, j, k, m in matcher.get_opcodes():
        if tag != "equal":
            found.append(f"@@ {i + 1}")
            found += [f"- {line}" for line in before[i:j]] + [f"+ {line}" for line in after[k:m]]
    return found


def changed(before: list[str], edits: list[str]) -> list[str]:
    """Applies the result of `difference` to the lines. Raises ValueError if a line to remove is
    missing."""
    after, at = [], 0
    for edit in edits:
        sign, _, line = edit.partition(" ")
        if sign == "@@":
            place = int(line) - 1
            after += before[at:place]
            at = place
        elif sign == "-":
            if before[at : at + 1] != [line]:
                raise ValueError(f"line {at + 1} is not {line}")
            at += 1
        else:
            after.append(line)
    return after + before[at:]


def name_offset(table: bytes, name: str) -> int:
    """The offset of the name in a string table. It may be inside another name that ends with it."""
    offset = bytes(table).find(name.encode() + b"\0")
    if offset < 0:
        raise ValueError(f"no name {name} in the table")
    return offset


def written_in_place(original: bytes, after: Cubin) -> bytes:
    """The original file, in which changed contents overwrite the old ones. Contents that became
    larger are added at the end of the file instead."""
    before, out = Cubin(original), bytearray(original)
    strings = before.sections[before.symbol_table.link].data
    names = before.sections[before.names_index].data
    table = before.header[6]
    for number, (old, new) in enumerate(zip(before.sections, after.sections, strict=True)):
        place = table + SECTION_HEADER.size * number
        fields = list(SECTION_HEADER.unpack_from(original, place))
        if old.name.endswith(new.name):
            fields[0] += len(old.name.encode()) - len(new.name.encode())
        else:
            fields[0] = name_offset(names, new.name)
        data = bytes(new.data)
        if old is before.symbol_table:
            data = symbols_in_place(before, after, strings)
        elif is_names(before, old):
            data = bytes(old.data)
        if len(data) > len(old.data):
            out += bytes(-len(out) % max(1, new.alignment))
            fields[4] = len(out)
        out[fields[4] : fields[4] + len(data)] = data
        fields[1:4] = new.type, new.flags, new.address
        fields[5] = new.size if is_empty(new) else len(data)
        fields[6:] = new.link, new.info, new.alignment, new.entry_size
        SECTION_HEADER.pack_into(out, place, *fields)
    header = list(ELF_HEADER.unpack_from(original))
    for index in (0, *HEADER_FIELDS):
        header[index] = after.header[index]
    ELF_HEADER.pack_into(out, 0, *header)
    return bytes(out)


def symbols_in_place(before: Cubin, after: Cubin, strings: bytes) -> bytes:
    content = bytearray(before.symbol_table.data)
    for number, (old, new) in enumerate(zip(before.symbols, after.symbols, strict=True)):
        place = SYMBOL.size * number
        (name,) = struct.unpack_from("<I", content, place)
        if old.name != new.name:
            name = name_offset(strings, new.name)
        facts_of_symbol = (new.info, new.other, new.section, new.value, new.size)
        SYMBOL.pack_into(content, place, name, *facts_of_symbol)
    return bytes(content)
