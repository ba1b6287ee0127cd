#include "collector/config/keys.h"

#include <string.h>

#include "collector/config/nearest.h"

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)

#define LISTENER (KEY_OF_UDP | KEY_OF_CAPTURE)

static const char *const false_true[] = {"false", "true", NULL};
static const char *const json_proto[] = {"json", "proto", NULL};
static const char *const string_number[] = {"string", "number", NULL};
static const char *const views[] = {[VIEW_SAMPLE] = "sample", [VIEW_MESSAGE] = "message", NULL};

const struct setting config_keys[] = {
    /* What datagrams mean. */
    {"schema", SETTING_SCHEMA, LISTENER, offsetof(struct listener_config, schema), "telemetry",
     .help = "what the datagrams mean"},
    {"max_decoded", SETTING_SIZE, LISTENER, offsetof(struct listener_config, max_decoded), "512KiB",
     1 * KIB, 960 * KIB, .help = "memory that one decoded datagram may take"},

    /* Sockets. */
    {"receive_buffer", SETTING_SIZE, KEY_OF_UDP, offsetof(struct listener_config, receive_buffer),
     "4MiB", 4 * KIB, 512 * MIB, .help = "receive buffer to ask the system for, of each socket"},
    {"receivers", SETTING_COUNT, KEY_OF_UDP, offsetof(struct listener_config, receivers), "1", 1,
     64, .help = "receiving threads, each with its own socket on the port"},
    {"max_datagram", SETTING_SIZE, KEY_OF_UDP, offsetof(struct listener_config, max_datagram),
     "64KiB", 1, 64 * KIB, .help = "longer datagrams are counted as truncated"},
    {"ipv6_only", SETTING_BOOL, KEY_OF_UDP, offsetof(struct listener_config, ipv6_only), "false",
     .choices = false_true, .help = "whether an IPv6 socket leaves IPv4 alone"},

    /* Captures. */
    {"port", SETTING_COUNT, KEY_OF_CAPTURE, offsetof(struct listener_config, port), "0", 0, 65535,
     .help = "destination port of the datagrams to read; 0 is every port"},

    /* Sinks. */
    {"format", SETTING_ENCODER, KEY_OF_SINK, offsetof(struct sink_config, encoder), "json",
     .help = "how records are written"},
    {"view", SETTING_ENUM, KEY_OF_SINK, offsetof(struct sink_config, encoding.view), "sample",
     .choices = views, .help = "a line for every metric value, or for every datagram"},
    {"names", SETTING_BOOL, KEY_OF_SINK, offsetof(struct sink_config, encoding.json.proto_names),
     "json", .choices = json_proto,
     .help = "field names in lowerCamelCase, or as the .proto file has them"},
    {"int64", SETTING_BOOL, KEY_OF_SINK, offsetof(struct sink_config, encoding.json.int64_numbers),
     "string", .choices = string_number, .help = "how 64-bit integers of a message are written"},
    {NULL},
};

_Static_assert(sizeof config_keys / sizeof config_keys[0] <= KEYS_MAX, "raise KEYS_MAX");

const char *key_scope_name(enum key_scope scope)
{
    switch (scope) {
    case KEY_OF_UDP:
        return "a udp listener";
    case KEY_OF_CAPTURE:
        return "a capture listener";
    case KEY_OF_SINK:
        return "a sink";
    }
    return "nothing";
}

static void not_in_scope(const struct setting *key, enum key_scope scope, struct fault *fault)
{
    fault_set(fault, 0, "key \"%s\" is for", key->name);
    const char *separator = "";
    for (unsigned other = 1; other <= KEY_OF_SINK; other <<= 1) {
        if ((key->scopes & other) == 0)
            continue;
        fault_append(fault, "%s %s", separator, key_scope_name((enum key_scope)other));
        separator = " and";
    }
    fault_append(fault, ", not for %s", key_scope_name(scope));
}

const struct setting *key_find(enum key_scope scope, const char *name, size_t length,
                               struct fault *fault)
{
    struct nearest nearest;
    nearest_begin(&nearest, name, length);
    for (const struct setting *key = config_keys; key->name != NULL; key++) {
        bool in_scope = (key->scopes & scope) != 0;
        if (strlen(key->name) == length && memcmp(key->name, name, length) == 0) {
            if (in_scope)
                return key;
            not_in_scope(key, scope, fault);
            return NULL;
        }
        if (in_scope)
            nearest_offer(&nearest, key->name);
    }
    char given[QUOTED_SIZE];
    fault_set(fault, 0, "unknown key %s", quoted(name, length, given));
    if (nearest_found(&nearest) == NULL)
        fault_append(fault, "; --help lists the keys of %s", key_scope_name(scope));
    fault_suggest(fault, nearest_found(&nearest));
    return NULL;
}

/* Reads "key=value", the `length` bytes of `text`. */
static bool parse_key(enum key_scope scope, const struct config_choices *choices, const char *text,
                      size_t length, void *target, struct keys_given *given, struct fault *fault)
{
    if (length == 0)
        return fault_set(fault, 0, "a key=value is missing here");
    const char *equals = memchr(text, '=', length);
    size_t name_length = equals != NULL ? (size_t)(equals - text) : length;
    if (name_length == 0)
        return fault_set(fault, 0, "a key is missing before \"=\"");
    const struct setting *key = key_find(scope, text, name_length, fault);
    if (key == NULL)
        return false;
    if (equals == NULL)
        return fault_set(fault, 0, "key \"%s\" has no value; write %s=VALUE", key->name, key->name);
    bool *was_given = &given->at[key - config_keys];
    if (*was_given)
        return fault_set(fault, 0, "key \"%s\" is given twice", key->name);
    *was_given = true;
    size_t value_at = name_length + 1;
    if (setting_parse(key, choices, text + value_at, length - value_at, target, fault))
        return true;
    fault->at += value_at;
    return false;
}

bool keys_parse(enum key_scope scope, const struct config_choices *choices, const char *text,
                void *target, struct keys_given *given, struct fault *fault)
{
    size_t at = 0;
    for (;;) {
        size_t length = strcspn(text + at, "&");
        if (!parse_key(scope, choices, text + at, length, target, given, fault)) {
            fault->at += at;
            return false;
        }
        at += length;
        if (text[at] == '\0')
            return true;
        at++;
    }
}

bool keys_apply_defaults(enum key_scope scope, const struct config_choices *choices,
                         const struct keys_given *given, void *target, struct fault *fault)
{
    for (const struct setting *key = config_keys; key->name != NULL; key++) {
        if ((key->scopes & scope) == 0 || given->at[key - config_keys] || key->default_text == NULL)
            continue;
        if (!setting_parse(key, choices, key->default_text, strlen(key->default_text), target,
                           fault))
            return false;
    }
    return true;
}
