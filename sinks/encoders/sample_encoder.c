#include "sinks/encoders/sample_encoder.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/series/series_guard.h"
#include "sinks/encoders/sample_bounds.h"
#include "sinks/encoders/sample_filter.h"
#include "sinks/encoders/sample_shape.h"

/*
 * The escaped text of a label is at most six times as long as the label in the datagram, because a
 * control character becomes an escape of six bytes.
 */
_Static_assert(ENCODER_SCRATCH_SIZE >= 6 * 65536, "the labels of any datagram fit");

static struct text host_of(const char *given, char host[HOST_NAME_SIZE])
{
    return given != NULL ? (struct text){given, strlen(given)}
                         : (struct text){host, host_name(host)};
}

static void set_rules(struct sample_encoder *encoder, const struct encoder_options *options)
{
    const struct sample_rules *rules = &options->rules;
    encoder->rules = *rules;
    encoder->filters = sample_rules_filter(rules);
    encoder->renames = rules->rename != NULL;
    if (rules->rename_label != NULL || rules->add_label != NULL || rules->drop_label != NULL ||
        rules->keep_label != NULL)
        encoder->labels.rules = &encoder->rules;
    if (rules->add_label != NULL)
        encoder->labels.host = host_of(options->host, encoder->host);
}

void *sample_encoder_create(const struct encoder_ops *ops, size_t size,
                            const struct encoder_options *options)
{
    struct sample_encoder *made = calloc(1, size);
    if (made == NULL)
        return NULL;
    made->scratch.base = malloc(ENCODER_SCRATCH_SIZE); /* unwritten pages use no memory */
    made->scratch.capacity = ENCODER_SCRATCH_SIZE;
    if (made->scratch.base == NULL || (ops->caches_parts && !part_cache_init(&made->parts))) {
        free(made->scratch.base);
        free(made);
        return NULL;
    }
    made->encoder.ops = ops;
    made->buckets = options->buckets;
    made->counter_suffix = options->counter_suffix;
    made->native = options->native;
    made->float_numbers = options->float_numbers;
    made->exemplars = options->exemplars;
    made->series = options->series;
    set_rules(made, options);
    return made;
}

void sample_encoder_destroy(struct encoder *encoder)
{
    struct sample_encoder *made = (struct sample_encoder *)encoder;
    part_cache_destroy(&made->parts);
    free(made->scratch.base);
    free(made);
}

void sample_encoder_begin_record(struct sample_encoder *encoder)
{
    encoder->scratch.used = 0;
    encoder->scratch.exhausted = false;
    encoder->left_out = encoder->joined = 0;
    encoder->shared.of = NULL;
    sample_labels_begin_record(&encoder->labels, &encoder->scratch);
    part_cache_begin_record(&encoder->parts);
}

static bool sample_encoder_take(struct sample_encoder *encoder, const struct record *record,
                                struct sample *sample, struct output *out)
{
    if (encoder->filters &&
        !sample_filter_keeps(&encoder->rules, &encoder->labels, record, sample, out))
        return false;
    sample_shape_name(&encoder->rules, &sample->name);
    return true;
}

struct encoded sample_encoder_write(struct sample_encoder *encoder, const struct record *record,
                                    sample_writer *write, struct output *out)
{
    const struct schema_ops *ops = record->schema->ops;
    struct schema_cursor cursor = {.scratch = &encoder->scratch, .missing = encoder->missing};
    struct sample sample;
    struct encoded encoded = {0};
    RULE(encoder->labels.scratch == &encoder->scratch, "a record is begun before it is written");
    bool ruled = encoder->filters || encoder->renames;
    if (encoder->series != NULL)
        series_guard_begin_record(encoder->series, record->received_ns);
    while (!out->overflow && ops->next_sample(record->schema, record->message, &cursor, &sample)) {
        if (ruled && !sample_encoder_take(encoder, record, &sample, out))
            continue;
        if (encoder->series != NULL &&
            !sample_bounds_allow(encoder, record, &sample, out, &encoded))
            continue;
        size_t lines = write(encoder, record, &sample, out);
        encoded.lines += lines;
        encoded.samples += lines != 0;
    }
    encoded.left_out = encoder->left_out;
    encoded.joined = encoder->joined;
    RULE(encoded.lines >= encoded.samples, "each sample that is counted has a line");
    return encoded;
}

/* --- parts of lines --------------------------------------------------------------------------- */

const struct part_entry *sample_encoder_find(struct sample_encoder *encoder,
                                             const struct record *record,
                                             const struct sample *sample, struct output *out)
{
    struct sample_labels *labels = &encoder->labels;
    if (labels->rules != NULL)
        return NULL;
    const struct part_entry *found = part_cache_find(&encoder->parts, record, sample);
    if (found != NULL)
        sample_labels_count_steps(labels, found->steps, out);
    else
        encoder->steps_before = labels->steps;
    return found;
}

/*
 * A sample that repeats the key of a label needs more room while it is written than a copy does, so
 * it is not kept.
 */
void sample_encoder_keep(struct sample_encoder *encoder, struct text before, struct text after)
{
    const struct sample_labels *labels = &encoder->labels;
    if (labels->rules == NULL && !labels->repeats_key)
        part_cache_keep(&encoder->parts, before, after, labels->steps - encoder->steps_before);
}
