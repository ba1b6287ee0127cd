#include "collector/output/spill_report.h"

#include <inttypes.h>
#include <stdio.h>

#include "collector/log/log.h"
#include "collector/output/delivery_label.h"
#include "collector/output/delivery_spill.h"
#include "collector/output/sink_writer.h"
#include "collector/platform/clock.h"
#include "collector/spill/inspection.h"

/* Nanoseconds for which --check verifies images, because a spill may have many gigabytes. */
#define VERIFY_NS INT64_C(5000000000)

#define MIB (1024.0 * 1024.0)

static void log_found(const char *name, const char *folder, const struct spill_inspection *found)
{
    char unverified[80] = "";
    if (!found->is_there) {
        log_about(LOG_INFO, LOG_OF_SINK, name, "spill %s: does not exist yet; created at start",
                  folder);
        return;
    }
    if (found->records == 0) {
        log_about(LOG_INFO, LOG_OF_SINK, name, "spill %s: no records wait there", folder);
        return;
    }
    if (found->unverified != 0)
        snprintf(unverified, sizeof unverified,
                 "; %" PRIu64 " of the blocks were not verified, for lack of time",
                 found->unverified);
    log_about(LOG_INFO, LOG_OF_SINK, name,
              "spill %s: %" PRIu64 " record%s wait%s there in %" PRIu64 " block%s, %.1f MiB%s",
              folder, found->records, found->records == 1 ? "" : "s",
              found->records == 1 ? "s" : "", found->blocks, found->blocks == 1 ? "" : "s",
              (double)found->bytes / MIB, unverified);
}

static void warn_of_losses(const char *name, const char *folder,
                           const struct spill_inspection *found)
{
    if (found->lost != 0)
        log_about(LOG_WARNING, LOG_OF_SINK, name,
                  "spill %s: blocks are damaged in %" PRIu64 " place%s; their %" PRIu64
                  " record%s lost",
                  folder, found->gaps, found->gaps == 1 ? "" : "s", found->lost,
                  found->lost == 1 ? " is" : "s are");
    if (found->too_large != 0)
        log_about(
            LOG_WARNING, LOG_OF_SINK, name,
            "spill %s: %" PRIu64
            " record%s in blocks that are too large for this configuration; a start loses them",
            folder, found->too_large, found->too_large == 1 ? " is" : "s are");
}

static void warn_of_kept(const char *name, const char *folder, const char *label,
                         const struct spill_inspection *found)
{
    char theirs[DELIVERY_LABEL_WORDS_SIZE], ours[DELIVERY_LABEL_WORDS_SIZE];
    delivery_label_describe(found->kept_label, theirs);
    delivery_label_describe(label, ours);
    if (found->kept != 0)
        log_about(LOG_WARNING, LOG_OF_SINK, name,
                  "spill %s: %" PRIu64 " record%s %s; this sink sends %s, so they stay there until "
                  "a matching sink uses the folder, or \"sluice spill export\" exports them",
                  folder, found->kept, found->kept == 1 ? " is" : "s are", theirs, ours);
    if (found->strange != 0)
        log_about(LOG_WARNING, LOG_OF_SINK, name,
                  "spill %s: %" PRIu64
                  " file%s named like segments of this spill and not part of it; a "
                  "start does not touch %s",
                  folder, found->strange, found->strange == 1 ? " is" : "s are",
                  found->strange == 1 ? "it" : "them");
}

static void warn_of_room(const char *name, const struct delivery_options *delivery,
                         const struct spill_inspection *found)
{
    uint64_t there = found->bytes < delivery->spill_size ? found->bytes : delivery->spill_size;
    uint64_t wanted = delivery->spill_size - there;
    if (!found->knows_free || found->free >= wanted)
        return;
    log_about(LOG_WARNING, LOG_OF_SINK, name,
              "spill %s: spill_size= allows %.1f MiB more, but the disk has only %.1f MiB free",
              delivery->spill, (double)wanted / MIB, (double)found->free / MIB);
}

int spill_report_log(const struct sink_thread_options *options, struct error *error)
{
    const struct delivery_options *delivery = &options->settings->delivery;
    struct spill_inspection found;
    char label[DELIVERY_LABEL_SIZE];
    if (delivery->spill == NULL)
        return 0;
    delivery_label_write(options, label);
    if (delivery_spill_inspect(delivery, sink_options_record_size(options), label,
                               clock_monotonic_ns() + VERIFY_NS, &found, error) != 0)
        return -1;
    log_found(options->name, delivery->spill, &found);
    warn_of_losses(options->name, delivery->spill, &found);
    warn_of_kept(options->name, delivery->spill, label, &found);
    if (found.is_held)
        log_about(LOG_WARNING, LOG_OF_SINK, options->name,
                  "spill %s: another sink or program has it open now; a start fails until it is "
                  "closed, a reload of that program does not",
                  delivery->spill);
    warn_of_room(options->name, delivery, &found);
    return 0;
}
