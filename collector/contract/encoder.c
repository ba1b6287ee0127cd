#include "collector/contract/encoder.h"

const char *const sink_view_names[] = {
    [VIEW_AUTO] = "auto",
    [VIEW_SAMPLE] = "sample",
    [VIEW_MESSAGE] = "message",
    [VIEW_RECORD] = "record",
    NULL,
};

bool encoder_allows(const struct encoder_options *options, const struct record *record,
                    size_t bytes)
{
    return bytes <= AMPLIFICATION_FREE || options->max_amplification == 0 ||
           bytes / options->max_amplification <= record->size;
}
