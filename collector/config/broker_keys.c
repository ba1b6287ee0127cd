#include "collector/config/broker_keys.h"

#include <stdlib.h>
#include <string.h>

#include "collector/text/text.h"

#define LABEL "label:"

/* --- key -------------------------------------------------------------------------------------- */

static bool read_label(const char *text, size_t length, struct key_options *key,
                       struct parse_error *fault)
{
    char *label = malloc(length + 1);
    if (label == NULL)
        return parse_error_no_memory(fault);
    memcpy(label, text, length);
    label[length] = '\0';
    *key = (struct key_options){KEY_LABEL, label};
    return true;
}

bool broker_keys_parse_key(const char *name, const char *text, size_t length, void *field,
                           struct parse_error *fault)
{
    static const char *const words[] = {[KEY_NONE] = "none",
                                        [KEY_SOURCE] = "source",
                                        [KEY_SERIES] = "series",
                                        [KEY_SENDER] = "sender"};
    struct key_options *key = field;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (text_is(text, length, words[i])) {
            *key = (struct key_options){(enum key_kind)i, NULL};
            return true;
        }
    }
    const size_t prefix = sizeof LABEL - 1;
    if (length > prefix && memcmp(text, LABEL, prefix) == 0)
        return read_label(text + prefix, length - prefix, key, fault);
    char given[QUOTED_SIZE];
    return parse_error_set(fault, 0,
                           "%s is %s; it can be none, source, series, sender or label:NAME", name,
                           quoted(text, length, given));
}

/* --- headers ---------------------------------------------------------------------------------- */

bool broker_keys_parse_headers(const char *name, const char *text, size_t length, void *field,
                               struct parse_error *fault)
{
    unsigned *headers = field;
    *headers = 0;
    for (size_t at = 0;;) {
        const char *comma = memchr(text + at, ',', length - at);
        size_t size = comma == NULL ? length - at : (size_t)(comma - text) - at;
        unsigned bit = 0;
        while (message_header_names[bit] != NULL &&
               !text_is(text + at, size, message_header_names[bit]))
            bit++;
        char given[QUOTED_SIZE];
        if (message_header_names[bit] == NULL)
            return parse_error_set(fault, at,
                                   "%s has no %s; there are schema, listener, collector and number",
                                   name, quoted(text + at, size, given));
        *headers |= 1U << bit;
        if (comma == NULL)
            return true;
        at += size + 1;
    }
}

/* Registries number schemas and messages with 31 bits. */
#define REGISTRY_MOST INT32_MAX

/* The deepest nesting of messages, including the innermost message. */
#define REGISTRY_LEVELS 8
_Static_assert(5 + 1 + REGISTRY_LEVELS * 5 <= MESSAGE_HEAD_MOST, "a head has room");

static void add_zigzag(struct message_head *head, uint32_t value)
{
    uint64_t coded = (uint64_t)value << 1;
    for (; coded >= 0x80; coded >>= 7)
        head->bytes[head->size++] = (uint8_t)(coded | 0x80);
    head->bytes[head->size++] = (uint8_t)coded;
}

/* Appends the number of indices and the indices; for the first message of a file, only a 0. */
static void add_indices(struct message_head *head, const uint32_t *indices, uint32_t count)
{
    if (count == 1 && indices[0] == 0) {
        head->bytes[head->size++] = 0;
        return;
    }
    add_zigzag(head, count);
    for (uint32_t i = 0; i < count; i++)
        add_zigzag(head, indices[i]);
}

static bool parse_index(const char *text, size_t length, size_t *at, char stop, uint32_t *value)
{
    size_t begin = *at;
    uint64_t number = 0;
    for (; *at < length && text[*at] != stop; ++*at) {
        if (text[*at] < '0' || text[*at] > '9')
            return false;
        number = number * 10 + (uint64_t)(text[*at] - '0');
        if (number > REGISTRY_MOST)
            return false;
    }
    *value = (uint32_t)number;
    return *at != begin;
}

bool broker_keys_parse_schema_id(const char *name, const char *text, size_t length, void *field,
                                 struct parse_error *fault)
{
    struct message_head *head = field;
    uint32_t indices[REGISTRY_LEVELS] = {0};
    uint32_t count = 0;
    uint32_t id = 0;
    size_t at = 0;
    bool fits = parse_index(text, length, &at, ':', &id) && id != 0;
    while (fits && at < length && count < REGISTRY_LEVELS) {
        at++; /* the colon, or a dot */
        fits = parse_index(text, length, &at, '.', &indices[count++]);
    }
    if (!fits || at != length) {
        char given[QUOTED_SIZE];
        return parse_error_set(fault, 0,
                               "%s %s is not the number of a schema, or ID:INDEX.INDEX...", name,
                               quoted(text, length, given));
    }
    head->size = 0;
    head->bytes[head->size++] = 0; /* the magic byte: the version of the wire format */
    for (int shift = 24; shift >= 0; shift -= 8)
        head->bytes[head->size++] = (uint8_t)(id >> shift);
    add_indices(head, indices, count == 0 ? 1 : count);
    return true;
}

/* --- properties ------------------------------------------------------------------------------- */

static bool is_secret(const char *name, size_t length)
{
    return text_ends(name, length, "password") || text_ends(name, length, "secret") ||
           text_is(name, length, "ssl.key.pem") || text_is(name, length, "sasl.oauthbearer.config");
}

static bool has_property(const char *lines, const char *name, size_t length)
{
    for (const char *at = lines; at != NULL && *at != '\0'; at += strcspn(at, "\n") + 1)
        if (strncmp(at, name, length) == 0 && at[length] == '=')
            return true;
    return false;
}

bool broker_keys_parse_property(const char *name, const char *text, size_t length, void *field,
                                struct parse_error *fault)
{
    char **lines = field;
    const char *equals = memchr(text, '=', length);
    size_t size = (size_t)(equals - text); /* "=" is always found: the key was given with a value */
    char given[QUOTED_SIZE];
    (void)name;
    if (is_secret(text, size)) {
        parse_error_set(fault, 0,
                        "%s is a secret; put it into properties_file=", quoted(text, size, given));
        fault->hides_value = true;
        return false;
    }
    if (has_property(*lines, text, size))
        return parse_error_set(fault, 0, "the property %s is given twice",
                               quoted(text, size, given));
    if (memchr(text, '\n', length) != NULL)
        return parse_error_set(fault, size + 1, "a property has one line");
    size_t used = *lines == NULL ? 0 : strlen(*lines);
    char *longer = realloc(*lines, used + length + 2);
    if (longer == NULL)
        return parse_error_no_memory(fault);
    memcpy(longer + used, text, length);
    memcpy(longer + used + length, "\n", 2);
    *lines = longer;
    return true;
}
