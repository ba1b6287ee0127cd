#include "sinks/sample_kind.h"

#define TEXT(literal) ((struct text){"" literal, sizeof(literal) - 1})

static struct text number_kind_name(enum sample_kind kind)
{
    switch (kind) {
    case SAMPLE_GAUGE:
        return TEXT("gauge");
    case SAMPLE_COUNTER:
        return TEXT("counter");
    case SAMPLE_UPDOWN_COUNTER:
        return TEXT("updown_counter");
    }
    return TEXT("");
}

struct text sample_kind_name(const struct sample *sample)
{
    if (sample->type == SAMPLE_HISTOGRAM)
        return TEXT("histogram");
    if (sample->type == SAMPLE_EXPONENTIAL_HISTOGRAM)
        return TEXT("exponential_histogram");
    if (sample->type == SAMPLE_SUMMARY)
        return TEXT("summary");
    return number_kind_name(sample->kind);
}

struct text sample_temporality_name(const struct sample *sample)
{
    switch (sample->temporality) {
    case SAMPLE_NO_TEMPORALITY:
        break;
    case SAMPLE_CUMULATIVE:
        return TEXT("cumulative");
    case SAMPLE_DELTA:
        return TEXT("delta");
    }
    return TEXT("");
}
