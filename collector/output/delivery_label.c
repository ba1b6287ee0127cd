#include "collector/output/delivery_label.h"

#include <stdio.h>
#include <string.h>

#include "collector/spill/spill.h"

_Static_assert(DELIVERY_LABEL_SIZE == SPILL_LABEL_SIZE, "a label has room in a spill");

static const char *media_type_of(const struct encoder_ops *encoder)
{
    if (encoder->request != NULL && encoder->request->shape_count != 0)
        return encoder->request->shapes[0].content_type;
    return encoder->media_type == NULL ? "application/octet-stream" : encoder->media_type;
}

void delivery_label_write(const struct sink_thread_options *options,
                          char label[DELIVERY_LABEL_SIZE])
{
    const struct destination_ops *to = options->destination;
    bool has_head = options->settings->encoding.head.size != 0;
    snprintf(label, DELIVERY_LABEL_SIZE, "%s%s\n%s\n%s\n%s", options->settings->encoder->name,
             has_head ? " with schema_id" : "", media_type_of(options->settings->encoder),
             to->spilled_for != NULL ? to->spilled_for : to->scheme,
             to->topic != NULL ? to->topic(options->path) : "");
}

static const char *next_line(const char *at, char *line, size_t size)
{
    size_t length = strcspn(at, "\n");
    snprintf(line, size, "%.*s", (int)(length < size ? length : size - 1), at);
    return at[length] == '\0' ? at + length : at + length + 1;
}

void delivery_label_describe(const char *label, char words[DELIVERY_LABEL_WORDS_SIZE])
{
    char format[40], media[80], kind[40], place[128];
    const char *at = next_line(label, format, sizeof format);
    at = next_line(at, media, sizeof media);
    at = next_line(at, kind, sizeof kind);
    next_line(at, place, sizeof place);
    if (label[0] == '\0')
        snprintf(words, DELIVERY_LABEL_WORDS_SIZE, "of an unknown format");
    else
        snprintf(words, DELIVERY_LABEL_WORDS_SIZE, "%s for %s%s%s%s", format, kind,
                 place[0] == '\0' ? "" : ", ",
                 place[0] == '\0'             ? ""
                 : strcmp(kind, "kafka") == 0 ? "topic "
                                              : "subject ",
                 place);
}
