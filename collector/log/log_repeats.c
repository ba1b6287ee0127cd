#include "collector/log/log_repeats.h"

#include "collector/base/rule.h"

/* The interval begins with the first repetition, even if that arrives just before `due_ns`. */
bool log_repeats_take(struct log_repeats *repeats, const struct log_entry *entry, int64_t now_ns)
{
    if (!repeats->known || !log_entry_is(&repeats->last, entry))
        return false;
    if (repeats->count == 0) {
        if (now_ns >= repeats->due_ns)
            return false;
        repeats->due_ns = now_ns + repeats->interval_ns;
    }
    repeats->count++;
    return true;
}

void log_repeats_begin(struct log_repeats *repeats, const struct log_entry *entry, int64_t now_ns)
{
    RULE(repeats->count == 0, "repetitions are reported before the next message");
    repeats->last = *entry;
    repeats->known = entry->level != LOG_INFO;
    repeats->count = 0;
    repeats->due_ns = now_ns + repeats->interval_ns;
}

void log_repeats_reported(struct log_repeats *repeats, int64_t now_ns)
{
    repeats->count = 0;
    repeats->due_ns = now_ns + repeats->interval_ns;
}

void log_repeats_put_off(struct log_repeats *repeats, int64_t now_ns)
{
    repeats->due_ns = now_ns + repeats->interval_ns;
}

uint64_t log_repeats_end(struct log_repeats *repeats)
{
    uint64_t unreported = repeats->count;
    repeats->count = 0;
    repeats->known = false;
    return unreported;
}

int64_t log_repeats_due(const struct log_repeats *repeats)
{
    return repeats->count != 0 ? repeats->due_ns : INT64_MAX;
}
