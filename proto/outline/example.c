#include "proto/outline/example.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/text/json_writer.h"

/*
 * The role of a message in a tree of named messages, such as Cisco's GPB-KV: a row contains the
 * messages "keys" and "content", and these contain messages with values (leaves).
 */
enum example_role { ROLE_PLAIN, ROLE_ROW, ROLE_KEYS, ROLE_CONTENT, ROLE_LEAF };

struct example_node {
    const struct message_type *type;
    const struct example_node *around; /* the enclosing message, or NULL */
    const char *path;                  /* the path to it: "a.b", or "" */
    enum example_role role;
    bool in_keys; /* of ROLE_LEAF: it is inside "keys" */
    size_t depth;
    struct example_node **children; /* by index of the field; NULL until made */
    struct example_node *keys;      /* of ROLE_ROW: its "keys", in the list with its "content" */
    uint16_t *choice;               /* by index of a oneof's first field: the field to write next */
    bool *seen;                     /* by the same index: all fields of the oneof were written */
    size_t *written; /* by the same index: `number` of the last message with the oneof */
    size_t number;   /* of the message that is being written */
};

static void *example_allocate(struct example *example, size_t count, size_t size)
{
    void *block = growing_arena_allocate(&example->memory, count, size);
    example->failed = example->failed || block == NULL;
    return block;
}

/* --- nodes ------------------------------------------------------------------------------------ */

/* Returns the field's name; for an extension, its full name in brackets. */
static const char *shown_name(const struct field_type *field, char text[512])
{
    snprintf(text, 512, field->extension ? "[%s]" : "%s", field->descriptor->name);
    return text;
}

static const char *join_path(struct example *example, const char *before,
                             const struct field_type *field)
{
    char name[512];
    size_t size = strlen(before) + strlen(shown_name(field, name)) + 2;
    char *path = example_allocate(example, size, 1);
    if (path != NULL)
        snprintf(path, size, "%s%s%s", before, *before == '\0' ? "" : ".", name);
    return path;
}

static bool is_name(const struct field_type *field)
{
    const char *name = field->descriptor->name;
    return field->kind == KIND_STRING && field->presence != PRESENCE_REPEATED &&
           (strcmp(name, "name") == 0 || strcmp(name, "key") == 0);
}

static bool is_list_of_own(const struct message_type *type, const struct field_type *field)
{
    return field->message == type && field->presence == PRESENCE_REPEATED;
}

/* Returns true if messages of the type have a name and a list of messages of the same type. */
static bool is_named_tree(const struct message_type *type)
{
    bool name = false;
    bool list = false;
    for (size_t i = 0; i < type->field_count; i++) {
        name = name || is_name(&type->fields[i]);
        list = list || is_list_of_own(type, &type->fields[i]);
    }
    return name && list;
}

static enum example_role role_inside(const struct example_node *around,
                                     const struct message_type *type)
{
    bool tree = is_named_tree(type);
    if (!tree)
        return ROLE_PLAIN;
    if (around == NULL || around->type != type)
        return ROLE_ROW;
    return around->role == ROLE_ROW ? ROLE_CONTENT : ROLE_LEAF;
}

static struct example_node *new_node(struct example *example, const struct example_node *around,
                                     const struct message_type *type, const char *path)
{
    struct example_node *made = example_allocate(example, 1, sizeof *made);
    if (made == NULL)
        return NULL;
    size_t count = type->field_count;
    *made = (struct example_node){
        .type = type,
        .around = around,
        .path = path,
        .role = role_inside(around, type),
        .in_keys = around != NULL && around->role == ROLE_KEYS,
        .depth = around == NULL ? 0 : around->depth + 1,
        .children = example_allocate(example, count, sizeof(struct example_node *)),
        .choice = example_allocate(example, count, sizeof *made->choice),
        .seen = example_allocate(example, count, sizeof *made->seen),
        .written = example_allocate(example, count, sizeof *made->written),
    };
    for (size_t i = 0; !example->failed && i < count; i++)
        made->choice[i] = (uint16_t)i;
    return example->failed ? NULL : made;
}

static bool may_contain(struct example *example, const struct example_node *node,
                        const struct field_type *field)
{
    size_t repeats = 0;
    if (field->presence == PRESENCE_REQUIRED && node->depth < EXAMPLE_DEPTH)
        return true; /* without it the message is invalid */
    if (node->depth >= EXAMPLE_DEPTH || example->fields >= EXAMPLE_FIELDS_MAX) {
        example->cut = true;
        return false;
    }
    if (is_named_tree(field->message) && node->type == field->message)
        return node->role != ROLE_LEAF;
    for (const struct example_node *at = node; at != NULL; at = at->around)
        repeats += at->type == field->message;
    return repeats < EXAMPLE_REPEATS;
}

static struct example_node *child_of(struct example *example, struct example_node *node,
                                     size_t index, const struct message_type *type)
{
    if (node->children[index] == NULL) {
        const char *path = join_path(example, node->path, &node->type->fields[index]);
        if (path != NULL)
            node->children[index] = new_node(example, node, type, path);
    }
    return node->children[index];
}

/* --- values ----------------------------------------------------------------------------------- */

/* Returns a new number, and stores the field's path for it. */
static int64_t number_for(struct example *example, const char *path)
{
    if (example->path_count == example->path_capacity) {
        size_t wanted = example->path_capacity == 0 ? 256 : example->path_capacity * 2;
        const char **grown = realloc(example->paths, wanted * sizeof *grown);
        if (grown == NULL) {
            example->failed = true;
            return EXAMPLE_FIRST;
        }
        example->paths = grown;
        example->path_capacity = wanted;
    }
    example->paths[example->path_count] = path;
    return EXAMPLE_FIRST + (int64_t)example->path_count++;
}

static void put_number(struct example *example, const char *path, struct output *out)
{
    json_int64(out, number_for(example, path));
}

/* Returns true if the field's name says that its value is a fraction of a second. */
static bool is_rest(const struct field_type *field)
{
    static const char *const ends[] = {"msec", "usec", "nsec", "nsecs", "nanos", "nanoseconds"};
    const char *name = field->descriptor->name;
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        size_t size = strlen(ends[i]);
        if (length < size)
            continue;
        const char *end = name + length - size;
        if ((*end | 0x20) == ends[i][0] && strcmp(end + 1, ends[i] + 1) == 0)
            return true;
    }
    return false;
}

static void put_text(const struct example_node *node, const struct field_type *field,
                     struct output *out)
{
    char name[512];
    char text[520];
    shown_name(field, name);
    snprintf(text, sizeof text, "{%s}", name);
    const char *given = text;
    if (is_name(field) && node->role == ROLE_ROW)
        given = "";
    else if (is_name(field) && node->role == ROLE_KEYS)
        given = "keys";
    else if (is_name(field) && node->role == ROLE_CONTENT)
        given = "content";
    else if (is_name(field) && node->in_keys)
        given = "{key}";
    json_string(out, given, strlen(given));
}

static void put_scalar(struct example *example, const struct example_node *node,
                       const struct field_type *field, const char *path, struct output *out)
{
    switch ((enum field_kind)field->kind) {
    case KIND_STRING:
        put_text(node, field, out);
        break;
    case KIND_BYTES:
        json_base64(out, "text", 4);
        break;
    case KIND_BOOL:
        json_bool(out, true);
        break;
    case KIND_ENUM: {
        const ProtobufCEnumDescriptor *type = field->enumeration;
        json_int64(out, type->values[type->n_values - 1].value);
        break;
    }
    default:
        if (is_rest(field))
            json_int64(out, 1);
        else
            put_number(example, path, out);
    }
}

/*
 * Appends a message of one of protobuf's own types in its JSON form. Returns false for other types.
 */
static bool put_well_known(struct example *example, const struct example_node *node,
                           const struct message_type *type, const char *path, struct output *out)
{
    switch (type->well_known) {
    case WELL_KNOWN_TIMESTAMP:
        json_timestamp(out, number_for(example, path), 0);
        return true;
    case WELL_KNOWN_DURATION:
        json_duration(out, false, 1, 0);
        return true;
    case WELL_KNOWN_FIELD_MASK:
        json_string(out, "a", 1);
        return true;
    case WELL_KNOWN_WRAPPER:
        put_scalar(example, node, &type->fields[0], path, out);
        return true;
    case WELL_KNOWN_STRUCT:
        json_object_begin(out);
        json_key(out, "{key}", 5);
        put_number(example, path, out);
        json_object_end(out);
        return true;
    case WELL_KNOWN_VALUE:
        put_number(example, path, out);
        return true;
    case WELL_KNOWN_LIST_VALUE:
        json_array_begin(out);
        put_number(example, path, out);
        json_array_end(out);
        return true;
    case WELL_KNOWN_ANY:
        json_object_begin(out);
        json_object_end(out);
        return true;
    case WELL_KNOWN_NOT:
        break;
    }
    return false;
}

/* --- fields ----------------------------------------------------------------------------------- */

static bool put_message(struct example *example, struct example_node *node, struct output *out);

static void put_key(const struct field_type *key, struct output *out)
{
    static const char number[] = "1", text[] = "{key}", yes[] = "true";
    const char *given = key->kind == KIND_STRING ? text : key->kind == KIND_BOOL ? yes : number;
    json_key(out, given, strlen(given));
}

/*
 * Appends a value of the field at `index`. `value` has its type: the field itself, or for a map the
 * field of the entry's value. Returns true if all fields of all oneofs inside were written.
 */
static bool put_value(struct example *example, struct example_node *node, size_t index,
                      const struct field_type *value, struct output *out)
{
    const char *path = join_path(example, node->path, &node->type->fields[index]);
    if (path == NULL)
        return true;
    if (value->message == NULL) {
        put_scalar(example, node, value, path, out);
        return true;
    }
    if (put_well_known(example, node, value->message, path, out))
        return true;
    struct example_node *child = child_of(example, node, index, value->message);
    return child == NULL || put_message(example, child, out);
}

static bool put_keys(struct example *example, struct example_node *node, size_t index,
                     struct output *out)
{
    if (node->keys == NULL) {
        const char *path = join_path(example, node->path, &node->type->fields[index]);
        node->keys = path == NULL ? NULL : new_node(example, node, node->type, path);
        if (node->keys == NULL)
            return true;
        node->keys->role = ROLE_KEYS;
    }
    return put_message(example, node->keys, out);
}

static bool put_field(struct example *example, struct example_node *node, size_t index,
                      struct output *out)
{
    const struct field_type *field = &node->type->fields[index];
    const struct field_type *value = field->map ? &field->message->fields[1] : field;
    bool done = true;
    if (value->message != NULL && value->message->well_known == WELL_KNOWN_NOT &&
        !may_contain(example, node, value))
        return true;
    example->fields++;
    json_raw_key(out, field->proto_key, field->proto_key_size);
    if (field->map) {
        json_object_begin(out);
        put_key(&field->message->fields[0], out);
    } else if (field->presence == PRESENCE_REPEATED) {
        json_array_begin(out);
        if (node->role == ROLE_ROW && is_list_of_own(node->type, field))
            done = put_keys(example, node, index, out);
    }
    done = put_value(example, node, index, value, out) && done;
    if (field->map)
        json_object_end(out);
    else if (field->presence == PRESENCE_REPEATED)
        json_array_end(out);
    return done;
}

/* --- oneofs ----------------------------------------------------------------------------------- */

static bool is_same_oneof(const struct field_type *a, const struct field_type *b)
{
    return a->presence == PRESENCE_ONEOF && b->presence == PRESENCE_ONEOF &&
           a->quantifier == b->quantifier;
}

static size_t first_of_oneof(const struct message_type *type, size_t index)
{
    size_t first = 0;
    while (!is_same_oneof(&type->fields[first], &type->fields[index]))
        first++;
    return first;
}

/* Chooses the oneof's next field. After the last one, marks the oneof as seen and begins again. */
static void choose_next(struct example_node *node, size_t first)
{
    const struct message_type *type = node->type;
    size_t next = (size_t)node->choice[first] + 1;
    while (next < type->field_count && !is_same_oneof(&type->fields[first], &type->fields[next]))
        next++;
    if (next == type->field_count) {
        node->seen[first] = true;
        next = first;
    }
    node->choice[first] = (uint16_t)next;
}

/* Appends the first string field of a key's oneof. The other fields are not shown. */
static void put_key_value(struct example *example, struct example_node *node, size_t index,
                          struct output *out)
{
    size_t first = first_of_oneof(node->type, index);
    node->seen[first] = true;
    if (node->type->fields[index].kind != KIND_STRING || node->written[first] == node->number)
        return;
    node->written[first] = node->number;
    put_field(example, node, index, out);
}

static void put_oneof_field(struct example *example, struct example_node *node, size_t index,
                            struct output *out)
{
    size_t first = first_of_oneof(node->type, index);
    if (node->choice[first] != index || node->written[first] == node->number)
        return;
    node->written[first] = node->number;
    if (put_field(example, node, index, out))
        choose_next(node, first);
}

static void put_by_role(struct example *example, struct example_node *node, size_t index,
                        struct output *out)
{
    if (node->role == ROLE_PLAIN || (node->role == ROLE_LEAF && !node->in_keys))
        put_oneof_field(example, node, index, out);
    else if (node->role == ROLE_LEAF)
        put_key_value(example, node, index, out);
    else /* a row, its keys and its content have no value of their own */
        node->seen[first_of_oneof(node->type, index)] = true;
}

/*
 * Appends the message. Returns true if all fields of all oneofs in it were written. The recursion
 * is at most EXAMPLE_DEPTH deep.
 */
static bool put_message(struct example *example, struct example_node *node, struct output *out)
{
    bool done = true;
    json_object_begin(out);
    node->number = ++example->messages;
    for (size_t i = 0; i < node->type->field_count && !example->failed && !out->overflow; i++) {
        if (node->type->fields[i].presence == PRESENCE_ONEOF)
            put_by_role(example, node, i, out);
        else
            done = put_field(example, node, i, out) && done;
    }
    for (size_t i = 0; i < node->type->field_count; i++)
        if (node->type->fields[i].presence == PRESENCE_ONEOF)
            done = done && node->seen[first_of_oneof(node->type, i)];
    json_object_end(out);
    return done;
}

/* --- the whole -------------------------------------------------------------------------------- */

bool example_begin(struct example *example, const struct message_type *type)
{
    *example = (struct example){.cut = false};
    example->root = new_node(example, NULL, type, "");
    return example->root != NULL;
}

void example_clear(struct example *example)
{
    free(example->paths);
    growing_arena_free(&example->memory);
    *example = (struct example){.cut = false};
}

bool example_write(struct example *example, struct output *out, bool *more)
{
    struct example_node *root = example->root;
    bool done =
        put_well_known(example, root, root->type, "", out) || put_message(example, root, out);
    *more = !done && example->fields < EXAMPLE_FIELDS_MAX;
    example->cut = example->cut || (!done && !*more);
    return !example->failed;
}

const char *example_path_of_time(const struct example *example, int64_t time_ns)
{
    static const int64_t units[] = {1000000000, 1000000, 1000, 1};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        int64_t index = time_ns / units[i] - EXAMPLE_FIRST;
        if (index >= 0 && index < (int64_t)example->path_count)
            return example->paths[index];
    }
    return NULL;
}
