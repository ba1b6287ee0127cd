#include "collector/cases/case_keys.h"

#include <string.h>

const struct case_key case_keys[] = {
    {"config", CASE_KEY_CONFIG, CASE_OF_FILE,
     "the configuration, as seen from this file; without it the file is the configuration"},
    {"tests", CASE_KEY_TESTS, CASE_OF_FILE, "the list of tests"},
    {"name", CASE_KEY_NAME, CASE_OF_TEST, "what the test shows"},
    {"listener", CASE_KEY_LISTENER, CASE_OF_TEST,
     "where the input comes to, without its keys; the only listener is the default"},
    {"hostname", CASE_KEY_HOSTNAME, CASE_OF_TEST, "what %{hostname} stands for"},
    {"input", CASE_KEY_INPUT, CASE_OF_TEST, "what comes, or a list of that"},
    {"expect", CASE_KEY_EXPECT, CASE_OF_TEST, "the list of what is expected"},
    {"json", CASE_KEY_JSON, CASE_OF_INPUT, "a message, framed as the listener wants it"},
    {"hex", CASE_KEY_HEX, CASE_OF_INPUT, "a datagram, or what a connection sends"},
    {"base64", CASE_KEY_BASE64, CASE_OF_INPUT, "the same"},
    {"capture", CASE_KEY_CAPTURE, CASE_OF_INPUT,
     "a file of datagrams, as seen from this file, with their sources and times"},
    {"schema", CASE_KEY_SCHEMA, CASE_OF_INPUT, "of json: another schema than the first"},
    {"source", CASE_KEY_SOURCE, CASE_OF_INPUT, "who sends it (default 192.0.2.1:40000)"},
    {"time", CASE_KEY_TIME, CASE_OF_INPUT, "when it arrives (default 2026-01-01T00:00:00Z)"},
    {"sink", CASE_KEY_SINK, CASE_OF_EXPECTATION,
     "what writes, without its keys; the only sink is the default"},
    {"lines", CASE_KEY_LINES, CASE_OF_EXPECTATION, "the lines that it writes; [] for none"},
    {"like", CASE_KEY_LIKE, CASE_OF_EXPECTATION, "the same with * for any text, ? for a byte"},
    {"bytes", CASE_KEY_BYTES, CASE_OF_EXPECTATION,
     "the same in hexadecimal, of a format without lines; a line a datagram of a relay"},
    {"reason", CASE_KEY_REASON, CASE_OF_EXPECTATION,
     "why the sink did not write a record, as the ledger has it"},
    {"refused", CASE_KEY_REFUSED, CASE_OF_EXPECTATION,
     "why a datagram was not decoded, as the ledger has it"},
    {"count", CASE_KEY_COUNT_OF, CASE_OF_EXPECTATION, "how many for that reason (default 1)"},
    {.name = NULL},
};

const char *case_scope_name(enum case_scope scope)
{
    static const char *const names[] = {
        [CASE_OF_FILE] = "a file of tests",
        [CASE_OF_TEST] = "a test",
        [CASE_OF_INPUT] = "an input",
        [CASE_OF_EXPECTATION] = "an expectation",
    };
    return names[scope];
}

const struct case_key *case_key_named(enum case_scope scope, const char *name, size_t length)
{
    for (const struct case_key *key = case_keys; key->name != NULL; key++)
        if (key->scope == scope && strlen(key->name) == length &&
            memcmp(key->name, name, length) == 0)
            return key;
    return NULL;
}

void case_keys_print(FILE *to)
{
    int scope = -1;
    for (const struct case_key *key = case_keys; key->name != NULL; key++) {
        if ((int)key->scope != scope)
            fprintf(to, "\nKeys of %s:\n", case_scope_name(key->scope));
        scope = (int)key->scope;
        fprintf(to, "  %-10s %s\n", key->name, key->help);
    }
}
