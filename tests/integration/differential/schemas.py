"""Makes random schemas as descriptor sets, with every type, label and presence that protobuf has,
unusual names, types that nest in themselves, extensions, message sets, and protobuf's own
well-known types."""
from google.protobuf import any_pb2, descriptor_pb2, duration_pb2, empty_pb2, field_mask_pb2
from google.protobuf import struct_pb2, timestamp_pb2, wrappers_pb2

F = descriptor_pb2.FieldDescriptorProto

WELL_KNOWN_FILES = (any_pb2, duration_pb2, empty_pb2, field_mask_pb2, struct_pb2, timestamp_pb2,
                    wrappers_pb2)
WELL_KNOWN = tuple(
    f"google.protobuf.{name}" for name in
    ("Any", "Duration", "Empty", "FieldMask", "ListValue", "Struct", "Timestamp", "Value",
     "BoolValue", "BytesValue", "DoubleValue", "FloatValue", "Int32Value", "Int64Value",
     "StringValue", "UInt32Value", "UInt64Value"))

NUMBERS = (F.TYPE_DOUBLE, F.TYPE_FLOAT, F.TYPE_INT64, F.TYPE_UINT64, F.TYPE_INT32, F.TYPE_FIXED64,
           F.TYPE_FIXED32, F.TYPE_BOOL, F.TYPE_UINT32, F.TYPE_SFIXED32, F.TYPE_SFIXED64,
           F.TYPE_SINT32, F.TYPE_SINT64)
SCALARS = NUMBERS + (F.TYPE_STRING, F.TYPE_BYTES)
PACKABLE = NUMBERS + (F.TYPE_ENUM,)
MAP_KEYS = tuple(kind for kind in SCALARS
                 if kind not in (F.TYPE_DOUBLE, F.TYPE_FLOAT, F.TYPE_BYTES))

INT32_MIN, INT32_MAX = -(1 << 31), (1 << 31) - 1
NUMBER_MAX = (1 << 29) - 1  # of fields
RESERVED = range(19000, 20000)  # field numbers that protobuf keeps
EXTENSIONS = (5000, 6000)  # the range of field numbers in which messages can be extended
SET_NUMBERS = (1, 2, 3, 4, 15, 16, 1023, 1024, 5000, NUMBER_MAX, NUMBER_MAX + 1, INT32_MAX - 1)

NAME_SHAPES = ("plain", "two_words", "camelCase", "Upper", "UPPER_case", "_leading", "trailing_",
               "with__two", "digit_1_x2", "_1", "x_", "X__Y_z")
JSON_NAMES = ("with space", "quote\"d", "back\\slash", "\u00fcml\u00e4ut", "tab\t", "@type",
              "\U0001f680")
PACKAGES = ("", "p", "a.b.c", "Upper.under_score._1")


def is_set(named_message):
    return named_message[1].options.message_set_wire_format


class Schema:
    """A descriptor set under construction."""

    def __init__(self, rng, proto3):
        self.rng = rng
        self.proto3 = proto3
        self.package = rng.choice(PACKAGES)
        self.file = descriptor_pb2.FileDescriptorProto(
            name="random.proto", package=self.package, syntax="proto3" if proto3 else "proto2")
        if not proto3 and rng.random() < 0.3:
            self.file.ClearField("syntax")
        for module in WELL_KNOWN_FILES:
            self.file.dependency.append(module.DESCRIPTOR.name)
        self.count = 0
        self.messages = []  # (full name, DescriptorProto) that fields may refer to
        self.enums = []  # (full name, EnumDescriptorProto)
        self.root = None

    # --- names ----------------------------------------------------------------------------------

    def unique(self, base=None):
        """A name that stays unique in lowerCamelCase and if case is ignored."""
        self.count += 1
        shape = base or self.rng.choice(NAME_SHAPES)
        number = f"n{self.count}"
        return number + shape if shape[0].isdigit() else shape + number

    def qualified(self, outer, name):
        prefix = outer if outer is not None else self.package
        return f"{prefix}.{name}" if prefix else name

    # --- enums ----------------------------------------------------------------------------------

    def add_enum(self, container, outer):
        enum = container.enum_type.add(name=self.unique("Enum"))
        numbers = [0] if self.proto3 or self.rng.random() < 0.4 else []
        pool = (1, 2, 3, 5, 127, 128, -1, -2, -5, 1000, INT32_MAX, INT32_MAX - 1, INT32_MIN)
        numbers += [self.rng.choice(pool) for _ in range(self.rng.randrange(1, 8))]
        if len(set(numbers)) != len(numbers):
            enum.options.allow_alias = True
        for number in numbers:
            enum.value.add(name=self.unique("VALUE_"), number=number)
        self.enums.append((self.qualified(outer, enum.name), enum))

    def begins_with_zero(self, full_name):
        """Returns true if the enum may be the value type of a map."""
        return all(enum.value[0].number == 0 for name, enum in self.enums if name == full_name)

    # --- fields ---------------------------------------------------------------------------------

    def free_number(self, message):
        taken = {field.number for field in message.field}
        while True:
            kind = self.rng.random()
            if kind < 0.7:
                number = self.rng.randrange(1, 3 * len(message.field) + 20)
            elif kind < 0.9:
                number = self.rng.randrange(1000, 1050)  # where tables may end
            else:
                number = self.rng.choice((NUMBER_MAX, self.rng.randrange(1, NUMBER_MAX)))
            if number not in taken and number not in RESERVED and \
                    not EXTENSIONS[0] <= number < EXTENSIONS[1]:
                return number

    def set_type(self, field, container, outer, group_allowed=True):
        """Sets the type of a field. For a group, this is a new message in the same scope."""
        choice = self.rng.random()
        if choice < 0.5:
            field.type = self.rng.choice(SCALARS)
        elif choice < 0.65:
            field.type = F.TYPE_ENUM
            field.type_name = "." + self.rng.choice(self.enums)[0]
        elif choice < 0.8:
            field.type = F.TYPE_MESSAGE
            field.type_name = "." + self.rng.choice(self.messages)[0]
        elif choice < 0.92 or self.proto3 or not group_allowed:
            field.type = F.TYPE_MESSAGE
            field.type_name = "." + self.rng.choice(WELL_KNOWN)
            if self.rng.random() < 0.1:
                field.type = F.TYPE_ENUM
                field.type_name = ".google.protobuf.NullValue"
                if not self.proto3:  # a proto2 field with a proto3 enum is not comparable; see EXCEPTIONS
                    field.type_name = "." + self.rng.choice(self.enums)[0]
        else:
            group = container.nested_type.add() if outer is not None else \
                container.message_type.add()
            group.name = self.unique("Group")
            field.type = F.TYPE_GROUP
            field.type_name = "." + self.qualified(outer, group.name)
            field.name = group.name.lower()
            self.add_fields(group, self.qualified(outer, group.name), self.rng.randrange(0, 5),
                            nested=False)

    def set_options(self, field):
        if field.label == F.LABEL_REPEATED and field.type in PACKABLE and self.rng.random() < 0.5:
            field.options.packed = self.rng.random() < 0.5
        if field.label == F.LABEL_OPTIONAL and not self.proto3 and self.rng.random() < 0.3:
            if field.type in (F.TYPE_INT32, F.TYPE_DOUBLE, F.TYPE_STRING, F.TYPE_SINT64):
                field.default_value = "7"
        if self.rng.random() < 0.1 and not field.extendee:
            field.json_name = self.unique(self.rng.choice(JSON_NAMES))

    def add_field(self, message, outer):
        field = message.field.add(name=self.unique(), number=self.free_number(message))
        self.set_type(field, message, outer)
        label = self.rng.random()
        field.label = F.LABEL_REPEATED if label < 0.4 else F.LABEL_OPTIONAL
        if label > 0.93 and not self.proto3 and field.type not in (F.TYPE_MESSAGE, F.TYPE_GROUP):
            field.label = F.LABEL_REQUIRED
        self.set_options(field)
        return field

    def add_map(self, message, outer, value_type=None):
        field = message.field.add(name=self.unique(), number=self.free_number(message))
        field.label = F.LABEL_REPEATED
        field.type = F.TYPE_MESSAGE
        camel = "".join(part[:1].upper() + part[1:] for part in field.name.split("_"))
        entry = message.nested_type.add(name=camel + "Entry")
        field.type_name = "." + self.qualified(outer, entry.name)
        entry.options.map_entry = True
        key = entry.field.add(name="key", number=1, label=F.LABEL_OPTIONAL)
        key.type = self.rng.choice(MAP_KEYS)
        value = entry.field.add(name="value", number=2, label=F.LABEL_OPTIONAL)
        if value_type is None:
            self.set_type(value, entry, None, group_allowed=False)
            if value.type == F.TYPE_ENUM and not self.begins_with_zero(value.type_name[1:]):
                value.type = F.TYPE_SINT32
                value.ClearField("type_name")
        else:
            value.type, value.type_name = F.TYPE_MESSAGE, value_type

    def add_oneof(self, message, outer):
        index = len(message.oneof_decl)
        message.oneof_decl.add(name=self.unique("oneof"))
        for _ in range(self.rng.randrange(1, 6)):
            field = message.field.add(name=self.unique(), number=self.free_number(message),
                                      label=F.LABEL_OPTIONAL, oneof_index=index)
            self.set_type(field, message, outer)
            self.set_options(field)

    def add_fields(self, message, full_name, count, nested=True):
        for _ in range(count):
            choice = self.rng.random()
            if choice < 0.8:
                self.add_field(message, full_name)
            elif choice < 0.9:
                self.add_map(message, full_name)
            elif nested:
                self.add_oneof(message, full_name)
        if self.proto3:
            self.make_some_optional(message)

    def make_some_optional(self, message):
        """Makes fields proto3-"optional": each gets its own oneof, after the other ones."""
        for field in message.field:
            if field.label == F.LABEL_OPTIONAL and not field.HasField("oneof_index") and \
                    self.rng.random() < 0.25:
                field.proto3_optional = True
                field.oneof_index = len(message.oneof_decl)
                message.oneof_decl.add(name=f"_{field.name}")

    # --- messages -------------------------------------------------------------------------------

    def declare(self, container, outer, depth):
        """Names all messages and enums first, so that fields can refer to any of them."""
        message = (container.message_type if outer is None else container.nested_type).add()
        message.name = self.unique("Message")
        full_name = self.qualified(outer, message.name)
        self.messages.append((full_name, message))
        if self.rng.random() < 0.3:
            self.add_enum(message, full_name)
        if depth < 2 and self.rng.random() < 0.4:
            self.declare(message, full_name, depth + 1)
        if not self.proto3 and self.rng.random() < 0.6:
            message.extension_range.add(start=EXTENSIONS[0], end=EXTENSIONS[1])

    def declare_set(self):
        """A message set. It has only extensions, as items."""
        message = self.file.message_type.add(name=self.unique("Set"))
        message.options.message_set_wire_format = True
        message.extension_range.add(start=1, end=INT32_MAX)
        self.messages.append((self.qualified(None, message.name), message))

    def add_every_kind(self, message, full_name):
        """Adds each kind of number and text, once and repeated, so that each schema has all."""
        for kind in SCALARS:
            for label in (F.LABEL_OPTIONAL, F.LABEL_REPEATED):
                field = message.field.add(name=self.unique(), number=self.free_number(message),
                                          label=label, type=kind)
                self.set_options(field)

    def add_ways_back(self, message, full_name):
        """Adds fields through which the message nests in itself."""
        own = "." + full_name
        for label in (F.LABEL_OPTIONAL, F.LABEL_REPEATED):
            message.field.add(name=self.unique(), number=self.free_number(message), label=label,
                              type=F.TYPE_MESSAGE, type_name=own)
        if not self.proto3:  # the text format expects the lower-case name of a group's type
            label = self.rng.choice((F.LABEL_OPTIONAL, F.LABEL_REPEATED))
            message.field.add(name=message.name.lower(), number=self.free_number(message),
                              label=label, type=F.TYPE_GROUP, type_name=own)
            for name, _ in filter(is_set, self.messages):
                message.field.add(name=self.unique(), number=self.free_number(message),
                                  label=label, type=F.TYPE_MESSAGE, type_name="." + name)
        self.add_map(message, full_name, own)
        index = len(message.oneof_decl)
        message.oneof_decl.add(name=self.unique("oneof"))
        for type_name in (own, ".google.protobuf.Any"):
            message.field.add(name=self.unique(), number=self.free_number(message),
                              label=F.LABEL_OPTIONAL, type=F.TYPE_MESSAGE, type_name=type_name,
                              oneof_index=index)

    def add_extensions(self):
        extended = [(name, message) for name, message in self.messages
                    if message.extension_range and not is_set((name, message))]
        for name, _ in extended:
            numbers = self.rng.sample(range(*EXTENSIONS), self.rng.randrange(0, 7))
            for number in numbers:
                outer, scope = self.rng.choice(self.messages + [(None, self.file)])
                field = scope.extension.add(name=self.unique("ext"), number=number,
                                            extendee="." + name)
                self.set_type(field, scope, outer)
                field.label = self.rng.choice((F.LABEL_OPTIONAL, F.LABEL_REPEATED))
                self.set_options(field)
        for name, _ in filter(is_set, self.messages):
            self.add_items(name)

    def add_items(self, set_name):
        """Adds the extensions of a message set. Through one of them the root nests in itself."""
        types = [self.messages[0][0]] + [name for name, _ in self.messages] + list(WELL_KNOWN)
        for index, number in enumerate(self.rng.sample(SET_NUMBERS, self.rng.randrange(1, 6))):
            _, scope = self.rng.choice(self.messages + [(None, self.file)])
            scope.extension.add(name=self.unique("item"), number=number, extendee="." + set_name,
                                label=F.LABEL_OPTIONAL, type=F.TYPE_MESSAGE,
                                type_name="." + (self.rng.choice(types) if index else types[0]))

    def build(self):
        for _ in range(self.rng.randrange(1, 3)):
            self.add_enum(self.file, None)
        for _ in range(self.rng.randrange(3, 7)):
            self.declare(self.file, None, 0)
        for _ in range(0 if self.proto3 else self.rng.randrange(1, 3)):
            self.declare_set()
        name, root = self.messages[0]
        if self.rng.random() < 0.5:
            self.add_every_kind(root, name)
        self.add_ways_back(root, name)
        for full_name, message in list(self.messages):
            few = self.rng.random() < 0.2
            if not is_set((full_name, message)):
                self.add_fields(message, full_name, self.rng.randrange(0, 3 if few else 14))
        if not self.proto3:
            self.add_extensions()
        self.root = name

    def files(self):
        """The descriptor set's files, imports first."""
        found = [descriptor_pb2.FileDescriptorProto.FromString(module.DESCRIPTOR.serialized_pb)
                 for module in WELL_KNOWN_FILES]
        return found + [self.file]


def random_schema(rng, proto3):
    schema = Schema(rng, proto3)
    schema.build()
    return schema


def without_maps_and_oneofs(schema):
    """The schema's files without oneofs, with maps as lists of plain messages, and with numbers in
    place of closed enums. Also, for each such message, the numbers of its enum, or None."""
    files = []
    enums = {"." + name: {value.number for value in enum.value} for name, enum in schema.enums}
    entries = {}

    def change(message, outer, closed):
        full_name = f"{outer}.{message.name}" if outer else message.name
        for nested in message.nested_type:
            change(nested, full_name, closed)
        del message.oneof_decl[:]
        for field in message.field:
            field.ClearField("oneof_index")
            field.ClearField("proto3_optional")
        if not message.options.map_entry:
            return
        message.options.map_entry = False
        value = message.field[1]
        entries[full_name] = None
        if value.type == F.TYPE_ENUM and closed:
            entries[full_name] = enums[value.type_name]
            value.type = F.TYPE_INT32
            value.ClearField("type_name")

    for file in schema.files():
        copy = descriptor_pb2.FileDescriptorProto()
        copy.CopyFrom(file)
        for message in copy.message_type:
            change(message, copy.package, copy.syntax != "proto3")
        files.append(copy)
    return files, entries
