#include "collector/metrics/metrics_rising.h"

#include <stdlib.h>

bool metrics_rising_keep(struct metrics_rising *rising, struct ledger_snapshot *ledger)
{
    size_t count = ledger_sink_indexes(ledger);
    if (count > rising->sink_count) {
        uint64_t *grown = realloc(rising->sink_bytes, count * sizeof *grown);
        if (grown == NULL)
            return false;
        rising->sink_bytes = grown;
        while (rising->sink_count < count)
            grown[rising->sink_count++] = 0;
    }
    for (size_t i = 0; i < ledger->sink_count; i++) {
        struct sink_totals *sink = &ledger->sinks[i];
        uint64_t *last = &rising->sink_bytes[sink->index];
        if (sink->bytes < *last)
            sink->bytes = *last;
        *last = sink->bytes;
    }
    return true;
}

void metrics_rising_free(struct metrics_rising *rising)
{
    free(rising->sink_bytes);
}
