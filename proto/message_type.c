#include "proto/message_type.h"

#include <stdlib.h>
#include <string.h>

/*
 * All types of one tree in one list, the root first (so that the root's address is the list's), and
 * the memory of their fields and names. `finished` tells a type still being walked (on the way
 * from the root to here) from one that is done.
 */
struct type_node {
    struct message_type type; /* first: message_type_destroy gets its address back */
    struct type_node *next;
    struct field_type *fields;
    bool finished;
};

static struct type_node *find(struct type_node *root, const ProtobufCMessageDescriptor *descriptor)
{
    for (struct type_node *node = root; node != NULL; node = node->next)
        if (node->type.descriptor == descriptor)
            return node;
    return NULL;
}

/* lowerCamelCase as protoc makes json_name: an underscore goes and raises the letter after it. */
static size_t camel_case(const char *name, char *out)
{
    size_t used = 0;
    bool raise = false;
    for (; *name != '\0'; name++) {
        if (*name == '_') {
            raise = true;
            continue;
        }
        bool lower = *name >= 'a' && *name <= 'z';
        out[used++] = (char)(raise && lower ? *name - 'a' + 'A' : *name);
        raise = false;
    }
    return used;
}

static bool name_field(struct field_type *field)
{
    const char *name = field->descriptor->name;
    size_t length = strlen(name);
    char *json = malloc(length + 3);
    char *proto = malloc(length + 3);
    field->json_key = json;
    field->proto_key = proto;
    if (json == NULL || proto == NULL)
        return false;
    size_t camel = camel_case(name, json + 1);
    json[0] = '"';
    memcpy(json + 1 + camel, "\":", 2);
    field->json_key_size = camel + 3;
    proto[0] = '"';
    memcpy(proto + 1, name, length);
    memcpy(proto + 1 + length, "\":", 2);
    field->proto_key_size = length + 3;
    return true;
}

static struct type_node *add_node(struct type_node *root,
                                  const ProtobufCMessageDescriptor *descriptor,
                                  enum text_rule text_rule)
{
    struct type_node *node = calloc(1, sizeof *node);
    if (node == NULL)
        return NULL;
    node->fields = calloc(descriptor->n_fields + 1, sizeof *node->fields);
    node->type.descriptor = descriptor;
    node->type.text_rule = text_rule;
    node->type.fields = node->fields;
    if (root != NULL) {
        node->next = root->next;
        root->next = node;
    }
    return node;
}

/* Fills a node and, depth first, what it refers to. At most as deep as there are types. */
static bool fill(struct type_node *root, struct type_node *node)
{
    const ProtobufCMessageDescriptor *descriptor = node->type.descriptor;
    if (node->fields == NULL)
        return false;
    for (unsigned i = 0; i < descriptor->n_fields; i++) {
        struct field_type *field = &node->fields[i];
        field->descriptor = &descriptor->fields[i];
        if (!name_field(field))
            return false;
        if (field->descriptor->type != PROTOBUF_C_TYPE_MESSAGE)
            continue;
        const ProtobufCMessageDescriptor *target = field->descriptor->descriptor;
        struct type_node *child = find(root, target);
        if (child == NULL) {
            child = add_node(root, target, node->type.text_rule);
            if (child == NULL || !fill(root, child))
                return false;
        } else if (!child->finished) {
            child->type.recursive = true;
        }
        field->message = &child->type;
        /* What holds a recursive type can nest without end too. */
        node->type.recursive = node->type.recursive || child->type.recursive;
    }
    node->finished = true;
    return true;
}

struct message_type *message_type_create(const ProtobufCMessageDescriptor *root,
                                         enum text_rule text_rule)
{
    struct type_node *node = add_node(NULL, root, text_rule);
    if (node == NULL)
        return NULL;
    if (!fill(node, node)) {
        message_type_destroy(&node->type);
        return NULL;
    }
    return &node->type;
}

void message_type_destroy(struct message_type *root)
{
    struct type_node *node = (struct type_node *)root;
    while (node != NULL) {
        struct type_node *next = node->next;
        for (unsigned i = 0; node->fields != NULL && i < node->type.descriptor->n_fields; i++) {
            free((void *)(uintptr_t)node->fields[i].json_key);
            free((void *)(uintptr_t)node->fields[i].proto_key);
        }
        free(node->fields);
        free(node);
        node = next;
    }
}
