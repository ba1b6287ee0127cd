#include "collector/config/keys.h"

#include <string.h>

/* --- finding ---------------------------------------------------------------------------------- */

const char *key_scope_name(unsigned scopes)
{
    static const char deliveries[] = "an http:, kafka: or nats: sink";
    static const struct {
        enum key_scope scope;
        const char *name;
    } names[] = {
        {KEY_OF_DTLS, "a dtls listener"},
        {KEY_OF_LOCAL, "a unix listener"},
        {KEY_OF_UDP, "a udp listener"},
        {KEY_OF_TCP, "a tcp listener"},
        {KEY_OF_STREAM, "a tcp or unix listener"},
        {KEY_OF_CAPTURE, "a capture listener"},
        {KEY_OF_FILE_SINK, "a file: sink"},
        {KEY_OF_RELAY_SINK, "a udp: sink"},
        {KEY_OF_HTTP_SINK, "an http: sink"},
        {KEY_OF_KAFKA_SINK, "a kafka: sink"},
        {KEY_OF_NATS_SINK, "a nats: sink"},
        {KEY_OF_DELIVERY_SINK, deliveries},
        {KEY_OF_IN_FLIGHT, deliveries},
        {KEY_OF_SINK, "a sink"},
        {KEY_OF_SCHEMA, "a listener's schema"},
        {KEY_OF_FILE, "a schema from a file"},
        {KEY_OF_DEAD_LETTERS, "dead letters"},
    };
    if ((scopes & KEY_OF_ANY_SINK & ~KEY_OF_OWN) == (KEY_OF_ANY_SINK & ~KEY_OF_OWN))
        return "a sink";
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if ((scopes & names[i].scope) != 0)
            return names[i].name;
    return key_table_own_name(scopes);
}

/* Returns the scopes of all keys with that name; several rows may have the same name. */
static unsigned scopes_of(const char *name)
{
    unsigned scopes = 0;
    for (const struct setting *key = config_keys; key->name != NULL; key++)
        if (strcmp(key->name, name) == 0)
            scopes |= key->scopes;
    return scopes;
}

static void not_in_scope(const char *name, unsigned scopes, struct parse_error *fault)
{
    parse_error_set(fault, 0, "key \"%s\" is for", name);
    const char *separator = "";
    unsigned others = scopes_of(name);
    for (unsigned other = 1; other != 0; other <<= 1) {
        if ((others & other) == 0)
            continue;
        others &= ~other;
        parse_error_append(fault, "%s %s", separator, key_scope_name(other));
        separator = (others & (others - 1)) == 0 ? " and" : ",";
    }
    parse_error_append(fault, ", not for %s",
                       scopes == KEY_OF_SINK && (scopes_of(name) & KEY_OF_ANY_SINK) != 0
                           ? "a stdout: or command: sink"
                           : key_scope_name(scopes));
    if ((scopes & KEY_OF_LOCAL) != 0 && (strcmp(name, "allow") == 0 || strcmp(name, "deny") == 0))
        parse_error_append(fault, ", whose senders have no addresses; mode= and owner= say which "
                                  "users may connect");
}

size_t key_prefix(const struct setting *key)
{
    return strlen(key->name) - (sizeof "NAME" - 1);
}

bool key_is_called(const struct setting *key, const char *name, size_t length)
{
    if (!key->open)
        return strlen(key->name) == length && memcmp(key->name, name, length) == 0;
    return length > key_prefix(key) && memcmp(key->name, name, key_prefix(key)) == 0;
}

void keys_offer(unsigned scopes, struct suggestion *suggestion)
{
    for (const struct setting *key = config_keys; key->name != NULL; key++) {
        if ((key->scopes & scopes) == 0)
            continue;
        suggestion_offer(suggestion, key->name);
        suggestion_offer_others(suggestion, key->others, key->name);
    }
}

static const char *topic_of(unsigned scopes)
{
    if ((scopes & KEY_OF_DEAD_LETTERS) != 0)
        return "keys";
    if ((scopes & KEY_OF_ANY_LISTENER) != 0)
        return "listeners";
    return (scopes & (KEY_OF_SCHEMA | KEY_OF_FILE)) != 0 ? "schemas" : "sinks";
}

static void unknown(unsigned scopes, const char *name, size_t length, struct parse_error *fault)
{
    struct suggestion suggestion;
    suggestion_begin(&suggestion, name, length);
    keys_offer(scopes, &suggestion);
    char given[QUOTED_SIZE];
    parse_error_set(fault, 0, "unknown key %s", quoted(name, length, given));
    if ((scopes & KEY_OF_KAFKA_SINK) != 0 && memchr(name, '.', length) != NULL)
        parse_error_append(fault, "; a property of librdkafka is \"kafka.%.*s\"", (int)length,
                           name);
    else if (suggestion_found(&suggestion) == NULL)
        parse_error_append(fault, "; --help %s lists the keys of %s", topic_of(scopes),
                           key_scope_name(scopes));
    parse_error_suggest(fault, suggestion_found(&suggestion));
}

const struct setting *key_find(unsigned scopes, const char *name, size_t length,
                               struct parse_error *fault)
{
    const struct setting *elsewhere = NULL; /* a key with that name in other scopes */
    for (const struct setting *key = config_keys; key->name != NULL; key++) {
        if (!key_is_called(key, name, length))
            continue;
        if ((key->scopes & scopes) != 0)
            return key;
        elsewhere = key;
    }
    if (elsewhere != NULL)
        not_in_scope(elsewhere->name, scopes, fault);
    else
        unknown(scopes, name, length, fault);
    return NULL;
}

size_t keys_place(const struct keys_given *given, unsigned scopes, const char *name)
{
    for (const struct setting *key = config_keys; key->name != NULL; key++)
        if ((key->scopes & scopes) != 0 && strcmp(key->name, name) == 0)
            return given->at[key - config_keys] - 1;
    return KEY_NOT_GIVEN;
}

/* --- reading ---------------------------------------------------------------------------------- */

struct reading {
    unsigned scopes;
    const struct config_registry *registry;
    key_placer *place_of;
    void *context;
    struct parse_error *fault;
};

static bool parse_error_at(struct parse_error *fault, size_t at)
{
    fault->at += at;
    return false;
}

static const struct setting *find_key(const struct reading *reading, const char *text,
                                      size_t length, size_t *value_at)
{
    struct parse_error *fault = reading->fault;
    const char *equals = memchr(text, '=', length);
    size_t name_length = equals != NULL ? (size_t)(equals - text) : length;
    const struct setting *key = NULL;
    if (length == 0)
        parse_error_set(fault, 0, "a key=value is missing here");
    else if (name_length == 0)
        parse_error_set(fault, 0, "the key before \"=\" is missing");
    else
        key = key_find(reading->scopes, text, name_length, fault);
    if (key != NULL && equals == NULL) {
        parse_error_set(fault, 0, "key \"%s\" has no value; write %s=VALUE", key->name, key->name);
        return NULL;
    }
    *value_at = name_length + 1;
    return key;
}

/*
 * If a wrong value continues with a wrong separator and another key, as in
 * "receivers=2?allow=10.0.0.0/8", appends advice on the right separator.
 */
static void advise_separator(const struct reading *reading, const char *value, size_t length)
{
    struct parse_error ignored;
    for (size_t i = 0; i < length; i++) {
        size_t name = strcspn(value + i + 1, "=&");
        if (strchr("?;, ", value[i]) == NULL || i + 1 + name >= length ||
            key_find(reading->scopes, value + i + 1, name, &ignored) == NULL)
            continue;
        parse_error_append(reading->fault, "; the next key comes after \"&\": \"&%.*s=\"",
                           (int)name, value + i + 1);
        return;
    }
}

static bool parse_key(const struct reading *reading, const char *text, size_t at, size_t length)
{
    size_t value_at;
    const struct setting *key = find_key(reading, text + at, length, &value_at);
    if (key == NULL)
        return parse_error_at(reading->fault, at);
    struct key_place place;
    if (!reading->place_of(reading->context, key, at, &place, reading->fault))
        return false;
    size_t *given_at = &place.given->at[key - config_keys];
    if (key->open)
        value_at = key_prefix(key);
    else if (*given_at != 0)
        return parse_error_set(reading->fault, at, "key \"%s\" is given twice", key->name);
    *given_at = at + 1;
    if (setting_parse(key, reading->registry, text + at + value_at, length - value_at, place.target,
                      reading->fault))
        return true;
    advise_separator(reading, text + at + value_at, length - value_at);
    return parse_error_at(reading->fault, at + value_at);
}

bool keys_parse_placed(unsigned scopes, const struct config_registry *registry, const char *text,
                       key_placer *place_of, void *context, struct parse_error *fault)
{
    const struct reading reading = {scopes, registry, place_of, context, fault};
    size_t at = 0;
    for (;;) {
        size_t length = strcspn(text + at, "&");
        if (!parse_key(&reading, text, at, length))
            return false;
        at += length;
        if (text[at] == '\0')
            return true;
        at++;
    }
}

static bool the_one_place(void *context, const struct setting *key, size_t at,
                          struct key_place *place, struct parse_error *fault)
{
    (void)key;
    (void)at;
    (void)fault;
    *place = *(const struct key_place *)context;
    return true;
}

bool keys_parse(unsigned scopes, const struct config_registry *registry, const char *text,
                void *target, struct keys_given *given, struct parse_error *fault)
{
    struct key_place place = {target, given};
    return keys_parse_placed(scopes, registry, text, the_one_place, &place, fault);
}

unsigned keys_of_sink(const struct destination_ops *destination)
{
    return KEY_OF_SINK | destination->keys | key_table_own_scope(destination);
}

bool keys_apply_defaults(unsigned scopes, const struct config_registry *registry,
                         const struct keys_given *given, void *target, struct parse_error *fault)
{
    for (const struct setting *key = config_keys; key->name != NULL; key++) {
        if ((key->scopes & scopes) == 0 || given->at[key - config_keys] != 0 ||
            key->default_text == NULL)
            continue;
        if (!setting_parse(key, registry, key->default_text, strlen(key->default_text), target,
                           fault))
            return false;
    }
    return true;
}
