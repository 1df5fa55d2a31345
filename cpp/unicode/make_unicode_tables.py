#!/usr/bin/env python3
"""Writes unicode_tables.cc from the files of the Unicode Character Database.

usage: make_unicode_tables.py UCD_DIRECTORY > unicode_tables.cc

UCD_DIRECTORY holds UnicodeData's derived files in the layout of unicode.org (the Debian package
`unicode-data` installs them). Only the standard library is needed. All tables come from one version
of the database, which the first line of the output names.

A table of ranges is stored as bytes: for each range the gap to the end of the last one and the length
less one, both as little-endian base-128 numbers (LEB128), which takes a third of the space of pairs.
"""

import pathlib
import re
import sys

# The binary properties of ECMA-262 (table "Binary Unicode property aliases") with their short names;
# Any, ASCII and Assigned are made here, the rest is read from the file given.
BINARY = {
    "PropList.txt": [
        "ASCII_Hex_Digit AHex",
        "Bidi_Control Bidi_C",
        "Dash",
        "Deprecated Dep",
        "Diacritic Dia",
        "Extender Ext",
        "Hex_Digit Hex",
        "IDS_Binary_Operator IDSB",
        "IDS_Trinary_Operator IDST",
        "Ideographic Ideo",
        "Join_Control Join_C",
        "Logical_Order_Exception LOE",
        "Noncharacter_Code_Point NChar",
        "Pattern_Syntax Pat_Syn",
        "Pattern_White_Space Pat_WS",
        "Quotation_Mark QMark",
        "Radical",
        "Regional_Indicator RI",
        "Sentence_Terminal STerm",
        "Soft_Dotted SD",
        "Terminal_Punctuation Term",
        "Unified_Ideograph UIdeo",
        "Variation_Selector VS",
        "White_Space space",
    ],
    "DerivedCoreProperties.txt": [
        "Alphabetic Alpha",
        "Case_Ignorable CI",
        "Cased",
        "Changes_When_Casefolded CWCF",
        "Changes_When_Casemapped CWCM",
        "Changes_When_Lowercased CWL",
        "Changes_When_Titlecased CWT",
        "Changes_When_Uppercased CWU",
        "Default_Ignorable_Code_Point DI",
        "Grapheme_Base Gr_Base",
        "Grapheme_Extend Gr_Ext",
        "ID_Continue IDC",
        "ID_Start IDS",
        "Lowercase Lower",
        "Math",
        "Uppercase Upper",
        "XID_Continue XIDC",
        "XID_Start XIDS",
    ],
    "DerivedNormalizationProps.txt": ["Changes_When_NFKC_Casefolded CWKCF"],
    "extracted/DerivedBinaryProperties.txt": ["Bidi_Mirrored Bidi_M"],
    "emoji/emoji-data.txt": [
        "Emoji",
        "Emoji_Component EComp",
        "Emoji_Modifier EMod",
        "Emoji_Modifier_Base EBase",
        "Emoji_Presentation EPres",
        "Extended_Pictographic ExtPict",
    ],
}

MAX_CODE_POINT = 0x10FFFF


def read_lines(path):
    """The fields of every data line."""
    for line in path.read_text(encoding="utf-8").splitlines():
        line = line.split("#")[0].strip()
        if line:
            yield [field.strip() for field in line.split(";")]


def read_property(path):
    """{value: [(lo, hi), ...]} of a file of `range ; value` lines."""
    table = {}
    for fields in read_lines(path):
        lo, _, hi = fields[0].partition("..")
        table.setdefault(fields[1], []).append((int(lo, 16), int(hi or lo, 16)))
    return table


def normalize(ranges):
    """Sorted ranges, merged where they touch."""
    out = []
    for lo, hi in sorted(ranges):
        if out and lo <= out[-1][1] + 1:
            out[-1] = (out[-1][0], max(hi, out[-1][1]))
        else:
            out.append((lo, hi))
    return out


def subtract(ranges, removed):
    """The code points of `ranges` that are not in `removed`."""
    members = set()
    for lo, hi in ranges:
        members.update(range(lo, hi + 1))
    for lo, hi in removed:
        members.difference_update(range(lo, hi + 1))
    return normalize((c, c) for c in members)


def read_aliases(ucd, prefix):
    """{first alias: [all aliases]} of a property's values, and {first alias: members of a group}."""
    names, groups = {}, {}
    for line in (ucd / "PropertyValueAliases.txt").read_text(encoding="utf-8").splitlines():
        data, _, comment = line.partition("#")
        fields = [f.strip() for f in data.split(";")]
        if fields[0] != prefix:
            continue
        names[fields[1]] = list(dict.fromkeys(fields[1:]))
        if "|" in comment:
            groups[fields[1]] = [member.strip() for member in comment.split("|")]
    return names, groups


def general_categories(ucd):
    names, groups = read_aliases(ucd, "gc")
    table = read_property(ucd / "extracted/DerivedGeneralCategory.txt")
    for short, aliases in names.items():
        members = groups.get(short, [short])
        yield aliases, normalize(r for m in members for r in table.get(m, []))
    assigned = subtract([(0, MAX_CODE_POINT)], table["Cn"])
    ascii_range = [(0, 0x7F)]
    yield ["Any"], [(0, MAX_CODE_POINT)]
    yield ["ASCII"], ascii_range
    yield ["Assigned"], assigned


def scripts(ucd):
    names, _ = read_aliases(ucd, "sc")
    table = read_property(ucd / "Scripts.txt")
    for aliases in names.values():
        ranges = [r for name in aliases for r in table.get(name, [])]
        if ranges:
            yield aliases, normalize(ranges)


def script_extensions(ucd):
    """A character with listed extensions belongs to these and no longer to its own script."""
    listed = {}
    for value, ranges in read_property(ucd / "ScriptExtensions.txt").items():
        for short in value.split():
            listed.setdefault(short, []).extend(ranges)
    moved = [r for ranges in listed.values() for r in ranges]
    for aliases, ranges in scripts(ucd):
        added = [r for name in aliases for r in listed.get(name, [])]
        yield aliases, normalize(subtract(ranges, moved) + added)


def binary_properties(ucd):
    for file, entries in BINARY.items():
        table = read_property(ucd / file)
        for entry in entries:
            names = entry.split()
            yield names, normalize(table[names[0]])


def leb128(number):
    while number >= 0x80:
        yield number & 0x7F | 0x80
        number >>= 7
    yield number


class Pool:
    """Byte pool in which equal tables are stored once."""

    def __init__(self):
        self.data = []
        self.places = {}

    def add(self, ranges):
        key = tuple(ranges)
        if key not in self.places:
            start, end = len(self.data), 0
            for lo, hi in ranges:
                self.data.extend(leb128(lo - end))
                self.data.extend(leb128(hi - lo))
                end = hi
            self.places[key] = (start, len(self.data) - start)
        return self.places[key]


def write_names(array, entries, pool):
    print(f"const UnicodeTable {array}[] = {{")
    rows = [(name, *pool.add(ranges)) for names, ranges in entries for name in names]
    for name, offset, size in sorted(rows):
        print(f'    {{"{name}", {offset}, {size}}},')
    print("};")
    print(f"const size_t {array}Size = sizeof({array}) / sizeof({array}[0]);\n")


def main():
    ucd = pathlib.Path(sys.argv[1])
    first = (ucd / "Scripts.txt").read_text(encoding="utf-8").split("\n", 1)[0]
    version = re.search(r"(\d+\.\d+\.\d+)", first).group(1)
    gc = list(general_categories(ucd))
    specials, gc = gc[-3:], gc[:-3]
    pool = Pool()
    print(f"// Generated by make_unicode_tables.py from Unicode {version}; do not edit.")
    print("//")
    print(
        "// Names of properties and values with their tables of ranges, which are slices of one array of"
    )
    print(
        "// bytes: gap to the end of the last range and length less one, in base 128. See property.cc."
    )
    print('#include "unicode/unicode_tables.h"\n')
    print("namespace xgrammar {\n")
    write_names("kGeneralCategories", gc, pool)
    write_names("kScripts", scripts(ucd), pool)
    write_names("kScriptExtensions", script_extensions(ucd), pool)
    write_names("kBinaryProperties", [*specials, *binary_properties(ucd)], pool)
    print("const uint8_t kUnicodeRangeBytes[] = {")
    line = "   "
    for byte in pool.data:
        item = f" {byte},"
        if len(line) + len(item) > 100:
            print(line)
            line = "   "
        line += item
    print(line)
    print("};\n")
    print("}  // namespace xgrammar")


if __name__ == "__main__":
    main()
