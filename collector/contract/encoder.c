#include "collector/contract/encoder.h"

const char *const sink_view_names[] = {
    [VIEW_AUTO] = "auto",
    [VIEW_SAMPLE] = "sample",
    [VIEW_MESSAGE] = "message",
    [VIEW_RECORD] = "record",
    NULL,
};

const char *const native_histograms_names[] = {
    [NATIVE_OFF] = "off",
    [NATIVE_EXPONENTIAL] = "exponential",
    [NATIVE_ALL] = "all",
    NULL,
};

bool encoder_allows(const struct encoder_options *options, const struct record *record,
                    size_t bytes)
{
    return bytes <= AMPLIFICATION_FREE || options->max_amplification == 0 ||
           bytes / options->max_amplification <= record->size;
}
