#include "sinks/json_labels.h"

#include "collector/text/json_writer.h"

/* Writes the label's key. Returns whether it stays; else nothing of it does. */
static bool write_key(struct sample_labels *labels, const struct text *text, struct output *out)
{
    size_t start = out->used;
    json_key(out, text->data, text->size);
    if (out->overflow)
        return false;
    /* Compared without its quotes, the colon, and the comma before them. */
    size_t at = start + 1 + (out->data[start] == ',');
    if (sample_labels_keep(labels, at, out->used - 2 - at, out))
        return true;
    out->used = start;
    return false;
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
        if (write_key(labels, &label.key, out))
            json_string(out, label.value.data, label.value.size);
    }
    sample_labels_remember(labels, out);
    output_char(out, '}');
}
