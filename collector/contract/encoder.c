#include "collector/contract/encoder.h"

const char *const sink_view_names[] = {
    [VIEW_AUTO] = "auto",
    [VIEW_SAMPLE] = "sample",
    [VIEW_MESSAGE] = "message",
    [VIEW_RECORD] = "record",
    NULL,
};

bool encoder_options_equal(const struct encoder_options *a, const struct encoder_options *b)
{
    return a->view == b->view && a->json.proto_names == b->json.proto_names &&
           a->json.int64_numbers == b->json.int64_numbers &&
           a->json.show_unknown == b->json.show_unknown &&
           sample_rules_equal(&a->rules, &b->rules) && same_text(a->host, b->host) &&
           a->buckets == b->buckets && a->counter_suffix == b->counter_suffix &&
           a->colour == b->colour;
}

bool encoder_allows(const struct encoder_options *options, const struct record *record,
                    size_t bytes)
{
    return bytes <= AMPLIFICATION_FREE || options->max_amplification == 0 ||
           bytes / options->max_amplification <= record->size;
}
