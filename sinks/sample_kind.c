#include "sinks/sample_kind.h"

#define TEXT(literal)                                                                              \
    {                                                                                              \
        "" literal, sizeof(literal) - 1                                                            \
    }

/* Those of a single number, which has its kind, come first. */
enum { HISTOGRAM = 3, EXPONENTIAL_HISTOGRAM, SUMMARY };

const struct text sample_kind_names[SAMPLE_KINDS] = {
    [SAMPLE_GAUGE] = TEXT("gauge"),
    [SAMPLE_COUNTER] = TEXT("counter"),
    [SAMPLE_UPDOWN_COUNTER] = TEXT("updown_counter"),
    [HISTOGRAM] = TEXT("histogram"),
    [EXPONENTIAL_HISTOGRAM] = TEXT("exponential_histogram"),
    [SUMMARY] = TEXT("summary"),
};

const struct text sample_temporality_names[SAMPLE_TEMPORALITIES] = {
    [SAMPLE_NO_TEMPORALITY] = TEXT(""),
    [SAMPLE_CUMULATIVE] = TEXT("cumulative"),
    [SAMPLE_DELTA] = TEXT("delta"),
};

size_t sample_kind_of(const struct sample *sample)
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

struct text sample_kind_name(const struct sample *sample)
{
    return sample_kind_names[sample_kind_of(sample)];
}

struct text sample_temporality_name(const struct sample *sample)
{
    return sample_temporality_names[sample->temporality];
}
