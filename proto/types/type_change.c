#include "proto/types/type_change.h"

#include <string.h>

#include "proto/types/loader.h"

#define BUCKETS ((size_t)64)

/* A type that can be reached from the root. */
struct changing_type {
    const struct message_type *from;
    struct message_type *copy;              /* NULL: it does not lead to a change */
    ProtobufCMessageDescriptor *descriptor; /* of the copy */
    struct field_type *fields;              /* of the copy */
    struct changing_type *next;             /* in the order in which they were found */
    struct changing_type *chain;            /* the next type in the same bucket */
};

struct changing {
    struct growing_arena *memory; /* of the set, for the copies */
    struct growing_arena listing; /* freed after the call */
    const struct type_change *changes;
    size_t change_count;
    struct changing_type *first;
    struct changing_type **end;
    struct changing_type *buckets[BUCKETS];
};

/* --- reachable types -------------------------------------------------------------------------- */

static struct changing_type **bucket_of(struct changing *changing, const struct message_type *type)
{
    return &changing->buckets[((uintptr_t)type >> 4) % BUCKETS];
}

static struct changing_type *changing_find(struct changing *changing,
                                           const struct message_type *type)
{
    struct changing_type *at = *bucket_of(changing, type);
    while (at != NULL && at->from != type)
        at = at->chain;
    return at;
}

static bool changing_add(struct changing *changing, const struct message_type *type)
{
    if (changing_find(changing, type) != NULL)
        return true;
    struct changing_type **bucket = bucket_of(changing, type);
    struct changing_type *added = growing_arena_allocate(&changing->listing, 1, sizeof *added);
    if (added == NULL)
        return false;
    *added = (struct changing_type){.from = type, .chain = *bucket};
    *bucket = added;
    *changing->end = added;
    changing->end = &added->next;
    return true;
}

/* Lists all types that can be reached from the root or the changes; the root is first. */
static bool list_types(struct changing *changing, const struct message_type *root)
{
    changing->end = &changing->first;
    if (!changing_add(changing, root))
        return false;
    for (size_t i = 0; i < changing->change_count; i++)
        if (!changing_add(changing, changing->changes[i].type))
            return false;
    for (const struct changing_type *at = changing->first; at != NULL; at = at->next)
        for (size_t i = 0; i < at->from->field_count; i++)
            if (at->from->fields[i].message != NULL &&
                !changing_add(changing, at->from->fields[i].message))
                return false;
    return true;
}

/* --- choosing types to copy ------------------------------------------------------------------- */

static const struct type_change *change_of(const struct changing *changing,
                                           const struct message_type *type,
                                           const struct field_type *field)
{
    for (size_t i = 0; i < changing->change_count; i++) {
        const struct type_change *change = &changing->changes[i];
        /* the copies of a type share the text of its name */
        if (change->message->descriptor->name == type->descriptor->name &&
            change->field->number == field->number && field->kind == KIND_BYTES)
            return change;
    }
    return NULL;
}

/* Returns true if the type has a changed field, or a field whose message type is copied. */
static bool leads_to_change(struct changing *changing, const struct message_type *type)
{
    for (size_t i = 0; i < type->field_count; i++) {
        const struct field_type *field = &type->fields[i];
        if (change_of(changing, type, field) != NULL ||
            (field->message != NULL && changing_find(changing, field->message)->copy != NULL))
            return true;
    }
    return false;
}

static bool choose_copies(struct changing *changing)
{
    for (bool more = true; more;) {
        more = false;
        for (struct changing_type *at = changing->first; at != NULL; at = at->next) {
            if (at->copy != NULL || !leads_to_change(changing, at->from))
                continue;
            at->copy = growing_arena_allocate(changing->memory, 1, sizeof *at->copy);
            at->descriptor = growing_arena_allocate(changing->memory, 1, sizeof *at->descriptor);
            if (at->copy == NULL || at->descriptor == NULL)
                return false;
            at->copy->descriptor = at->descriptor;
            more = true;
        }
    }
    return true;
}

/* --- copying ---------------------------------------------------------------------------------- */

static void *copy_of(struct growing_arena *memory, const void *from, size_t size)
{
    void *copy = growing_arena_allocate(memory, size + 1, 1);
    if (copy != NULL && size != 0)
        memcpy(copy, from, size);
    return copy;
}

static const struct message_type *version_of(struct changing *changing,
                                             const struct message_type *type)
{
    const struct changing_type *found = changing_find(changing, type);
    return found->copy != NULL ? found->copy : type;
}

/*
 * Turns a bytes field into a message field. It keeps its offset in the struct, where it has more
 * room than it needs.
 */
static void embed(struct field_type *field, const struct message_type *type,
                  enum field_embedded embedded)
{
    field->kind = KIND_MESSAGE;
    field->message = type;
    field->embedded = (uint8_t)embedded;
    field->size = field_kind_size(KIND_MESSAGE);
    if (field->presence == PRESENCE_IMPLICIT || field->presence == PRESENCE_FLAG)
        field->presence = PRESENCE_POINTER;
}

static bool copy_fields(struct changing *changing, struct changing_type *type)
{
    size_t count = type->from->field_count;
    type->fields = copy_of(changing->memory, type->from->fields, count * sizeof *type->fields);
    for (size_t i = 0; type->fields != NULL && i < count; i++) {
        struct field_type *field = &type->fields[i];
        const struct type_change *change = change_of(changing, type->from, field);
        if (change != NULL)
            embed(field, version_of(changing, change->type), change->embedded);
        else if (field->message != NULL)
            field->message = version_of(changing, field->message);
    }
    return type->fields != NULL;
}

static bool copy_descriptor(struct changing *changing, struct changing_type *type)
{
    const ProtobufCMessageDescriptor *from = type->from->descriptor;
    ProtobufCFieldDescriptor *fields =
        copy_of(changing->memory, from->fields, from->n_fields * sizeof *fields);
    if (fields == NULL)
        return false;
    for (size_t i = 0; i < from->n_fields; i++) {
        struct field_type *field = &type->fields[i];
        field->descriptor = &fields[i];
        if (field->message != NULL)
            fields[i].descriptor = field->message->descriptor;
        if (field->kind == type->from->fields[i].kind)
            continue;
        fields[i].type = PROTOBUF_C_TYPE_MESSAGE;
        fields[i].default_value = NULL;
        if (field->presence == PRESENCE_POINTER)
            fields[i].label = PROTOBUF_C_LABEL_OPTIONAL;
    }
    *type->descriptor = *from;
    type->descriptor->fields = from->n_fields == 0 ? NULL : fields;
    return true;
}

/* Copies the empty message. A changed field loses its default. */
static bool copy_prototype(struct changing *changing, struct changing_type *type)
{
    struct message_type *copy = type->copy;
    size_t pieces = (copy->size + PROTOTYPE_PIECE - 1) / PROTOTYPE_PIECE;
    ProtobufCMessage *prototype = growing_arena_allocate(changing->memory, pieces, PROTOTYPE_PIECE);
    if (prototype == NULL)
        return false;
    memcpy(prototype, copy->prototype, copy->size);
    prototype->descriptor = copy->descriptor;
    for (size_t i = 0; i < copy->field_count; i++) {
        const struct field_type *field = &type->fields[i];
        if (field->kind != type->from->fields[i].kind && field->presence != PRESENCE_ONEOF &&
            field->presence != PRESENCE_REPEATED)
            memset(field_place(field, prototype), 0, sizeof(ProtobufCBinaryData));
    }
    copy->prototype = prototype;
    return true;
}

static bool copy_type(struct changing *changing, struct changing_type *type)
{
    struct message_type *copy = type->copy;
    *copy = *type->from;
    copy->descriptor = type->descriptor;
    if (!copy_fields(changing, type) || !copy_descriptor(changing, type) ||
        !copy_prototype(changing, type))
        return false;
    copy->fields = type->fields;
    copy->well_known = well_known_of(copy);
    memset(copy->step_of, 0, sizeof copy->step_of);
    return loader_make_steps(changing->memory, copy);
}

/* Marks copies that contain a type that is not plain as not plain. */
static void mark_plain(const struct changing *changing)
{
    for (bool more = true; more;) {
        more = false;
        for (struct changing_type *at = changing->first; at != NULL; at = at->next) {
            if (at->copy == NULL || !at->copy->plain || loader_holds_plain_ones(at->copy))
                continue;
            at->copy->plain = false;
            more = true;
        }
    }
}

static bool copy_all(struct changing *changing)
{
    for (struct changing_type *at = changing->first; at != NULL; at = at->next)
        if (at->copy != NULL && !copy_type(changing, at))
            return false;
    mark_plain(changing);
    return true;
}

/* --- the functions ---------------------------------------------------------------------------- */

const struct message_type *type_set_change(struct type_set *set, const struct message_type *root,
                                           const struct type_change *changes, size_t count)
{
    struct changing changing = {.memory = &set->memory, .changes = changes, .change_count = count};
    const struct message_type *changed = NULL;
    if (list_types(&changing, root) && choose_copies(&changing) && copy_all(&changing))
        changed = version_of(&changing, root);
    growing_arena_free(&changing.listing);
    return changed;
}

const struct message_type *type_set_mark_keys(struct type_set *set, const struct message_type *type)
{
    struct message_type *copy = copy_of(&set->memory, type, sizeof *copy);
    struct field_type *fields =
        copy_of(&set->memory, type->fields, type->field_count * sizeof *fields);
    if (copy == NULL || fields == NULL)
        return NULL;
    for (size_t i = 0; i < type->field_count; i++)
        fields[i].roles |= ROLE_KEY;
    copy->fields = fields;
    return copy;
}
