/*
 * Mutates command lines, always in the same way. No mutation causes a crash or a leak, which the
 * sanitizers detect, and each error is one line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/config/options.h"
#include "tests/support/base/random_number.h"
#include "tests/support/config/config_tables.h"
#include "tests/support/test.h"

#define MUTATIONS 60000
#define ROOM      700

static const char *const seeds[][2] = {
    {"--listen", "udp://127.0.0.1:5555?schema=riemann&receive_buffer=64MiB&receivers=2"},
    {"--listen", "udp://[2001:db8::1%3]:5555?max_datagram=1.5KiB&ipv6_only=true"},
    {"--listen", "pcap:some/file.pcap?port=5555&schema=telemetry&max_decoded=512KiB"},
    {"--listen",
     "udp://0.0.0.0:1?schema=a.desc&message=a.B&match=source:10.1.0.0/16&header=4"
     "&schema=b/c&message=d&name=x&value=y.z&framing=delimited&match=magic:00&schema=riemann"},
    {"--sink", "stdout:?format=json&view=message&names=proto&int64=number"},
    {"--sink", "stdout:?include=a*;b=?,c&exclude=d=e&sample=1/10&rename=f:g&drop_label=h,i*"
               "&rename_label=j:k,l:m&add_label=n=o,p=q"},
    {"--sink", "file:/var/log/sluice/\xc3\xa4.ndjson?format=lines"},
    {"--duration", "1.5s"},
    {"--max-datagrams", "18446744073709551615"},
    {"--memory", "0.5GiB"},
    {"--stop-timeout", "500ms"},
    {"--ledger", "json"},
};
#define SEEDS (sizeof seeds / sizeof seeds[0])

static uint64_t random_state;

static size_t random_below(size_t limit)
{
    return (size_t)next_below(&random_state, limit);
}

static void insert(char *text, size_t at, const char *bytes, size_t size)
{
    size_t length = strlen(text);
    if (length + size + 1 > ROOM)
        return;
    memmove(text + at + size, text + at, length - at + 1);
    memcpy(text + at, bytes, size);
}

static void mutate(char *text)
{
    static const char *const words[] = {"&",
                                        "=",
                                        "?",
                                        ":",
                                        "//",
                                        "[",
                                        "]",
                                        "%",
                                        ".",
                                        "-",
                                        "\n",
                                        "\xff",
                                        "\xc3",
                                        "0",
                                        "999999999999999999999",
                                        "KiB",
                                        "s",
                                        "schema=",
                                        "match=magic:00",
                                        "&port=1",
                                        "--",
                                        "udp://"};
    size_t length = strlen(text);
    size_t at = random_below(length + 1);
    char piece[ROOM];
    const char *word = words[random_below(sizeof words / sizeof words[0])];
    switch (random_below(5)) {
    case 0:
        insert(text, at, word, strlen(word));
        break;
    case 1: /* remove bytes */
        if (at < length) {
            size_t size = 1 + random_below(length - at);
            memmove(text + at, text + at + size, length - at - size + 1);
        }
        break;
    case 2: /* change a byte, but not the NUL at the end */
        if (at < length)
            text[at] = (char)(1 + random_below(255));
        break;
    case 3: /* repeat bytes */
        memcpy(piece, text, length + 1);
        insert(text, at, piece, random_below(length + 1));
        break;
    default: /* swap two bytes */
        if (at + 1 < length) {
            char byte = text[at];
            text[at] = text[at + 1];
            text[at + 1] = byte;
        }
        break;
    }
}

static void check_column(const char *text, const char *value)
{
    const char *column = strstr(text, ": column ");
    if (column == NULL)
        return;
    unsigned long number = strtoul(column + strlen(": column "), NULL, 10);
    if (number < 1 || number > strlen(value) + 1)
        fail_msg("column %lu of %zu: %s", number, strlen(value), text);
}

static void check_error(const struct error *error, const char *value)
{
    assert_int_equal(error->code, EXIT_CODE_USAGE);
    assert_true(error->text[0] != '\0');
    for (const char *c = error->text; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            fail_msg("a control character in: %s", error->text);
    /*
     * The error must fit, because its end contains the value and the place that are checked next.
     */
    assert_true(strlen(error->text) < sizeof error->text - 1);
    check_column(error->text, value);
}

TEST(no_mutation_crashes_and_every_refusal_is_one_line)
{
    size_t accepted = 0;
    random_state = UINT64_C(0x9e3779b97f4a7c15);
    for (size_t i = 0; i < MUTATIONS; i++) {
        char program[] = "sluice";
        char option[ROOM], value[ROOM], second_option[ROOM], second_value[ROOM];
        const char *const *seed = seeds[random_below(SEEDS)];
        const char *const *second = seeds[random_below(SEEDS)];
        snprintf(option, ROOM, "%s", seed[0]);
        snprintf(value, ROOM, "%s", seed[1]);
        snprintf(second_option, ROOM, "%s", second[0]);
        snprintf(second_value, ROOM, "%s", second[1]);
        for (size_t changes = 1 + random_below(4); changes > 0; changes--)
            mutate(random_below(8) == 0 ? option : value);
        char *argv[] = {program, second_option, second_value, option, value, NULL};
        int argc = 5 - (int)(random_below(16) == 0);

        struct config config;
        struct error error = {0};
        enum options_result result = options_parse(argc, argv, &test_registry, &config, &error);
        if (result == OPTIONS_RUN)
            accepted++;
        else if (result == OPTIONS_WRONG)
            check_error(&error, value);
        if (result != OPTIONS_RUN)
            assert_null(config.listeners);
        config_free(&config);
    }
    /* If too few of the mutated lines were valid, the loop would test only errors. */
    assert_in_range(accepted, MUTATIONS / 100, MUTATIONS / 2);
}
