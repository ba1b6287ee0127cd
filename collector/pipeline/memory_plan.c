#include "collector/pipeline/memory_plan.h"

#include <inttypes.h>
#include <stdio.h>

#include "collector/base/rule.h"
#include "collector/config/units.h"
#include "collector/platform/udp.h"
#include "collector/queue/batch_queue.h"
#include "collector/queue/tap.h"
#include "collector/receive/dead_letters.h"
#include "collector/receive/ingest.h"
#include "collector/record/batch.h"
#include "collector/senders/rate_limit.h"
#include "collector/senders/sender_report.h"
#include "collector/senders/sequence.h"
#include "collector/senders/traffic.h"

#define LONGEST_RING ((uint64_t)1 << 24) /* batches; more than any budget has room for */

static size_t fan_outs(const struct memory_needs *needs)
{
    return needs->fan_outs + needs->producers;
}

static size_t threads(const struct memory_needs *needs)
{
    return needs->receivers + needs->producer_threads;
}

/*
 * Returns the largest number of batches that can be in use at the same time: those in full queues,
 * one for each sink, an open one for each ingest, and `tapped` if there is a control socket.
 */
static uint64_t batches(const struct memory_needs *needs, uint64_t queue_capacity, uint64_t tapped)
{
    return fan_outs(needs) * needs->sinks * queue_capacity + needs->sinks + needs->ingests +
           (needs->control ? tapped : 0);
}

static uint64_t small_batches(const struct memory_needs *needs, uint64_t ring_capacity)
{
    return batches(needs, ring_capacity, fan_outs(needs) * TAP_BATCHES + 1) +
           needs->receivers * INGEST_SHARED;
}

static uint64_t large_batches(const struct memory_needs *needs)
{
    return batches(needs, BATCH_QUEUE_LARGE, TAP_LARGE);
}

static uint64_t large_batch(const struct memory_needs *needs)
{
    return needs->large_batch > BATCH_LARGE_SIZE ? needs->large_batch : BATCH_LARGE_SIZE;
}

static uint64_t numbers(const struct memory_needs *needs)
{
    return sequence_table_memory(MEMORY_SENDERS) +
           (needs->spread_window == 0 ? 0 : sequence_spread_memory(needs->spread_window));
}

/*
 * Returns the bytes that the table of sequence numbers allocates to keep its senders for the report
 * of senders.
 */
static uint64_t numbered(const struct memory_needs *needs)
{
    return sequence_senders_memory(MEMORY_SENDERS) +
           (needs->spread_window == 0 ? 0 : sequence_senders_memory(SEQUENCE_SPREAD_SENDERS));
}

static uint64_t report_of_senders(const struct memory_needs *needs)
{
    if (!needs->senders)
        return 0;
    return threads(needs) * traffic_table_memory() + numbered(needs) +
           sender_report_memory(threads(needs));
}

static uint64_t dead_letters(const struct memory_needs *needs)
{
    if (!needs->dead_letters)
        return 0;
    return threads(needs) * dead_letter_queue_memory() + dead_letters_memory();
}

static struct memory_parts parts_of(const struct memory_needs *needs, uint64_t ring_capacity)
{
    return (struct memory_parts){
        .queues = small_batches(needs, ring_capacity) * BATCH_SMALL_STRIDE,
        .large_batches = large_batches(needs) * large_batch(needs),
        .listeners = needs->receivers * datagram_group_memory() + needs->source_memory,
        .senders =
            numbers(needs) + needs->rate_limits * rate_limit_memory() + report_of_senders(needs),
        .sinks = needs->sink_memory,
        .rest = dead_letters(needs) + needs->reserved,
    };
}

static uint64_t sum_of(const struct memory_parts *parts)
{
    return parts->queues + parts->large_batches + parts->listeners + parts->senders + parts->sinks +
           parts->rest;
}

static uint64_t total(const struct memory_needs *needs, uint64_t ring_capacity)
{
    const struct memory_parts parts = parts_of(needs, ring_capacity);
    return sum_of(&parts);
}

/*
 * Adds the needs of optional features to the default budget, so that queues are as long as without
 * these features.
 */
static uint64_t default_budget(const struct memory_needs *needs, uint64_t least)
{
    struct memory_needs bare = *needs;
    bare.control = false;
    bare.senders = false;
    bare.reserved = 0;
    bare.rate_limits = 0;
    bare.source_memory = 0;
    bare.sink_memory -= bare.series_memory;
    bare.large_batch = 0;
    bare.spread_window = 0;
    uint64_t budget = MEMORY_DEFAULT + total(needs, 0) - total(&bare, 0);
    return least > budget ? least : budget;
}

/*
 * Returns the default capacity of a ring. A ring that several threads fill has room for the batches
 * of all of them.
 */
static uint64_t default_ring(const struct memory_needs *needs)
{
    uint64_t threads_of_feed = needs->fan_outs == 0 ? 1 : needs->receivers / needs->fan_outs;
    return MEMORY_DEFAULT_RING * threads_of_feed;
}

int memory_plan_make(struct memory_plan *plan, uint64_t budget, const struct memory_needs *needs,
                     struct error *error)
{
    uint64_t least = total(needs, budget == 0 ? default_ring(needs) : MEMORY_SMALLEST_RING);
    if (budget == 0)
        budget = default_budget(needs, least);
    if (budget < least) {
        char given[QUANTITY_TEXT_SIZE];
        quantity_format(QUANTITY_SIZE, budget, given);
        error_set(error, EXIT_CODE_CONFIG,
                  "--memory %s is too small; this configuration needs at least %" PRIu64 "KiB",
                  given, (least + 1023) / 1024);
        return -1;
    }
    uint64_t per_slot = fan_outs(needs) * needs->sinks * BATCH_SMALL_STRIDE;
    uint64_t capacity = (budget - total(needs, 0)) / per_slot;
    RULE(capacity >= MEMORY_SMALLEST_RING, "an accepted budget gives rings their least capacity");
    if (capacity > LONGEST_RING)
        capacity = LONGEST_RING;
    *plan = (struct memory_plan){
        .parts = parts_of(needs, capacity),
        .ring_capacity = capacity,
        .fan_outs = fan_outs(needs),
        .small_batches = small_batches(needs, capacity),
        .large_batches = large_batches(needs),
        .large_batch = (size_t)large_batch(needs),
        .senders = MEMORY_SENDERS,
        .spread_window = needs->spread_window,
        .total = total(needs, capacity),
        .enough = total(needs, default_ring(needs)),
    };
    RULE(plan->total <= budget, "a plan stays within its budget");
    return 0;
}

static double in_mib(uint64_t bytes)
{
    return (double)bytes / (1024.0 * 1024.0);
}

void memory_plan_describe(const struct memory_plan *plan, char *text, size_t size)
{
    const struct memory_parts *parts = &plan->parts;
    snprintf(text, size,
             "%.1f MiB: queues %.1f, batches for long messages %.1f, listeners %.1f, senders %.1f, "
             "sinks %.1f, others %.1f",
             in_mib(plan->total), in_mib(parts->queues), in_mib(parts->large_batches),
             in_mib(parts->listeners), in_mib(parts->senders), in_mib(parts->sinks),
             in_mib(parts->rest));
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t remainder_of(uint64_t amount, uint64_t part)
{
    return amount - smaller(amount, part);
}

/* Returns the limit of each of `rings` that share `batches`, from `least` to `most`. */
static uint64_t limit_of_each(uint64_t batches, uint64_t rings, uint64_t least, uint64_t most)
{
    return rings == 0 ? most : larger(smaller(batches / rings, most), least);
}

struct memory_share memory_plan_share(const struct memory_plan *plan, bool large,
                                      const struct memory_sharers *sharers)
{
    uint64_t most = large ? BATCH_QUEUE_LARGE : plan->ring_capacity;
    uint64_t least = smaller(large ? 1 : MEMORY_SHORT_RING, most);
    uint64_t half = larger(most / 2, least);
    uint64_t kept = (uint64_t)plan->fan_outs * sharers->kept;
    uint64_t successors = (uint64_t)plan->fan_outs * sharers->successors;
    uint64_t held = sharers->held;
    uint64_t all = (kept + successors) * most;
    uint64_t left = remainder_of(all, held);
    uint64_t part = remainder_of(left, kept * half); /* the successors' part of the batches */
    part = larger(remainder_of(part, held), part / 2);
    uint64_t of_successor = limit_of_each(part, successors, least, most);
    uint64_t taken = successors * of_successor;
    uint64_t of_kept = limit_of_each(remainder_of(left, taken), kept, half, most);
    return (struct memory_share){
        .kept = (size_t)of_kept,
        .successors = (size_t)of_successor,
        .extra = remainder_of(held + taken + kept * of_kept, all),
    };
}
