#include "sinks/encoders/remote_write_sample.h"

static bool begins(const uint8_t *at, const uint8_t *end, uint8_t tag)
{
    return at != end && *at == tag;
}

static const uint8_t *skip_bytes(const uint8_t *at, const uint8_t *end)
{
    size_t length;
    at = wire_read_length(at + 1, end, &length);
    return at == NULL ? NULL : at + length;
}

/*
 * Returns the end of the text field with this tag at `at`, or NULL if there is no such field or its
 * text is empty.
 */
static const uint8_t *skip_text(const uint8_t *at, const uint8_t *end, uint8_t tag)
{
    size_t length;
    if (!begins(at, end, tag))
        return NULL;
    at = wire_read_length(at + 1, end, &length);
    return at == NULL || length == 0 ? NULL : at + length;
}

static const uint8_t *skip_label(const uint8_t *at, const uint8_t *end, uint8_t tag)
{
    size_t length;
    if (!begins(at, end, tag))
        return NULL;
    at = wire_read_length(at + 1, end, &length);
    if (at == NULL)
        return NULL;
    end = at + length;
    at = skip_text(at, end, LABEL_NAME);
    at = at == NULL ? NULL : skip_text(at, end, LABEL_VALUE);
    return at == end ? end : NULL;
}

static bool exemplar_is_whole(const uint8_t *at, const uint8_t *end)
{
    uint64_t value;
    while (begins(at, end, EXEMPLAR_LABELS))
        if ((at = skip_label(at, end, EXEMPLAR_LABELS)) == NULL)
            return false;
    if (!begins(at, end, EXEMPLAR_VALUE))
        return false;
    at = wire_read_fixed64(at + 1, end, &value);
    if (at == NULL || !begins(at, end, EXEMPLAR_TIME))
        return false;
    return wire_read_varint(at + 1, end, &value) == end;
}

static const uint8_t *skip_exemplars(const uint8_t *at, const uint8_t *end)
{
    size_t length;
    while (begins(at, end, SAMPLE_EXEMPLAR)) {
        at = wire_read_length(at + 1, end, &length);
        if (at == NULL || !exemplar_is_whole(at, at + length))
            return NULL;
        at += length;
    }
    return at;
}

static const uint8_t *skip_fields(const uint8_t *at, const uint8_t *end, bool native)
{
    uint64_t start;
    if (!begins(at, end, SAMPLE_UNIT))
        return NULL;
    at = skip_bytes(at, end);
    if (at != NULL && begins(at, end, SAMPLE_HELP))
        at = skip_text(at, end, SAMPLE_HELP);
    if (at != NULL && begins(at, end, SAMPLE_START))
        at = wire_read_varint(at + 1, end, &start);
    if (at == NULL || begins(at, end, SAMPLE_NATIVE) != native)
        return NULL;
    if (native)
        at = skip_bytes(at, end);
    return at == NULL ? NULL : skip_exemplars(at, end);
}

bool remote_write_sample_is_whole(const char *at, size_t left)
{
    struct remote_write_sample sample;
    if (left < sizeof sample)
        return false;
    sample = remote_write_sample_load(at);
    if (sample.size > left || sample.size < REMOTE_WRITE_SMALLEST ||
        sample.labels_size >= sample.size - sizeof sample)
        return false;
    const uint8_t *label = (const uint8_t *)at + sizeof sample;
    const uint8_t *labels_end = label + sample.labels_size;
    const uint8_t *end = (const uint8_t *)at + sample.size;
    for (uint32_t i = 0; i < sample.labels; i++)
        if ((label = skip_label(label, labels_end, SERIES_LABELS)) == NULL)
            return false;
    return label == labels_end &&
           skip_fields(labels_end, end, (sample.flags & REMOTE_WRITE_NATIVE) != 0) == end;
}

/* --- reading whole samples -------------------------------------------------------------------- */

struct remote_write_fields remote_write_sample_fields(const char *sample_at)
{
    const struct remote_write_sample sample = remote_write_sample_load(sample_at);
    const uint8_t *at = (const uint8_t *)sample_at + sizeof sample + sample.labels_size;
    const uint8_t *end = (const uint8_t *)sample_at + sample.size;
    struct remote_write_fields fields = {.unit = (const char *)at + 1, .end = (const char *)end};
    uint64_t start = 0;
    at = skip_bytes(at, end);
    if (begins(at, end, SAMPLE_HELP)) {
        fields.help = (const char *)at + 1;
        at = skip_bytes(at, end);
    }
    if (begins(at, end, SAMPLE_START))
        at = wire_read_varint(at + 1, end, &start);
    fields.start_ms = (int64_t)start;
    if (begins(at, end, SAMPLE_NATIVE)) {
        fields.histogram = (const char *)at + 1;
        at = skip_bytes(at, end);
    }
    fields.exemplars = (const char *)at;
    return fields;
}

bool remote_write_next_exemplar(const char **next, const char *end,
                                struct remote_write_exemplar *exemplar)
{
    size_t length;
    if (*next == end)
        return false;
    const uint8_t *at = wire_read_length((const uint8_t *)*next + 1, (const uint8_t *)end, &length);
    const uint8_t *exemplar_end = at + length;
    *exemplar = (struct remote_write_exemplar){.labels = (const char *)at,
                                               .end = (const char *)exemplar_end};
    while (begins(at, exemplar_end, EXEMPLAR_LABELS))
        at = skip_bytes(at, exemplar_end);
    exemplar->labels_end = (const char *)at;
    *next = (const char *)exemplar_end;
    return true;
}
