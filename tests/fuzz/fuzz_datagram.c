/*
 * Fuzzes the built-in schemas and all encoders with datagrams.
 *
 * Fields of the envelope: 1 the schema; 2 bits of the encoders' options; 3 datagrams; 4 keys of a
 * sink's URL (its rules for samples).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/config/url.h"
#include "collector/program/registry.h"
#include "tests/fuzz/envelope.h"
#include "tests/fuzz/records.h"
#include "tests/fuzz/target.h"

enum { PART_SCHEMA = 1, PART_OPTIONS = 2, PART_DATAGRAM = 3, PART_KEYS = 4 };

static void read_options(const struct envelope *envelope, struct encoder_options *options,
                         struct sink_config *sink)
{
    uint64_t bits = envelope_value(envelope, PART_OPTIONS, 0);
    char *keys = envelope_text(envelope, PART_KEYS, 0);
    struct parse_error error;
    if (keys != NULL) {
        char *url = malloc(strlen(keys) + 32);
        if (url == NULL)
            abort();
        sprintf(url, "file:unopened?%s", keys);
        if (url_parse_sink(url, &program_registry, sink, &error))
            *options = sink->settings.encoding;
        free(url);
        free(keys);
    }
    options->view = (enum sink_view)(bits % 4);
    options->json = (struct json_style){.proto_names = (bits & 4) != 0,
                                        .int64_numbers = (bits & 8) != 0,
                                        .show_unknown = (bits & 16) != 0};
    options->colour = (bits & 32) != 0;
    options->counter_suffix = (bits & 64) != 0;
    options->buckets = (bits & 128) != 0   ? BUCKETS_CHANGED
                       : (bits & 256) != 0 ? BUCKETS_LEAST + bits / 512 % 64
                                           : BUCKETS_ALL;
    options->native = (enum native_histograms)(bits >> 15 & 3) % 3;
    options->exemplars = (bits >> 17 & 1) != 0;
    options->host = "a host";
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct envelope envelope;
    struct encoder_options options = {0};
    struct sent sent[4];
    size_t count = 0;
    struct config config = {.sinks = calloc(1, sizeof(struct sink_config)), .sink_count = 1};
    if (config.sinks == NULL)
        abort();
    envelope_read(&envelope, data, size);
    read_options(&envelope, &options, config.sinks);
    for (; count < 4; count++) {
        const struct envelope_part *part = envelope_bytes(&envelope, PART_DATAGRAM, count);
        if (part == NULL || part->size > UINT16_MAX)
            break;
        sent[count] = (struct sent){part->bytes, part->size};
    }
    check_datagrams(sent, count, builtin_schema(envelope_value(&envelope, PART_SCHEMA, 0)),
                    &options);
    config_free(&config);
    envelope_free(&envelope);
    return 0;
}
