#include "tests/support/config/config_tables.h"

#include "collector/contract/compression.h"
#include "collector/receive/sources.h"
#include "sinks/files/path_template.h"

/* The schema telemetry also decodes OTLP over UDP. */
static const struct schema_ops telemetry = {.name = "telemetry", .otlp_udp = OTLP_UDP_METRICS};
static const struct schema_ops riemann = {.name = "riemann"};
static const struct schema_ops file = {.name = "file"};
static const struct destination_ops to_stdout = {.scheme = "stdout"};
static const struct destination_ops to_file = {.scheme = "file",
                                               .place_is = PLACE_FILES,
                                               .keys = DESTINATION_KEYS_FILE,
                                               .read_path = path_template_read};
static const struct encoder_ops json = {.name = "json", .has_json = true};
static const struct encoder_ops lines = {.name = "lines",
                                         .needs_samples = true,
                                         .has_buckets = true,
                                         .has_suffixes = true,
                                         .has_native = true,
                                         .has_typed_numbers = true,
                                         .has_columns = true};
static struct encoded arrange(struct encoder *encoder, char *block, size_t size, struct output *out)
{
    (void)encoder;
    (void)block;
    (void)size;
    (void)out;
    return (struct encoded){0};
}
static const struct encoder_ops families = {.name = "families", .arrange = arrange};
static const struct encoder_ops bytes = {.name = "bytes", .binary = true};

/*
 * The default entries are not the first ones, so a search that ignores names would find the wrong
 * entry.
 */
static const struct schema_ops *const schemas[] = {&riemann, &telemetry, NULL};
static const struct destination_ops *const destinations[] = {&to_stdout, &to_file, NULL};
static const struct compression_ops squeeze = {.name = "squeeze"};
static const struct compression_ops *const compressions[] = {&squeeze, NULL};
static const struct encoder_ops *const encoders[] = {&lines, &json, &bytes, &families, NULL};

static const struct notifier_backend edge = {.name = "edge"};
static const struct notifier_backend *const notifiers[] = {&edge, NULL};

const struct config_registry test_registry = {
    .sources = builtin_sources,
    .schemas = schemas,
    .schema_from_file = &file,
    .destinations = destinations,
    .encoders = encoders,
    .compressions = compressions,
    .notifiers = notifiers,
    .local_syntax = "unix:PATH",
};
