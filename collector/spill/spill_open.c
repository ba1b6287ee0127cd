#include "collector/spill/spill.h"

#include <stdlib.h>

#include "collector/platform/clock.h"
#include "collector/platform/machine.h"
#include "collector/spill/recovery.h"
#include "collector/spill/settings.h"
#include "collector/spill/spill_state.h"

static uint64_t random_number(struct error *error)
{
    uint64_t number = 0;
    while (number == 0)
        if (random_bytes((uint8_t *)&number, sizeof number, error) != 0)
            return 0;
    return number;
}

static int open_all(struct spill *spill, const struct spill_settings *settings, struct error *error)
{
    struct recovered recovered;
    if (segments_init(&spill->segments, settings->folder, error) != 0)
        return -1;
    spill->settings.folder = spill->segments.folder;
    if (spill_take_lock(spill, error) != 0)
        return -1;
    bool found =
        cursor_open(&spill->cursor, segments_path(&spill->segments, "ack"), &spill->written);
    if (recovery_run(&spill->segments, &spill->kept, found ? &spill->written : NULL,
                     settings->label, &recovered, error) != 0 ||
        segments_reserve(&spill->segments,
                         spill_most_segments(&spill->settings, spill->segments.count), error) != 0)
        return -1;
    spill->owes_sync = spill_may_sync(spill) && spill->segments.count != 0;
    if (spill->owes_sync)
        spill_sync_recovered(spill);
    spill->id = recovered.spill != 0 ? recovered.spill : random_number(error);
    spill->epoch = random_number(error);
    if (spill->id == 0 || spill->epoch == 0)
        return -1;
    spill->recovered = spill->segments.end - recovered.position + kept_records(&spill->kept, true) +
                       kept_records(&spill->kept, false) + recovered.lost;
    spill->recovered_bytes = spill->segments.bytes + kept_bytes(&spill->kept);
    spill->has_cursor = found && spill->written.spill == spill->id;
    spill->again = recovered.read;
    /*
     * Writes the cursor now. A later opening that finds no cursor then knows that it was removed.
     * If the write fails, it is tried again at the next write.
     */
    if (!spill->has_cursor) {
        spill->written = (struct cursor_state){0};
        spill_write_cursor(spill, recovered.position, recovered.read, NULL);
    }
    spill->cursor_ns = spill->synced_ns = clock_monotonic_ns();
    if (reader_init(&spill->reader, spill->id, recovered.position, settings->window, error) != 0)
        return -1;
    spill->reader.lost = recovered.lost;
    return 0;
}

int spill_open(const struct spill_settings *settings, struct spill **out, struct error *error)
{
    struct spill_settings checked;
    if (spill_settings_complete(settings, &checked, error) != 0)
        return -1;
    struct spill *spill = calloc(1, sizeof *spill);
    if (spill == NULL)
        return error_no_memory(error);
    spill->settings = checked;
    spill_set_label(spill, checked.label);
    if (open_all(spill, settings, error) != 0) {
        spill_free(spill);
        return -1;
    }
    *out = spill;
    return 0;
}
