#include "sinks/encoders/remote_write_sample.h"

/* Skips a field with that tag that is a non-empty text. Returns its end, or NULL. */
static const uint8_t *skip_text(const uint8_t *at, const uint8_t *end, uint8_t tag)
{
    size_t length;
    if (at == end || *at != tag)
        return NULL;
    at = wire_read_length(at + 1, end, &length);
    return at == NULL || length == 0 ? NULL : at + length;
}

static const uint8_t *skip_label(const uint8_t *at, const uint8_t *end)
{
    size_t length;
    if (at == end || *at != SERIES_LABELS)
        return NULL;
    at = wire_read_length(at + 1, end, &length);
    if (at == NULL)
        return NULL;
    end = at + length;
    at = skip_text(at, end, LABEL_NAME);
    at = at == NULL ? NULL : skip_text(at, end, LABEL_VALUE);
    return at == end ? end : NULL;
}

bool remote_write_sample_is_whole(const char *at, size_t left)
{
    struct remote_write_sample sample;
    size_t unit;
    if (left < sizeof sample)
        return false;
    sample = remote_write_sample_load(at);
    if (sample.size > left || sample.size <= sizeof sample ||
        sample.labels_size >= sample.size - sizeof sample)
        return false;
    const uint8_t *label = (const uint8_t *)at + sizeof sample;
    const uint8_t *labels_end = label + sample.labels_size;
    const uint8_t *end = (const uint8_t *)at + sample.size;
    for (uint32_t i = 0; i < sample.labels; i++)
        if ((label = skip_label(label, labels_end)) == NULL)
            return false;
    if (label != labels_end || labels_end == end || *labels_end != SAMPLE_UNIT)
        return false;
    const uint8_t *text = wire_read_length(labels_end + 1, end, &unit);
    return sample.size >= REMOTE_WRITE_SMALLEST && text != NULL && text + unit == end;
}
