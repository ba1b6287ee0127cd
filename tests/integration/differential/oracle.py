"""Computes the expected results with Google's Python runtime. Corrects the cases in which it is
wrong."""
import collections
import math
import struct
import warnings

from google.protobuf import descriptor_pool, json_format, message_factory
from google.protobuf.descriptor import FieldDescriptor as F
from google.protobuf.message import DecodeError

from messages import GROUP_START, LENGTH, is_set
from schemas import without_maps_and_oneofs

# Exceptions from the oracle, with their reasons. The test counts the use of each one with
# Oracle.apply, by its name.
EXCEPTIONS = {
    "required": "Python parses a message that lacks a required field. Such a message is malformed: "
                "IsInitialized() is asked, once all is merged.",
    "leftover": "Python only warns of bytes that it left behind a stray end-group tag. That is a "
                "refusal.",
    "map read late": "Python's dynamic messages hold all entries of a map until somebody looks at "
                     "it, and say by them whether it is initialized. All maps are looked at first.",
    "proto2 text": "Python gives a proto2 string that is not UTF-8 as bytes. Such messages are not "
                   "compared as JSON (ours has U+FFFD there). Of a map Python cannot even look up "
                   "such a key: if there are messages behind it, nothing is compared.",
    "closed in map": "Python's dynamic messages keep a map's entry whose value its closed enum does "
                     "not have, with the enum's first value. The specification and generated code "
                     "make the whole entry an unknown field. Only the verdict is compared.",
    "unknown in map": "Google's runtimes drop unknown fields of a map's entry, ours keeps them. "
                      "protoc, which shows them, is not asked.",
    "wide enum": "Python keeps an unknown value of a closed enum with its 64 bits where it came "
                 "packed, and with 32 where it did not. It is compared after Python has read its "
                 "own bytes again.",
    "deepest": "A message that a map's entry leaves out is written as an empty one, which at the "
               "hundredth level is one too deep; and so may be an item of a message set, which "
               "takes a level less if its message comes before its number, or is a field. "
               "Python cannot read its own bytes then either.",
    "item 0": "Python accepts an item of the number 0 if its message comes before the number, "
              "but refuses it if the number is first, as it is in the bytes that Python writes. "
              "Ours refuses both.",
    "unknown in set": "Google's runtimes write no unknown field of a message set that has no "
                      "length, ours keeps it. protoc, which shows them, is not asked.",
    "repeated extension": "Python names a repeated extension by its json_name. The specification "
                          "says \"[full.name]\", as Python has it for all others.",
    "32-bit float": "Python's shortest decimal of a float need not be ours. Both must round to it.",
    "Value": "Python writes a Value of NaN or infinity as a string. The specification refuses it.",
    "Timestamp": "Python carries nanos out of their range into the seconds. The specification has "
                 "them from 0 to 999,999,999.",
    "FieldMask": "Python joins a path that has a comma, which would read back as two.",
    "Any incomplete": "Python writes the content of an Any that lacks a required field.",
    "Any depth": "Python counts the levels in an Any from 0. Here the limit is 100 in total.",
    "proto3 enum in proto2": "C++ treats an open enum as closed if a proto2 file uses it. The "
                             "schemas do not contain any.",
}

# ParseFromString warns if bytes are left over. An exception instead of the warning would be lost
# inside ParseFromString.
LEFTOVERS = []
warnings.simplefilter("always", RuntimeWarning)
warnings.showwarning = lambda *details, **_: LEFTOVERS.append(details)


class NoForm(Exception):
    """The message has a value that has no JSON form."""


class NotText(Exception):
    """The message has a proto2 string that is not UTF-8."""


class Float32(float):
    """Compares equal to each float of 32 bits that rounds to it."""

    def __eq__(self, other):
        return abs(other) < 3.4028236e38 and \
            struct.pack("<f", other) == struct.pack("<f", self)

    __hash__ = float.__hash__


class Printer(json_format._Printer):
    """Python's JSON mapping, with the exceptions."""

    def __init__(self, oracle, **options):
        super().__init__(**options)
        self.oracle = oracle

    def refuse(self, exception):
        self.oracle.apply(exception)
        raise NoForm(exception)

    def _RegularMessageToJsonObject(self, message, js):
        js = super()._RegularMessageToJsonObject(message, js)
        if message.DESCRIPTOR.is_extendable:
            for field, _ in message.ListFields():
                if field.is_extension and field.label == F.LABEL_REPEATED:
                    self.oracle.apply("repeated extension")
                    name = field.name if self.preserving_proto_field_name else field.json_name
                    js[f"[{field.full_name}]"] = js.pop(name)
        return js

    def _FieldToJsonObject(self, field, value):
        if field.cpp_type == F.CPPTYPE_STRING:
            if field.type == F.TYPE_STRING:
                if isinstance(value, bytes):
                    self.oracle.apply("proto2 text")
                    raise NotText
                return value
        elif field.cpp_type == F.CPPTYPE_FLOAT and math.isfinite(value):
            self.oracle.apply("32-bit float")
            return Float32(value)
        return super()._FieldToJsonObject(field, value)

    def _ValueMessageToJsonObject(self, message):
        if message.WhichOneof("kind") == "number_value" and not math.isfinite(message.number_value):
            self.refuse("Value")
        return super()._ValueMessageToJsonObject(message)

    def _GenericMessageToJsonObject(self, message):
        name = message.DESCRIPTOR.name
        if name == "Timestamp" and not 0 <= message.nanos <= 999999999:
            self.refuse("Timestamp")
        if name == "FieldMask" and any("," in path for path in message.paths):
            self.refuse("FieldMask")
        return super()._GenericMessageToJsonObject(message)

    def _AnyMessageToJsonObject(self, message):
        if message.type_url:
            content = self.oracle.create_from_url(message.type_url)
            if not self.oracle.parse_into(content, message.value):
                self.refuse("Any incomplete")
            if self.oracle.has_item_0(message.value, content.DESCRIPTOR.full_name):
                self.refuse("item 0")
        return super()._AnyMessageToJsonObject(message)


def make_classes(factory, message_types):
    """Creates the classes of all types, because Python ignores extensions of a type without a
    class."""
    for message_type in message_types.values():
        factory.GetPrototype(message_type)
        make_classes(factory, message_type.nested_types_by_name)


def unknown_depth(fields):
    return max((1 + unknown_depth(field.data) for field in fields
                if field.wire_type == GROUP_START), default=0)


def parts_of(field, value):
    """The messages in a field (for a map: its values)."""
    if json_format._IsMapEntry(field):
        return [value[key] for key in value if not isinstance(key, bytes)]  # "proto2 text"
    return value if field.label == F.LABEL_REPEATED else [value]


def is_plain_map(field):
    return json_format._IsMapEntry(field) and \
        field.message_type.fields_by_number[2].message_type is None


class Oracle:
    """Google's runtime with the types of a schema."""

    def __init__(self, schema):
        self.schema = schema
        self.applied = collections.Counter()  # exceptions
        self.with_maps = {}
        self.twin = None
        self.sealed = self.lacks_required = False  # of the last message parsed
        self.pool = descriptor_pool.DescriptorPool()
        self.factory = message_factory.MessageFactory(self.pool)
        for file in schema.files():
            self.pool.Add(file)
            make_classes(self.factory, self.pool.FindFileByName(file.name).message_types_by_name)
        self.root = self.pool.FindMessageTypeByName(schema.root)
        self.message_class = self.factory.GetPrototype(self.root)
        self.printers = [Printer(self, preserving_proto_field_name=names, descriptor_pool=self.pool)
                         for names in (False, True)]

    def apply(self, exception):
        assert exception in EXCEPTIONS
        self.applied[exception] += 1

    def create_from_url(self, type_url, _=None):
        name = type_url.split("/")[-1]
        return self.factory.GetPrototype(self.pool.FindMessageTypeByName(name))()

    # --- parsing --------------------------------------------------------------------------------

    def parse(self, data):
        """The message, or None if it is refused."""
        message = self.message_class()
        return message if self.parse_into(message, data) else None

    def parse_into(self, message, data):
        """Parses into the empty message. Returns True if the bytes are a valid message. Sets
        `sealed` if the message has a map that Python cannot read."""
        self.sealed = self.lacks_required = False
        LEFTOVERS.clear()
        try:
            message.ParseFromString(data)
        except DecodeError:
            return False
        if LEFTOVERS:
            self.apply("leftover")
            return False
        self.settle(message)
        if not message.IsInitialized():
            self.apply("required")
            self.lacks_required = True
        return not self.lacks_required

    def may_have_maps(self, message_type):
        """Returns true if messages of the type may contain a map at any depth."""
        name = message_type.full_name
        if name not in self.with_maps:
            # True during the recursion, and for most types afterwards.
            self.with_maps[name] = True
            fields = list(message_type.fields)
            if message_type.is_extendable:
                fields += self.pool.FindAllExtensions(message_type)
            self.with_maps[name] = any(
                field.message_type is not None and (
                    json_format._IsMapEntry(field) or self.may_have_maps(field.message_type))
                for field in fields)
        return self.with_maps[name]

    def settle(self, message):
        """Reads all maps now ("map read late")."""
        for field, value in message.ListFields():
            if field.message_type is None:
                continue
            if json_format._IsMapEntry(field):
                value_type = field.message_type.fields_by_number[2].message_type
                if len(value) != 0 and value_type is not None and self.may_have_maps(value_type):
                    for key in value:
                        if isinstance(key, bytes):
                            self.apply("proto2 text")
                            self.sealed = True
                        else:
                            self.settle(value[key])
            elif self.may_have_maps(field.message_type):
                for part in parts_of(field, value):
                    self.settle(part)

    def parse_again(self, message):
        """Python's result of reading its own output for the message ("deepest", "wide enum")."""
        return self.parse(message.SerializeToString(deterministic=True))

    # --- when exceptions apply --------------------------------------------------------------------

    def has_closed_map(self, data):
        """Returns true if a map has a value that its closed enum does not have ("closed in
        map")."""
        return self.finds_entry(data, lambda entry, numbers: numbers is not None and
                                entry.value not in numbers)

    def has_unknown_in_map(self, data):
        """Returns true if an entry of a map has fields that no entry has ("unknown in map")."""
        return self.finds_entry(data, lambda entry, _: len(entry.UnknownFields()) != 0)

    def has_item_0(self, data, name=None):
        """Returns true if a message set has an item with number 0 ("item 0"). `data` is a message
        of the type `name`."""
        return self.finds_in_sets(data, lambda unknown: unknown.field_number == 0, name)

    def has_unknown_in_set(self, data):
        """Returns true if a message set has unknown fields without a length ("unknown in set")."""
        return self.finds_in_sets(data, lambda unknown: unknown.wire_type != LENGTH)

    def finds_entry(self, data, wanted):
        entries = self.get_twin().entries
        return self.twin.finds(self.schema.root, data, lambda message: (
            message.DESCRIPTOR.full_name in entries and
            wanted(message, entries[message.DESCRIPTOR.full_name])))

    def finds_in_sets(self, data, wanted, name=None):
        """Returns true if a message set has an unknown field for which `wanted` is true."""
        return not self.schema.proto3 and self.get_twin().finds(
            name or self.schema.root, data, lambda message: (
                is_set(message.DESCRIPTOR) and any(map(wanted, message.UnknownFields()))))

    def get_twin(self):
        if self.twin is None:
            self.twin = Twin(self.schema)
        return self.twin

    def depth(self, message):
        """The number of levels below the message, including those in the content of an Any ("Any
        depth")."""
        deepest = unknown_depth(message.UnknownFields())
        if message.DESCRIPTOR.full_name == "google.protobuf.Any" and message.type_url:
            try:
                content = self.create_from_url(message.type_url)
                content.ParseFromString(message.value)
                deepest = 1 + self.depth(content)
            except (KeyError, DecodeError):
                pass  # it has no content that could be deep
        for field, value in message.ListFields():
            if field.message_type is None:
                continue
            below = 1 + json_format._IsMapEntry(field) + is_set(message.DESCRIPTOR)
            if not is_plain_map(field):
                below += max(map(self.depth, parts_of(field, value)), default=0)
            deepest = max(deepest, below)
        return deepest

    def suits_protoc(self, data):
        """Returns true if no exception applies to the message, even one level deeper."""
        message = self.parse(data)
        if message is None or self.sealed or self.has_closed_map(data) or \
                self.has_item_0(data) or self.depth(message) > 98:
            return False
        if self.has_unknown_in_map(data):
            self.apply("unknown in map")
            return False
        if self.has_unknown_in_set(data):
            self.apply("unknown in set")
            return False
        again = self.parse_again(message)
        return again is not None and again.SerializeToString(deterministic=True) == \
            message.SerializeToString(deterministic=True)

    # --- JSON -----------------------------------------------------------------------------------

    def json(self, message, proto_names):
        """The message's JSON as an object. Raises NoForm or NotText."""
        json_format._CreateMessageFromTypeUrl = self.create_from_url
        try:
            return self.printers[proto_names]._MessageToJsonObject(message)
        except (ValueError, OverflowError, TypeError, json_format.Error, DecodeError,
                KeyError) as error:
            if "isn't valid UTF-8" in str(error):  # the key of a map
                self.apply("proto2 text")
                raise NotText from None
            raise NoForm from error


class Twin:
    """The types of a set, but with maps as lists of plain messages and without oneofs, so that all
    sent fields are visible."""

    def __init__(self, schema):
        self.pool = descriptor_pool.DescriptorPool()
        self.factory = message_factory.MessageFactory(self.pool)
        files, self.entries = without_maps_and_oneofs(schema)
        for file in files:
            self.pool.Add(file)
            make_classes(self.factory, self.pool.FindFileByName(file.name).message_types_by_name)

    def finds(self, name, data, wanted):
        """Returns true if `data`, a message of the type `name`, contains a message for which
        `wanted` is true."""
        try:
            message = self.factory.GetPrototype(self.pool.FindMessageTypeByName(name))()
            message.ParseFromString(data)
        except (KeyError, DecodeError):  # an Any may contain any bytes
            return False
        return self.finds_in(message, wanted)

    def finds_in(self, message, wanted):
        if wanted(message):
            return True
        if message.DESCRIPTOR.full_name == "google.protobuf.Any" and \
                self.finds(message.type_url.split("/")[-1], message.value, wanted):
            return True
        for field, value in message.ListFields():
            if field.message_type is not None and any(
                    self.finds_in(part, wanted) for part in parts_of(field, value)):
                return True
        return False
