#include "tests/support/sinks/ruled_encoding.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/config/url.h"
#include "collector/receive/sources.h"
#include "proto/schemas.h"
#include "sinks/sinks.h"
#include "tests/support/test.h"

static const struct config_registry registry = {
    .sources = builtin_sources,
    .schemas = builtin_schemas,
    .destinations = builtin_destinations,
    .encoders = builtin_encoders,
};

struct ruled ruled_open(const struct schema_ops *schema, const char *keys)
{
    char url[1024];
    struct parse_error fault;
    struct ruled ruled = {.config = {.sinks = calloc(1, sizeof *ruled.config.sinks)}};
    /* The URL is that of a file: sink, because such a sink accepts every format. */
    snprintf(url, sizeof url, "file:unopened?%s", keys);
    assert_non_null(ruled.config.sinks);
    ruled.config.sink_count = 1;
    if (!url_parse_sink(url, &registry, ruled.config.sinks, &fault))
        fail_msg("%s: %s", url, fault.text);
    const struct sink_config *sink = ruled.config.sinks;
    ruled.encoding = encoding_create(schema, sink->settings.encoder, &sink->settings.encoding);
    return ruled;
}

void ruled_close(struct ruled *ruled)
{
    encoding_free(ruled->encoding);
    config_free(&ruled->config);
}

const char *ruled_heads(const char *keys, struct telemetry_builder *builder)
{
    static char heads[4096];
    char all[256];
    size_t used = 0;
    snprintf(all, sizeof all, "format=influx%s%s", *keys == '\0' ? "" : "&", keys);
    struct ruled ruled = ruled_open(&schema_telemetry, all);
    telemetry_end(builder);
    assert_true(encoding_decode(ruled.encoding, builder->datagram, builder->size));
    encoding_assert_whole_or_overflow(ruled.encoding);
    assert_int_equal(ruled.encoding->lines, ruled.encoding->samples);
    heads[0] = '\0';
    for (const char *line = ruled.encoding->text; *line != '\0'; line = strchr(line, '\n') + 1)
        used += (size_t)snprintf(heads + used, sizeof heads - used, "%s%.*s", used == 0 ? "" : " ",
                                 (int)strcspn(line, " "), line);
    ruled_close(&ruled);
    telemetry_begin(builder);
    return heads;
}
