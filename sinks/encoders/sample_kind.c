#include "sinks/encoders/sample_kind.h"

#define TEXT(literal)                                                                              \
    {                                                                                              \
        "" literal, sizeof(literal) - 1                                                            \
    }

/* The first three numbers are the kinds of numeric samples (enum sample_kind). */
enum { HISTOGRAM = 3, EXPONENTIAL_HISTOGRAM, SUMMARY };

static const struct text kind_names[SAMPLE_KINDS] = {
    [SAMPLE_GAUGE] = TEXT("gauge"),
    [SAMPLE_COUNTER] = TEXT("counter"),
    [SAMPLE_UPDOWN_COUNTER] = TEXT("updown_counter"),
    [HISTOGRAM] = TEXT("histogram"),
    [EXPONENTIAL_HISTOGRAM] = TEXT("exponential_histogram"),
    [SUMMARY] = TEXT("summary"),
};

static const struct text temporality_names[SAMPLE_TEMPORALITIES] = {
    [SAMPLE_NO_TEMPORALITY] = TEXT(""),
    [SAMPLE_CUMULATIVE] = TEXT("cumulative"),
    [SAMPLE_DELTA] = TEXT("delta"),
};

static size_t kind_of(const struct sample *sample)
{
    switch (sample->type) {
    case SAMPLE_HISTOGRAM:
        return HISTOGRAM;
    case SAMPLE_EXPONENTIAL_HISTOGRAM:
        return EXPONENTIAL_HISTOGRAM;
    case SAMPLE_SUMMARY:
        return SUMMARY;
    default:
        return (size_t)sample->kind;
    }
}

void sample_kinds_make(struct sample_kinds *kinds, sample_kind_writer *write)
{
    for (size_t kind = 0; kind < SAMPLE_KINDS; kind++) {
        for (size_t temporality = 0; temporality < SAMPLE_TEMPORALITIES; temporality++) {
            struct sample_kind_text *made = &kinds->texts[kind][temporality];
            struct output out = {.data = made->text, .capacity = sizeof made->text};
            write(&out, &kind_names[kind], &temporality_names[temporality]);
            made->size = out.used;
        }
    }
}

void sample_kinds_put(const struct sample_kinds *kinds, const struct sample *sample,
                      struct output *out)
{
    const struct sample_kind_text *made = &kinds->texts[kind_of(sample)][sample->temporality];
    output_bytes(out, made->text, made->size);
}
