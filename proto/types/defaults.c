/*
 * Sets the defaults of fields, which a .proto file of proto2 or an edition can have. In
 * protobuf-c's structures, an absent field has its default as its value. descriptor.proto defines
 * the text format (FieldDescriptorProto.default_value).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collector/text/digit.h"
#include "proto/types/loader.h"

static bool is_improper(struct loader *loader, const struct field_source *source, const char *text)
{
    return loader_refuse(loader, "\"%s\" has an invalid default: \"%s\"", source->name, text);
}

/* --- numbers ---------------------------------------------------------------------------------- */

/* Reads a whole number from 0 to `most`. strtoull would also take "-1" and " -1". */
static bool read_unsigned(const char *text, uint64_t most, uint64_t *bits)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    *bits = value;
    return end != text && *end == '\0' && errno == 0 && is_digit(*text) && value <= most;
}

static bool read_signed(const char *text, int64_t least, int64_t most, uint64_t *bits)
{
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    *bits = (uint64_t)value;
    return end != text && *end == '\0' && errno == 0 && value >= least && value <= most;
}

/*
 * Reads a number of the field's kind, as the bits that the field has in memory. Refuses whole
 * numbers outside of the kind's range. A fraction outside of it becomes infinite or 0, as in
 * protobuf's C++ library. The program never calls setlocale, so the decimal point is ".".
 */
static bool read_number(const struct field_type *field, const char *text, uint64_t *bits)
{
    char *end;
    float narrow;
    double wide;
    switch (field->kind) {
    case KIND_DOUBLE:
        wide = strtod(text, &end);
        memcpy(bits, &wide, sizeof wide);
        break;
    case KIND_FLOAT:
        narrow = strtof(text, &end);
        memcpy(bits, &narrow, sizeof narrow);
        break;
    case KIND_UINT32:
    case KIND_FIXED32:
        return read_unsigned(text, UINT32_MAX, bits);
    case KIND_UINT64:
    case KIND_FIXED64:
        return read_unsigned(text, UINT64_MAX, bits);
    default:
        return field->size == 4 ? read_signed(text, INT32_MIN, INT32_MAX, bits)
                                : read_signed(text, INT64_MIN, INT64_MAX, bits);
    }
    return end != text && *end == '\0';
}

static bool read_bool(const char *text, uint64_t *bits)
{
    *bits = strcmp(text, "true") == 0;
    return *bits != 0 || strcmp(text, "false") == 0;
}

static bool read_enum(const ProtobufCEnumDescriptor *type, const char *text, uint64_t *bits)
{
    const ProtobufCEnumValue *value = protobuf_c_enum_descriptor_get_value_by_name(type, text);
    if (value == NULL)
        return false;
    *bits = (uint64_t)value->value;
    return true;
}

/* --- bytes ------------------------------------------------------------------------------------ */

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 16;
}

/* Parses an escape after its backslash, as C does. Returns the position after it. */
static const char *read_escape(const char *at, const char *end, uint8_t *byte)
{
    static const char letters[] = "abfnrtv";
    static const char meanings[] = "\a\b\f\n\r\t\v";
    const char *letter = *at == '\0' ? NULL : strchr(letters, *at);
    if (letter != NULL) {
        *byte = (uint8_t)meanings[letter - letters];
        return at + 1;
    }
    int base = *at == 'x' || *at == 'X' ? 16 : 8;
    at += base == 16;
    if (at == end || digit_of(*at) >= base) {
        *byte = at == end ? '\\' : (uint8_t)*at;
        return at == end ? at : at + 1;
    }
    unsigned value = 0;
    for (int i = 0; i < (base == 16 ? 2 : 3) && at != end && digit_of(*at) < base; i++)
        value = value * (unsigned)base + (unsigned)digit_of(*at++);
    *byte = (uint8_t)value;
    return at;
}

/*
 * Replaces the escapes in the default of a bytes field, in place. Returns the new size. (The
 * default of a string has no escapes.)
 */
static size_t unescape(uint8_t *bytes, size_t size)
{
    const char *at = (const char *)bytes;
    const char *end = at + size;
    size_t used = 0;
    while (at != end) {
        uint8_t byte = (uint8_t)*at++;
        if (byte == '\\' && at != end)
            at = read_escape(at, end, &byte);
        bytes[used++] = byte;
    }
    return used;
}

/* --- fields ----------------------------------------------------------------------------------- */

static bool set_bytes(struct loader *loader, const struct field_type *field,
                      const struct field_source *source, ProtobufCFieldDescriptor *descriptor)
{
    ProtobufCBinaryData from = source->from->default_value;
    ProtobufCBinaryData *made = growing_arena_allocate(&loader->set->memory, 1, sizeof *made);
    char *text = loader_text(loader, from);
    if (made == NULL || text == NULL)
        return loader_no_memory(loader);
    made->data = (uint8_t *)text;
    made->len = field->kind == KIND_BYTES ? unescape(made->data, from.len) : from.len;
    descriptor->default_value = made;
    return true;
}

static bool set_number(struct loader *loader, const struct field_type *field,
                       const struct field_source *source, ProtobufCFieldDescriptor *descriptor)
{
    uint64_t *bits = growing_arena_allocate(&loader->set->memory, 1, sizeof *bits);
    char *text = loader_text(loader, source->from->default_value);
    if (bits == NULL || text == NULL)
        return loader_no_memory(loader);
    bool good = field->kind == KIND_BOOL   ? read_bool(text, bits)
                : field->kind == KIND_ENUM ? read_enum(field->enumeration, text, bits)
                                           : read_number(field, text, bits);
    if (field->size == 4 && field->kind != KIND_FLOAT) {
        uint32_t half = (uint32_t)*bits;
        memcpy(bits, &half, sizeof half);
    }
    descriptor->default_value = bits;
    return good || is_improper(loader, source, text);
}

/* An unset enum field has the first value of the enum, unless the .proto file sets a default. */
static bool set_first(struct loader *loader, const struct field_type *field,
                      ProtobufCFieldDescriptor *descriptor)
{
    const char *name = field->enumeration->name;
    const struct enum_definition *definition = definition_of_enum(loader->set, name, strlen(name));
    int32_t *first = growing_arena_allocate(&loader->set->memory, 1, sizeof *first);
    if (first == NULL)
        return loader_no_memory(loader);
    *first = definition->from->value[0]->number;
    if (*first != 0)
        descriptor->default_value = first;
    return true;
}

bool loader_set_default(struct loader *loader, const struct field_type *field,
                        const struct field_source *source, ProtobufCFieldDescriptor *descriptor)
{
    bool single = field->presence == PRESENCE_FLAG || field->presence == PRESENCE_REQUIRED;
    if (!single || field->message != NULL)
        return true;
    if (!source->from->has_default_value)
        return field->kind != KIND_ENUM || set_first(loader, field, descriptor);
    if (field->kind == KIND_STRING || field->kind == KIND_BYTES)
        return set_bytes(loader, field, source, descriptor);
    return set_number(loader, field, source, descriptor);
}
