#include "tools/decode/samples.h"

#include "collector/contract/record.h"
#include "collector/text/json_writer.h"
#include "sinks/encoders/json_sample.h"
#include "sinks/encoders/sample_kind.h"

static void put_kind(struct output *out, const struct text *kind, const struct text *temporality)
{
    output_literal(out, ",\"kind\":\"");
    output_bytes(out, kind->data, kind->size);
    if (temporality->size != 0) {
        output_literal(out, "\",\"temporality\":\"");
        output_bytes(out, temporality->data, temporality->size);
    }
    output_literal(out, "\",\"value\":");
}

static void write_line(const struct record *record, const struct sample *sample,
                       const struct sample_kinds *kinds, struct sample_labels *labels,
                       struct arena *scratch, struct output *out)
{
    json_object_begin(out);
    if (sample->time_ns != 0) {
        json_key_literal(out, "time");
        json_time(out, sample->time_ns);
    }
    json_key_literal(out, "name");
    json_string(out, sample->name.data, sample->name.size);
    sample_kinds_put(kinds, sample, out);
    json_sample_value(out, record, sample, scratch);
    if (sample->start_time_ns != 0) {
        json_key_literal(out, "start_time");
        json_time(out, sample->start_time_ns);
    }
    if (sample->unit.size != 0) {
        json_key_literal(out, "unit");
        json_string(out, sample->unit.data, sample->unit.size);
    }
    output_literal(out, ",\"labels\":");
    json_labels_write(labels, record, sample, NULL, out);
    json_sample_exemplars(out, record, sample, labels, ",\"exemplars\":");
    json_object_end(out);
    output_char(out, '\n');
}

static void write_lines(const struct schema *schema, const void *message, struct arena *scratch,
                        struct output *out)
{
    static struct sample_labels labels; /* too large for the stack */
    struct sample_kinds kinds;
    const struct record record = {.schema = schema, .message = message};
    struct schema_cursor cursor = {.scratch = scratch};
    struct sample sample = {.index = 0};
    sample_kinds_make(&kinds, put_kind);
    scratch->used = 0;
    labels = (struct sample_labels){.rules = NULL};
    sample_labels_begin_record(&labels, scratch);
    while (!out->overflow && schema->ops->next_sample(schema, message, &cursor, &sample)) {
        /*
         * The work has no limit here. A collector limits it, because its sinks must not be kept
         * busy.
         */
        labels.steps = 0;
        write_line(&record, &sample, &kinds, &labels, scratch, out);
    }
    out->overflow = out->overflow || scratch->exhausted;
}

int samples_write(struct message_memory *memory, const struct schema *schema, const void *message,
                  struct error *error)
{
    return message_memory_write(memory, schema, message, write_lines, error);
}
