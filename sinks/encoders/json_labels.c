#include "sinks/encoders/json_labels.h"

#include "collector/text/json_writer.h"

static void write_label(struct sample_labels *labels, const struct label *label, struct output *out)
{
    size_t start = out->used;
    if (labels->count != 0)
        output_char(out, ',');
    size_t at = out->used + 1; /* the key is compared without its quotes */
    json_string_after(out, 0, label->key.data, label->key.size);
    if (sample_labels_keep(labels, at, out->used - 1 - at, out))
        json_string_after(out, ':', label->value.data, label->value.size);
    else
        out->used = start;
}

void json_labels_write(struct sample_labels *labels, const struct record *record,
                       const struct sample *sample, const struct sample_exemplar *exemplar,
                       struct output *out)
{
    struct label label;
    sample_labels_begin(labels, record, sample, exemplar);
    output_char(out, '{');
    while (sample_labels_next(labels, &label, out)) {
        if (label.shared != NULL && sample_labels_repeat(labels, &label, ',', out))
            break;
        write_label(labels, &label, out);
    }
    sample_labels_remember(labels, out);
    output_char(out, '}');
}
