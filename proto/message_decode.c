/* Decoding by protobuf-c, in place, with the reasons that it does not give. */
#include "proto/message_type.h"

#include <assert.h>

#include "collector/text/utf8.h"

/*
 * protobuf_c_message_unpack takes everything from one allocator: what stays in the message, and the
 * tables of scanned fields that it frees before it returns. Only the sizes tell them apart: a table
 * has 32 bytes a field, in steps that double, the first on the stack; so a block of 1024 bytes
 * times a power of two is taken to be a table and put into the scratch arena.
 *
 * Where that guess was wrong (a string of exactly 2048 bytes, a list of 128 samples) the block is
 * still alive at the end, and the message is decoded once more: the same bytes ask for the same
 * blocks in the same order, so the blocks of such a size that were alive are told by their numbers
 * and go to the arena this time. All others go to the scratch arena again, where a table in the
 * message's own memory would count against what a message may take.
 */
#define SMALLEST_TABLE 1024u

/* In front of each block of the scratch arena. */
struct table_header {
    size_t previous; /* offset of the header below, or SIZE_MAX */
    size_t number;   /* among the blocks of a table's size; FREED once it was given back */
};
#define FREED SIZE_MAX

struct unpack_memory {
    struct arena *arena;
    struct arena tables; /* the scratch arena, or what the numbers below leave of it */
    size_t top;          /* offset of the topmost table's header, or SIZE_MAX */
    size_t next;         /* number of the next block of a table's size */
    bool guess;          /* such a block is a table, unless its number is one of these: */
    const size_t *known; /* ascending, from the next one to come */
    const size_t *known_end;
};

static void *unpack_allocate(void *context, size_t size)
{
    struct unpack_memory *memory = context;
    bool table = memory->guess && size >= SMALLEST_TABLE && (size & (size - 1)) == 0;
    if (!table)
        return arena_allocate(memory->arena, size);

    size_t number = memory->next++;
    if (memory->known != memory->known_end && *memory->known == number) {
        memory->known++;
        return arena_allocate(memory->arena, size);
    }
    size_t at = memory->tables.used;
    struct table_header *header = arena_allocate(&memory->tables, sizeof *header + size);
    if (header == NULL)
        return NULL;
    header->previous = memory->top;
    header->number = number;
    memory->top = at;
    return header + 1;
}

/* Blocks of the message stay: the arena takes them back all at once. Tables go when on top. */
static void unpack_free(void *context, void *block)
{
    struct unpack_memory *memory = context;
    uint8_t *base = memory->tables.base;
    uint8_t *at = block;
    if (at < base || at >= base + memory->tables.capacity)
        return;
    ((struct table_header *)block - 1)->number = FREED;
    while (memory->top != SIZE_MAX) {
        struct table_header *header = (void *)(base + memory->top);
        if (header->number != FREED)
            return;
        memory->tables.used = memory->top;
        memory->top = header->previous;
    }
}

/*
 * Writes the numbers of the blocks that are still alive to the end of the scratch arena and leaves
 * the rest for tables. No header is overwritten before it was read, for they are read from the top
 * and a number is smaller than a block.
 */
static void note_alive(struct unpack_memory *memory)
{
    struct arena *tables = &memory->tables;
    size_t *end = (size_t *)(void *)tables->base + tables->capacity / sizeof(size_t);
    size_t *known = end;
    for (size_t at = memory->top; at != SIZE_MAX;) {
        const struct table_header *header = (void *)(tables->base + at);
        at = header->previous;
        if (header->number != FREED)
            *--known = header->number;
    }
    tables->used = 0;
    tables->capacity = (size_t)((uint8_t *)known - tables->base);
    memory->top = SIZE_MAX;
    memory->next = 0;
    memory->known = known;
    memory->known_end = end;
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

/* Returns NULL where the bytes are no message, or where the arena is exhausted. */
static ProtobufCMessage *unpack_by_guess(const struct message_type *type, const uint8_t *data,
                                         size_t size, struct arena *arena, struct arena *scratch)
{
    size_t start = arena->used;
    struct unpack_memory memory = {
        .arena = arena, .tables = *scratch, .top = SIZE_MAX, .guess = true};
    ProtobufCMessage *message = unpack(type, data, size, &memory);
    if (message != NULL && memory.top != SIZE_MAX) {
        arena->used = start;
        note_alive(&memory);
        message = unpack(type, data, size, &memory);
        assert(memory.top == SIZE_MAX);
    }
    /*
     * Which guess filled the scratch arena cannot be told, as unpack gives back everything when it
     * fails. Tables in the arena are better than a message refused that would fit.
     */
    scratch->exhausted = memory.tables.exhausted;
    if (scratch->exhausted) {
        arena->used = start;
        memory.guess = false;
        message = unpack(type, data, size, &memory);
    }
    return message;
}

enum decode_result message_decode(const struct message_type *type, const uint8_t *data, size_t size,
                                  struct arena *arena, struct arena *scratch,
                                  ProtobufCMessage **message)
{
    *message = NULL;
    /* A type that is not recursive ends its recursion by itself, far above the limit. */
    if (type->recursive && message_nests_deeper(type, data, size, SCHEMA_MAX_DEPTH))
        return DECODE_TOO_DEEP;

    size_t start = arena->used;
    arena->exhausted = false;
    scratch->exhausted = false;
    ProtobufCMessage *unpacked = unpack_by_guess(type, data, size, arena, scratch);
    if (unpacked != NULL && (type->text_rule == TEXT_ANY_BYTES || text_valid(type, unpacked))) {
        *message = unpacked;
        return DECODE_OK;
    }
    arena->used = start;
    /* unpack refuses groups; a tower of them has the reason that a reader would give it. */
    if (message_nests_deeper(type, data, size, SCHEMA_MAX_DEPTH))
        return DECODE_TOO_DEEP;
    return arena->exhausted ? DECODE_TOO_LARGE : DECODE_MALFORMED;
}
