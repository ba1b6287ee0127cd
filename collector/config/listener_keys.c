#include "collector/config/listener_keys.h"

#include <stdlib.h>
#include <string.h>

struct reading {
    unsigned kind; /* scopes of the listener: bits of enum key_scope */
    const struct config_registry *registry;
    struct listener_config *listener;
    struct keys_given own;    /* the listener's own keys */
    struct keys_given schema; /* the keys of the last schema */
    size_t opened_at;         /* offset of the last schema's `schema=` */
};

static struct schema_config *last_schema(const struct reading *reading)
{
    const struct listener_config *listener = reading->listener;
    return listener->schema_count == 0 ? NULL : &listener->schemas[listener->schema_count - 1];
}

/* --- complete schemas ------------------------------------------------------------------------- */

static size_t place_of_key(const struct reading *reading, const char *name)
{
    return keys_place(&reading->schema, KEY_OF_SCHEMA | KEY_OF_FILE, name);
}

static const struct {
    const char *key;
    const char *needs;
} needs[] = {
    {"name", "value"},
    {"time", "value"},
    {"labels", "value"},
    {"sequence_key", "sequence"},
};

static bool check_schema_file(const struct reading *reading, struct parse_error *fault)
{
    char source[QUOTED_SIZE];
    const struct schema_config *schema = last_schema(reading);
    if (schema->message == NULL)
        return parse_error_set(fault, reading->opened_at,
                               "schema %s is a file; message=FULL.NAME is missing, the type of the "
                               "message in a datagram",
                               quoted(schema->source, strlen(schema->source), source));
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++) {
        size_t at = place_of_key(reading, needs[i].key);
        if (at != KEY_NOT_GIVEN && place_of_key(reading, needs[i].needs) == KEY_NOT_GIVEN)
            return parse_error_set(fault, at, "key \"%s\" requires %s=PATH", needs[i].key,
                                   needs[i].needs);
    }
    return true;
}

static bool check_framing(const struct reading *reading, struct parse_error *fault)
{
    const struct schema_config *schema = last_schema(reading);
    if (schema->framing == FRAMING_DATAGRAM && key_scopes_are_stream(reading->kind) &&
        place_of_key(reading, "framing") != KEY_NOT_GIVEN)
        return parse_error_set(fault, place_of_key(reading, "framing"),
                               "framing=datagram is not for streams, which need the ends of "
                               "messages; without framing= a schema's own is used");
    if (schema->framing == FRAMING_FRAME_STREAMS && (reading->kind & KEY_OF_STREAM) == 0)
        return parse_error_set(fault, place_of_key(reading, "framing"),
                               "framing=frame-streams is for tcp and unix");
    if (schema->framing == FRAMING_SEALED && (reading->kind & (KEY_OF_UDP | KEY_OF_CAPTURE)) == 0)
        return parse_error_set(fault, place_of_key(reading, "framing"),
                               "framing=sealed is for datagrams: udp, fd and pcap");
    if (schema->framing == FRAMING_SEALED && (reading->kind & KEY_OF_DTLS) != 0)
        return parse_error_set(fault, place_of_key(reading, "framing"),
                               "framing=sealed is not for dtls, which has keys= of its own");
    if (schema->framing != FRAMING_OTLP_UDP && schema->framing != FRAMING_UDP_NOTIF)
        return true;
    if (schema->header != 0)
        return parse_error_set(fault, place_of_key(reading, "header"),
                               "this framing= has its own header; remove header=");
    if (schema->framing == FRAMING_OTLP_UDP && schema->ops->otlp_udp == OTLP_UDP_NONE)
        return parse_error_set(fault, place_of_key(reading, "framing"),
                               "framing=otlp-udp is for schema=otlp and schema=otlp-traces");
    if (schema->framing == FRAMING_UDP_NOTIF && schema->sequence != NULL)
        return parse_error_set(fault, place_of_key(reading, "sequence"),
                               "framing=udp-notif has sequence numbers; remove sequence=");
    return true;
}

static bool close_schema(struct reading *reading, struct parse_error *fault)
{
    struct schema_config *schema = last_schema(reading);
    if (!keys_apply_defaults(KEY_OF_SCHEMA, reading->registry, &reading->schema, schema, fault))
        return false;
    if (!check_framing(reading, fault))
        return false;
    return !schema->from_file || check_schema_file(reading, fault);
}

/* --- permitted senders ------------------------------------------------------------------------ */

static bool finish_senders(const struct reading *reading, unsigned kind, struct parse_error *fault)
{
    struct listener_config *listener = reading->listener;
    if (listener->allow != NULL || listener->deny != NULL) {
        listener->senders = networks_except(listener->allow, listener->deny);
        return listener->senders != NULL || parse_error_no_memory(fault);
    }
    if (!listener->kernel_filter)
        return true;
    return parse_error_set(fault, keys_place(&reading->own, kind, "kernel_filter"),
                           "kernel_filter=on requires allow= or deny=");
}

/* --- messages in segments --------------------------------------------------------------------- */

static bool finish_segments(const struct reading *reading, unsigned kind, struct parse_error *fault)
{
    static const char *const keys[] = {"segment_memory", "segment_timeout"};
    if (listener_has_segments(reading->listener))
        return true;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        size_t at = keys_place(&reading->own, kind, keys[i]);
        if (at != KEY_NOT_GIVEN)
            return parse_error_set(fault, at, "key \"%s\" is for framing=udp-notif", keys[i]);
    }
    return true;
}

/* --- sealed datagrams ------------------------------------------------------------------------- */

/*
 * Checks that framing=sealed is given for all schemas or for none: a datagram is opened before its
 * schema is chosen, so that match= can compare its payload.
 */
static bool check_all_sealed(const struct reading *reading, struct parse_error *fault)
{
    const struct listener_config *listener = reading->listener;
    bool sealed = listener_is_sealed(listener);
    for (size_t i = 0; i < listener->schema_count; i++) {
        const struct schema_config *schema = &listener->schemas[i];
        if ((schema->framing == FRAMING_SEALED) != sealed)
            return parse_error_set(fault, reading->opened_at,
                                   "framing=sealed must be given for all schemas of a listener, or "
                                   "for none");
        if (schema->match.kind == MATCH_KEY && !sealed && (reading->kind & KEY_OF_DTLS) == 0)
            return parse_error_set(fault, reading->opened_at,
                                   "match=key:%s requires framing=sealed, or a dtls listener",
                                   schema->match.key);
    }
    return true;
}

static bool finish_sealed(const struct reading *reading, unsigned kind, struct parse_error *fault)
{
    static const char *const keys[] = {"keys", "max_age", "state"};
    if (!check_all_sealed(reading, fault))
        return false;
    if (listener_is_sealed(reading->listener))
        return reading->listener->keys != NULL ||
               parse_error_set(fault, place_of_key(reading, "framing"),
                               "framing=sealed requires keys=FILE, the senders' keys");
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        size_t at = keys_place(&reading->own, kind, keys[i]);
        bool is_dtls = i == 0 && (kind & KEY_OF_DTLS) != 0;
        if (at != KEY_NOT_GIVEN && !is_dtls)
            return parse_error_set(fault, at, "key \"%s\" is for framing=sealed", keys[i]);
    }
    return true;
}

/* --- reading ---------------------------------------------------------------------------------- */

static bool add_schema(struct reading *reading, struct parse_error *fault)
{
    struct listener_config *listener = reading->listener;
    struct schema_config *grown =
        realloc(listener->schemas, (listener->schema_count + 1) * sizeof *grown);
    if (grown == NULL)
        return parse_error_no_memory(fault);
    listener->schemas = grown;
    grown[listener->schema_count++] = (struct schema_config){0};
    reading->schema = (struct keys_given){{0}};
    return true;
}

static bool open_schema(struct reading *reading, size_t at, struct parse_error *fault)
{
    const struct schema_config *before = last_schema(reading);
    if (before != NULL && !close_schema(reading, fault))
        return false;
    if (before != NULL && before->match.kind == MATCH_ALL && before->framing != FRAMING_OTLP_UDP)
        return parse_error_set(fault, at,
                               "this schema is never reached: the schema before it has no match=, "
                               "so it matches every datagram and must be the last");
    reading->opened_at = at;
    return add_schema(reading, fault);
}

static bool listener_key_place(void *context, const struct setting *key, size_t at,
                               struct key_place *place, struct parse_error *fault)
{
    struct reading *reading = context;
    if ((key->scopes & (KEY_OF_SCHEMA | KEY_OF_FILE)) == 0) {
        *place = (struct key_place){reading->listener, &reading->own};
        return true;
    }
    if (key->type == SETTING_SCHEMA) {
        if (!open_schema(reading, at, fault))
            return false;
    } else if (last_schema(reading) == NULL) {
        return parse_error_set(fault, at, "key \"%s\" belongs to a schema; write schema= before it",
                               key->name);
    } else if (key->scopes == KEY_OF_FILE && !last_schema(reading)->from_file) {
        return parse_error_set(fault, at,
                               "key \"%s\" is only for schemas from files; %s is built in",
                               key->name, last_schema(reading)->source);
    }
    *place = (struct key_place){last_schema(reading), &reading->schema};
    return true;
}

bool listener_keys_parse(unsigned kind, const struct config_registry *registry, const char *text,
                         struct listener_config *listener, struct parse_error *fault)
{
    struct reading reading = {.kind = kind, .registry = registry, .listener = listener};
    unsigned scopes = kind | KEY_OF_SCHEMA | KEY_OF_FILE;
    if (text != NULL &&
        !keys_parse_placed(scopes, registry, text, listener_key_place, &reading, fault))
        return false;
    if (last_schema(&reading) == NULL && !add_schema(&reading, fault))
        return false;
    return close_schema(&reading, fault) &&
           keys_apply_defaults(kind, registry, &reading.own, listener, fault) &&
           finish_senders(&reading, kind, fault) && finish_segments(&reading, kind, fault) &&
           finish_sealed(&reading, kind, fault);
}
