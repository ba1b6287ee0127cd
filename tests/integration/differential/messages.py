"""Makes random messages in protobuf's wire format, byte by byte: valid ones, and forms that no
encoder would write."""
import struct

from google.protobuf.descriptor import FieldDescriptor as F

from schemas import NUMBER_MAX

VARINT, FIXED64, LENGTH, GROUP_START, GROUP_END, FIXED32 = range(6)

WIRE_TYPES = {
    F.TYPE_DOUBLE: FIXED64, F.TYPE_FIXED64: FIXED64, F.TYPE_SFIXED64: FIXED64,
    F.TYPE_FLOAT: FIXED32, F.TYPE_FIXED32: FIXED32, F.TYPE_SFIXED32: FIXED32,
    F.TYPE_STRING: LENGTH, F.TYPE_BYTES: LENGTH, F.TYPE_MESSAGE: LENGTH, F.TYPE_GROUP: GROUP_START,
}


# The parts of an item of a message set: its begin, the tags of number and content, and its end.
ITEM, ITEM_ID, ITEM_MESSAGE, ITEM_END = (bytes([byte]) for byte in (0x0B, 0x10, 0x1A, 0x0C))


def is_set(message):
    return message.GetOptions().message_set_wire_format


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def overlong(value, size):
    """The value as a varint with more bytes than necessary."""
    plain = varint(value)
    if len(plain) >= size:
        return plain
    return plain[:-1] + bytes([plain[-1] | 0x80]) + b"\x80" * (size - len(plain) - 1) + b"\0"


def tag(number, wire_type):
    return varint(number << 3 | wire_type)


def prefixed(content):
    return varint(len(content)) + content


INTERESTING = [0, 1, 2, 3, 63, 64, 127, 128, 255, 300, 16383, 16384, (1 << 21) - 1, (1 << 28),
               (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 32, (1 << 32) + 1, (1 << 35), (1 << 53),
               (1 << 53) + 1, (1 << 63) - 1, 1 << 63, (1 << 64) - 1, (1 << 64) - 2, -5, -128,
               -(1 << 31), -(1 << 31) - 1, -(1 << 32)]
VARINTS = [varint(value) for value in INTERESTING] + \
    [overlong(value, size) for value in (0, 1, 5, 300) for size in (2, 5, 9, 10)] + \
    [b"\x80" * 9 + b"\x01", b"\xff" * 9 + b"\x7f", b"\x81" + b"\x80" * 8 + b"\x7e",
     b"\xff" * 4 + b"\x7f", b"\x80\x80\x80\x80\x10"]
BAD_VARINTS = [b"\x80" * 10 + b"\x01", b"\xff" * 10, b"\xff" * 12]
FLOATS = [0.0, -0.0, 1.0, -1.5, 0.1, 1e10, 1e21, 1e22, 1e-7, 5e-324, 2.2250738585072014e-308,
          1.7976931348623157e308, 3.4028234663852886e38, 1e-45, 1.1754943508222875e-38,
          16777216.0, 9007199254740993.0, 123456789.0, float("inf"), float("-inf"), float("nan")]
FIXED64S = [struct.pack("<d", value) for value in FLOATS] + \
    [struct.pack("<Q", value & (1 << 64) - 1) for value in INTERESTING]
FIXED32S = [struct.pack("<f", min(max(value, -3.4028234e38), 3.4028234e38)
                        if abs(value) != float("inf") else value) for value in FLOATS] + \
    [struct.pack("<I", value & (1 << 32) - 1) for value in INTERESTING]
TEXTS = [text.encode() for text in
         ("", "a", "text", "\0", "a\0b", "\"\\/\b\f\n\r\t\x7f", "\u00e9", "\u20ac", "\U0001f600",
          "\ufeff", "\uffff", "\u2028", "snake_case.path", "x" * 130)]
BAD_TEXTS = [b"\xff", b"a\xc3", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\x80abc"]


class Generator:
    """Makes messages of the types of a pool."""

    def __init__(self, rng, pool, names):
        self.rng = rng
        self.pool = pool
        self.names = names  # names of messages that an Any may contain
        self.fields = {}
        self.sets = {name for name in names if is_set(pool.FindMessageTypeByName(name))}
        self.fixed64s = FIXED64S + [rng.randbytes(8) for _ in range(30)]
        self.fixed32s = FIXED32S + [rng.randbytes(4) for _ in range(30)]
        self.varints = VARINTS + [varint(rng.getrandbits(rng.randrange(1, 65)))
                                  for _ in range(30)]
        self.enums = {}
        self.special = {
            "google.protobuf.Timestamp": self.timestamp,
            "google.protobuf.Duration": self.duration,
            "google.protobuf.FieldMask": self.field_mask,
            "google.protobuf.Any": self.any,
            "google.protobuf.Struct": self.struct,
        }

    def fields_of(self, message):
        """All fields of a message type including extensions, and the required ones."""
        found = self.fields.get(message.full_name)
        if found is None:
            fields = list(message.fields)
            if message.is_extendable:
                fields += self.pool.FindAllExtensions(message)
            fields.sort(key=lambda field: field.number)
            required = [field for field in fields if field.label == F.LABEL_REQUIRED]
            found = self.fields[message.full_name] = (fields, required)
        return found

    # --- one value ------------------------------------------------------------------------------

    def enum_number(self, field):
        numbers = self.enums.get(field.enum_type.full_name)
        if numbers is None:
            known = [value.number for value in field.enum_type.values]
            numbers = [varint(number) for number in known * 4] + \
                [varint(known[0] + (1 << 32)), varint(99), varint(-77), varint(1 << 40)]
            self.enums[field.enum_type.full_name] = numbers
        return self.rng.choice(numbers)

    def text(self, checked):
        # Strings that are not UTF-8 are rare if the receiver validates them.
        if self.rng.random() < (0.004 if checked else 0.02):
            return self.rng.choice(BAD_TEXTS)
        return self.rng.choice(TEXTS)

    def value(self, field, levels):
        """The bytes after the tag. For a group they include its end tag."""
        kind = field.type
        if kind == F.TYPE_MESSAGE:
            return prefixed(self.message(field.message_type, levels - 1))
        if kind == F.TYPE_GROUP:
            return self.message(field.message_type, levels - 1) + tag(field.number, GROUP_END)
        if kind == F.TYPE_STRING:
            return prefixed(self.text(field.file.syntax == "proto3"))
        if kind == F.TYPE_BYTES:
            if self.rng.random() < 0.5:
                return prefixed(self.rng.choice(TEXTS))
            return prefixed(self.rng.randbytes(self.rng.randrange(20)))
        if kind == F.TYPE_ENUM:
            return self.enum_number(field)
        return self.number(WIRE_TYPES.get(kind, VARINT))

    def number(self, wire_type):
        if wire_type == FIXED64:
            return self.rng.choice(self.fixed64s)
        if wire_type == FIXED32:
            return self.rng.choice(self.fixed32s)
        return self.rng.choice(self.varints)

    # --- fields ---------------------------------------------------------------------------------

    def unknown(self, number, levels, not_as=None):
        """A field of a random wire type, but not of `not_as`."""
        wire_type = self.rng.choice([kind for kind in (VARINT, FIXED64, LENGTH, GROUP_START,
                                                       FIXED32) if kind != not_as])
        head = tag(number, wire_type)
        if wire_type == LENGTH:
            return head + prefixed(self.rng.randbytes(self.rng.randrange(9)))
        if wire_type == GROUP_START:
            inside = b"".join(self.unknown(self.rng.randrange(1, 40), levels - 1)
                              for _ in range(self.rng.randrange(3))) if levels > 0 else b""
            return head + inside + tag(number, GROUP_END)
        return head + self.number(wire_type)

    def field(self, field, levels):
        """A field, once or (where it is repeated) a few times."""
        wire_type = WIRE_TYPES.get(field.type, VARINT)
        if field.number > NUMBER_MAX:  # a field of a message set, which has no tag
            return self.item(field.number, self.message(field.message_type, levels - 1))
        if self.rng.random() < 0.02:
            return self.unknown(field.number, 1, wire_type)
        if field.label != F.LABEL_REPEATED:
            return tag(field.number, wire_type) + self.value(field, levels)
        count = self.rng.randrange(4)
        if wire_type not in (LENGTH, GROUP_START) and self.rng.random() < 0.5:
            return tag(field.number, LENGTH) + \
                prefixed(b"".join(self.value(field, levels) for _ in range(count)))
        return b"".join(tag(field.number, wire_type) + self.value(field, levels)
                        for _ in range(count))

    def chunks(self, message, levels):
        """The fields of a message in any order, some of them more than once."""
        fields, required = self.fields_of(message)
        chunks = [self.field(field, levels) for field in required if self.rng.random() < 0.99]
        if fields:
            most = 12 if levels > 3 else max(levels, 0) + 1
            for _ in range(self.rng.randrange(most)):
                field = self.rng.choice(fields)
                if levels > 0 or field.message_type is None:
                    chunks.append(self.field(field, levels))
        while self.rng.random() < 0.06:
            chunks.append(self.unknown(self.rng.choice((3, 77, 4999, 1 << 20, (1 << 29) - 1)), 2))
        return chunks

    # --- message sets ---------------------------------------------------------------------------

    @staticmethod
    def item(number, content):
        return ITEM + ITEM_ID + varint(number) + ITEM_MESSAGE + prefixed(content) + ITEM_END

    def odd_item(self, number, content):
        """A valid or invalid item, with parts in any order and number."""
        what = self.rng.random()
        parts = [ITEM_ID + varint(number), ITEM_MESSAGE + prefixed(content)]
        if what < 0.5:
            return ITEM + parts[1] + parts[0] + ITEM_END
        if what < 0.6:
            return overlong(ITEM[0], 3) + b"".join(parts) + overlong(ITEM_END[0], 2)
        parts += [ITEM_ID + varint(self.rng.choice((number, 99, 77 << 24, (1 << 32) + number, -1))),
                  ITEM_MESSAGE + prefixed(self.rng.choice((content, b"", b"\xff"))),
                  overlong(ITEM_ID[0], 2) + varint(number), overlong(ITEM_MESSAGE[0], 2) + b"\0",
                  self.unknown(self.rng.choice((1, 2, 3, 77)), 2), ITEM_ID + b"\0"]
        self.rng.shuffle(parts)
        return ITEM + b"".join(parts[:self.rng.randrange(6)]) + ITEM_END

    def item_of(self, field, levels):
        """A field of a message set, as a valid item or in another form."""
        what = self.rng.random()
        if what < 0.1:
            return self.field(field, levels)
        content = self.message(field.message_type, levels - 1)
        return self.odd_item(field.number, content) if what < 0.4 else \
            self.item(field.number, content)

    def message_set(self, message, levels):
        fields, _ = self.fields_of(message)
        chunks = [self.item_of(self.rng.choice(fields), levels)
                  for _ in range(self.rng.randrange(4) if levels > 0 else 0)]
        if self.rng.random() < 0.1:
            chunks.append(self.item(self.rng.choice((99, 1 << 28, (1 << 32) - 1)), b"\x08\x01"))
        if self.rng.random() < 0.1:
            chunks.append(self.unknown(self.rng.choice((1, 2, 3, 77)), 2))
        self.rng.shuffle(chunks)
        return b"".join(chunks)

    def message(self, message, levels):
        if message.full_name in self.sets:
            return self.message_set(message, levels)
        special = self.special.get(message.full_name)
        if special is not None and self.rng.random() < 0.97:
            return special(levels)
        return b"".join(self.chunks(message, levels))

    # --- protobuf's own types -------------------------------------------------------------------

    def timestamp(self, _):
        seconds = self.rng.choice((0, 1, -1, 1700000000, -62135596800, 253402300799,
                                   self.rng.randrange(-1 << 35, 1 << 37)))
        nanos = self.rng.choice((0, 0, 1, 1000, 1000000, 999999999, 120000000))
        if self.rng.random() < 0.05:
            seconds = self.rng.choice((-62135596801, 253402300800, -1 << 63, (1 << 63) - 1))
        if self.rng.random() < 0.05:
            nanos = self.rng.choice((-1, 1000000000, -1 << 31, (1 << 31) - 1))
        return self.time(seconds, nanos)

    def duration(self, _):
        seconds = self.rng.choice((0, 0, 1, 315576000000, self.rng.randrange(1 << 38)))
        nanos = self.rng.choice((0, 1, 5000, 7000000, 999999999))
        sign = self.rng.choice((1, -1))
        if self.rng.random() < 0.05:
            seconds = self.rng.choice((-sign, 315576000001, (1 << 63) - 1))
        if self.rng.random() < 0.05:
            nanos = self.rng.choice((-1, 1000000000, (1 << 31) - 1))
        return self.time(sign * seconds, sign * nanos)

    def time(self, seconds, nanos):
        out = b"\x08" + varint(seconds) if seconds else b""
        return out + (b"\x10" + varint(nanos) if nanos else b"")

    def field_mask(self, _):
        paths = ("a", "foo_bar", "a.b_c.d", "", "x_1", "Upper", "trailing_", "a__b", "_a", "b,c",
                 "\u00e9")
        return b"".join(b"\x0a" + prefixed(self.rng.choice(paths[:4] * 25 + paths).encode())
                        for _ in range(self.rng.randrange(4)))

    def struct(self, levels):
        """Makes Structs that are mostly well-formed, because random ones rarely are."""
        value = self.pool.FindMessageTypeByName("google.protobuf.Value")
        out = b""
        for _ in range(self.rng.randrange(3) if levels > 0 else 0):
            entry = b"\x0a" + prefixed(self.text(True)) + \
                b"\x12" + prefixed(self.message(value, levels - 2))
            out += b"\x0a" + prefixed(entry)
        return out

    def any(self, levels):
        name = self.rng.choice(self.names)
        url = self.rng.choice(("type.googleapis.com/", "/", "", "a/b/")) + name
        content = b""
        if self.rng.random() < 0.02:
            url = self.rng.choice(("", "/", "no.such/Type", "type.googleapis.com/no.Such",
                                   f"/{name}\0", f"/{name}\0 and more", f"/{name}."))
        if levels > 0:
            content = self.message(self.pool.FindMessageTypeByName(name), levels - 1)
        if self.rng.random() < 0.02:
            content += b"\xff"
        return b"\x0a" + prefixed(url.encode()) + (b"\x12" + prefixed(content) if content else b"")

    # --- towers ---------------------------------------------------------------------------------

    def wrap(self, root, content):
        """Puts the message into another one of its type. Returns it, and the number of levels
        that this added."""
        ways = [field for field in self.fields_of(root)[0] if self.leads_back(root, field)]
        field = self.rng.choice(ways)
        if field.message_type.full_name in self.sets:
            return self.wrap_in_set(root, field, content)
        if field.message_type is not root:
            key, value = field.message_type.fields_by_number[1], 2
            entry = tag(key.number, WIRE_TYPES.get(key.type, VARINT)) + self.value(key, 0) + \
                tag(value, LENGTH) + prefixed(content)
            return tag(field.number, LENGTH) + prefixed(entry), 2
        if field.type == F.TYPE_GROUP:
            return tag(field.number, GROUP_START) + content + tag(field.number, GROUP_END), 1
        return tag(field.number, LENGTH) + prefixed(content), 1

    def wrap_in_set(self, root, field, content):
        number = self.rng.choice([item.number for item in self.fields_of(field.message_type)[0]
                                  if item.message_type is root])
        what = self.rng.random()
        if what < 0.6:
            item, taken = self.item(number, content), 3
        elif what < 0.8 or number > NUMBER_MAX:
            item = ITEM + ITEM_MESSAGE + prefixed(content) + ITEM_ID + varint(number) + ITEM_END
            taken = 2
        else:
            item, taken = tag(number, LENGTH) + prefixed(content), 2
        return tag(field.number, LENGTH) + prefixed(item), taken

    def leads_back(self, root, field):
        if field.message_type is root:
            return True
        entry = field.message_type
        if entry is not None and entry.full_name in self.sets:
            return any(item.message_type is root for item in self.fields_of(entry)[0])
        return entry is not None and entry.GetOptions().map_entry and \
            entry.fields_by_number[2].message_type is root

    def tower(self, root, content):
        """A message with about the allowed number of levels."""
        levels = self.rng.randrange(94, 105)
        _, required = self.fields_of(root)
        beside = [] if self.rng.random() < 0.1 else required
        while levels > 0:
            content, taken = self.wrap(root, content)
            content += b"".join(self.field(field, 0) for field in beside)
            levels -= taken
        return content

    def unknown_tower(self):
        levels = self.rng.randrange(96, 106)
        numbers = [self.rng.randrange(7000, 7003) for _ in range(levels)]
        out = b"".join(tag(number, GROUP_START) for number in numbers) + \
            b"".join(tag(number, GROUP_END) for number in reversed(numbers))
        return out if self.rng.random() < 0.8 else out[:-2]

    # --- damage -----------------------------------------------------------------------------------

    def damage(self, data):
        """Changes bytes without regard to their meaning."""
        data = bytearray(data)
        for _ in range(self.rng.choice((1, 1, 1, 2, 3))):
            at = self.rng.randrange(len(data) + 1)
            what = self.rng.randrange(7)
            if what == 0 and data:
                data[at % len(data)] ^= 1 << self.rng.randrange(8)
            elif what == 1:
                del data[at:]
            elif what == 2:
                data[at:at + 1] = b""
            elif what == 3:
                data[at:at] = self.rng.randbytes(self.rng.randrange(1, 4))
            elif what == 4 and data:
                data[at % len(data)] = self.rng.choice((0, 1, 0x7F, 0x80, 0xFF, 3, 4, 6, 7))
            elif what == 5:
                data[at:at] = self.rng.choice(BAD_VARINTS + self.varints)
            else:
                start = self.rng.randrange(len(data) + 1)
                data[at:at] = data[start:start + self.rng.randrange(12)]
        return bytes(data)

    def odd_chunk(self, fields):
        """Bytes for the end of a field that an encoder would not write."""
        number = self.rng.choice(fields).number if fields else 1
        what = self.rng.randrange(8)
        if what == 0:
            return overlong(number << 3, 5) + b"\x01"
        if what == 1:
            return overlong(number << 3, self.rng.randrange(5, 8)) + b"\x01"
        if what == 2:
            return tag(number, LENGTH) + overlong(3, self.rng.randrange(2, 7)) + b"abc"
        if what == 3:
            return tag(number, self.rng.choice((GROUP_START, GROUP_END, 6, 7)))
        if what == 4:
            return self.rng.choice((b"\0", b"\x01", b"\x80\x00", b"\x07")) + b"\x01"
        if what == 5:
            return tag(number, LENGTH) + self.rng.choice((varint(1 << 31), varint(1 << 32),
                                                          varint(-1), varint(1000)))
        if what == 6:
            return varint((number << 3) + (1 << 32)) + b"\x05"
        return self.unknown(number, 2)


def random_messages(rng, pool, root, names):
    """Yields messages without an end: base messages, each followed by its variants."""
    generator = Generator(rng, pool, names)
    fields, _ = generator.fields_of(root)
    other = b""
    while True:
        chunks = generator.chunks(root, 5)
        base = b"".join(chunks)
        yield base
        yield base + other
        mixed = chunks + rng.choices(chunks, k=2) if chunks else [other]
        rng.shuffle(mixed)
        yield b"".join(mixed)
        mixed.insert(rng.randrange(len(mixed) + 1), generator.odd_chunk(fields))
        yield b"".join(mixed)
        yield generator.damage(base)
        yield generator.damage(base)
        yield base + generator.field(rng.choice(fields), 6)
        if rng.random() < 0.2:
            yield generator.tower(root, base if len(base) < 300 else b"")
        if rng.random() < 0.1:
            yield base + generator.unknown_tower()
        other = base
