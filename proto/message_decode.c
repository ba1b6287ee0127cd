/* Decoding by protobuf-c, in place, with the reasons that it does not give. */
#include "proto/message_type.h"

#include "collector/text/utf8.h"

/*
 * protobuf_c_message_unpack takes everything from one allocator: what stays in the message, and the
 * tables of scanned fields that it frees before it returns. Only the sizes tell them apart: a table
 * has 32 bytes a field, in steps that double, the first on the stack; so a block of 1024 bytes
 * times a power of two is taken to be a table and put into the scratch arena. Where that guess was
 * wrong (a string of exactly 2048 bytes) the block is still alive at the end, and the decoding is
 * done once more without guessing.
 */
#define SMALLEST_TABLE 1024u

/* In front of each block of the scratch arena. */
struct table_header {
    size_t previous; /* offset of the header below, or SIZE_MAX */
    size_t freed;    /* 1 once it was given back */
};

struct unpack_memory {
    struct arena *arena;
    struct arena *scratch;
    size_t top; /* offset of the topmost table's header, or SIZE_MAX */
    bool guess;
};

static void *unpack_allocate(void *context, size_t size)
{
    struct unpack_memory *memory = context;
    bool table = memory->guess && size >= SMALLEST_TABLE && (size & (size - 1)) == 0;
    if (!table)
        return arena_allocate(memory->arena, size);

    size_t at = memory->scratch->used;
    struct table_header *header = arena_allocate(memory->scratch, sizeof *header + size);
    if (header == NULL)
        return NULL;
    header->previous = memory->top;
    header->freed = 0;
    memory->top = at;
    return header + 1;
}

/* Blocks of the message stay: the arena takes them back all at once. Tables go when on top. */
static void unpack_free(void *context, void *block)
{
    struct unpack_memory *memory = context;
    uint8_t *base = memory->scratch->base;
    uint8_t *at = block;
    if (at < base || at >= base + memory->scratch->capacity)
        return;
    ((struct table_header *)block - 1)->freed = 1;
    while (memory->top != SIZE_MAX) {
        struct table_header *header = (void *)(base + memory->top);
        if (header->freed == 0)
            return;
        memory->scratch->used = memory->top;
        memory->top = header->previous;
    }
}

static bool text_valid(const struct message_type *type, const ProtobufCMessage *message);

/* One member at `at`: a string's bytes, or what a submessage holds. */
static bool member_valid(const struct field_type *field, const void *at)
{
    if (field->message != NULL) {
        const ProtobufCMessage *child = *(const ProtobufCMessage *const *)at;
        return child == NULL || text_valid(field->message, child);
    }
    const ProtobufCBinaryData *text = at;
    return utf8_valid(text->data, text->len);
}

static bool text_valid(const struct message_type *type, const ProtobufCMessage *message)
{
    const char *base = (const char *)message;
    for (unsigned i = 0; i < type->descriptor->n_fields; i++) {
        const struct field_type *field = &type->fields[i];
        const ProtobufCFieldDescriptor *descriptor = field->descriptor;
        if (field->message == NULL && descriptor->type != PROTOBUF_C_TYPE_BYTES)
            continue;
        const void *at = base + descriptor->offset;
        if (descriptor->label == PROTOBUF_C_LABEL_REPEATED) {
            size_t count = *(const size_t *)(const void *)(base + descriptor->quantifier_offset);
            const char *list = *(const char *const *)at;
            size_t step = field->message != NULL ? sizeof(void *) : sizeof(ProtobufCBinaryData);
            for (size_t k = 0; k < count; k++)
                if (!member_valid(field, list + k * step))
                    return false;
            continue;
        }
        /* Members of a oneof share their place: only the one that is set may be read. */
        if ((descriptor->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0 &&
            *(const uint32_t *)(const void *)(base + descriptor->quantifier_offset) !=
                descriptor->id)
            continue;
        if (!member_valid(field, at))
            return false;
    }
    return true;
}

static ProtobufCMessage *unpack(const struct message_type *type, const uint8_t *data, size_t size,
                                struct unpack_memory *memory)
{
    ProtobufCAllocator allocator = {
        .alloc = unpack_allocate, .free = unpack_free, .allocator_data = memory};
    return protobuf_c_message_unpack(type->descriptor, &allocator, size, data);
}

enum decode_result message_decode(const struct message_type *type, const uint8_t *data, size_t size,
                                  struct arena *arena, struct arena *scratch,
                                  ProtobufCMessage **message)
{
    /* A type that is not recursive ends its recursion by itself, far above the limit. */
    if (type->recursive && message_nests_deeper(type, data, size, SCHEMA_MAX_DEPTH))
        return DECODE_TOO_DEEP;

    size_t start = arena->used;
    struct unpack_memory memory = {
        .arena = arena, .scratch = scratch, .top = SIZE_MAX, .guess = true};
    arena->exhausted = false;
    scratch->exhausted = false;
    *message = unpack(type, data, size, &memory);
    if (*message != NULL && memory.top != SIZE_MAX) {
        arena->used = start;
        memory.guess = false;
        *message = unpack(type, data, size, &memory);
    }
    scratch->used = 0;

    if (*message != NULL && (type->text_rule == TEXT_ANY_BYTES || text_valid(type, *message)))
        return DECODE_OK;
    arena->used = start;
    /* unpack refuses groups; a tower of them has the reason that a reader would give it. */
    if (message_nests_deeper(type, data, size, SCHEMA_MAX_DEPTH))
        return DECODE_TOO_DEEP;
    return arena->exhausted || scratch->exhausted ? DECODE_TOO_LARGE : DECODE_MALFORMED;
}
