#include "collector/config_tests/config_test_keys.h"

#include <string.h>

const struct config_test_key config_test_keys[] = {
    {"config", CONFIG_TEST_KEY_CONFIG, CONFIG_TEST_OF_FILE,
     "path of the configuration, relative to this file (default: this file)"},
    {"tests", CONFIG_TEST_KEY_TESTS, CONFIG_TEST_OF_FILE, "the list of tests"},
    {"name", CONFIG_TEST_KEY_NAME, CONFIG_TEST_OF_TEST, "name of the test"},
    {"listener", CONFIG_TEST_KEY_LISTENER, CONFIG_TEST_OF_TEST,
     "the listener that gets the input, without its keys (default: the only listener)"},
    {"hostname", CONFIG_TEST_KEY_HOSTNAME, CONFIG_TEST_OF_TEST, "value of %{hostname}"},
    {"input", CONFIG_TEST_KEY_INPUT, CONFIG_TEST_OF_TEST, "an input, or a list of inputs"},
    {"expect", CONFIG_TEST_KEY_EXPECT, CONFIG_TEST_OF_TEST, "list of expectations"},
    {"json", CONFIG_TEST_KEY_JSON, CONFIG_TEST_OF_INPUT, "a message, in the listener's framing"},
    {"hex", CONFIG_TEST_KEY_HEX, CONFIG_TEST_OF_INPUT, "a datagram, or the bytes of a connection"},
    {"base64", CONFIG_TEST_KEY_BASE64, CONFIG_TEST_OF_INPUT, "the same in base64"},
    {"capture", CONFIG_TEST_KEY_CAPTURE, CONFIG_TEST_OF_INPUT,
     "a capture file with sources and times, relative to this file"},
    {"schema", CONFIG_TEST_KEY_SCHEMA, CONFIG_TEST_OF_INPUT,
     "for json: another schema than the first"},
    {"source", CONFIG_TEST_KEY_SOURCE, CONFIG_TEST_OF_INPUT,
     "address of the sender (default 192.0.2.1:40000)"},
    {"time", CONFIG_TEST_KEY_TIME, CONFIG_TEST_OF_INPUT,
     "arrival time (default 2026-01-01T00:00:00Z)"},
    {"sink", CONFIG_TEST_KEY_SINK, CONFIG_TEST_OF_EXPECTATION,
     "the sink, without its keys (default: the only sink)"},
    {"lines", CONFIG_TEST_KEY_LINES, CONFIG_TEST_OF_EXPECTATION,
     "the lines that it writes; []: no lines"},
    {"like", CONFIG_TEST_KEY_LIKE, CONFIG_TEST_OF_EXPECTATION,
     "the same, with * for any text and ? for a byte"},
    {"bytes", CONFIG_TEST_KEY_BYTES, CONFIG_TEST_OF_EXPECTATION,
     "the same in hexadecimal, for a binary format; for a relay one line per datagram"},
    {"reason", CONFIG_TEST_KEY_REASON, CONFIG_TEST_OF_EXPECTATION,
     "reason in the ledger why the sink did not write a record"},
    {"refused", CONFIG_TEST_KEY_REFUSED, CONFIG_TEST_OF_EXPECTATION,
     "reason in the ledger why a datagram was not decoded"},
    {"count", CONFIG_TEST_KEY_COUNT_OF, CONFIG_TEST_OF_EXPECTATION,
     "number for that reason (default 1)"},
    {.name = NULL},
};

const char *config_test_scope_name(enum config_test_scope scope)
{
    static const char *const names[] = {
        [CONFIG_TEST_OF_FILE] = "a file of tests",
        [CONFIG_TEST_OF_TEST] = "a test",
        [CONFIG_TEST_OF_INPUT] = "an input",
        [CONFIG_TEST_OF_EXPECTATION] = "an expectation",
    };
    return names[scope];
}

const struct config_test_key *config_test_key_named(enum config_test_scope scope, const char *name,
                                                    size_t length)
{
    for (const struct config_test_key *key = config_test_keys; key->name != NULL; key++)
        if (key->scope == scope && strlen(key->name) == length &&
            memcmp(key->name, name, length) == 0)
            return key;
    return NULL;
}

void config_test_keys_print(FILE *to)
{
    int scope = -1;
    for (const struct config_test_key *key = config_test_keys; key->name != NULL; key++) {
        if ((int)key->scope != scope)
            fprintf(to, "\nKeys of %s:\n", config_test_scope_name(key->scope));
        scope = (int)key->scope;
        fprintf(to, "  %-10s %s\n", key->name, key->help);
    }
}
