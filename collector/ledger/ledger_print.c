#include "collector/ledger/ledger_print.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "collector/text/compiler.h"
#include "collector/text/control_character.h"
#include "collector/text/json_writer.h"

/* --- text ------------------------------------------------------------------------------------- */

static void print_put(struct output *out, const char *format, ...) PRINTF_LIKE(2, 3);

static void print_put(struct output *out, const char *format, ...)
{
    size_t room = out->capacity - out->used;
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(out->data + out->used, room, format, arguments);
    va_end(arguments);
    if (size < 0 || (size_t)size >= room)
        out->overflow = true; /* vsnprintf also needs a byte for the NUL */
    if (!out->overflow)
        out->used += (size_t)size;
}

/* Writes " + NAME N" for each nonzero term of a sum. */
static void print_terms(struct output *out, const char *const *names, const uint64_t *values,
                        size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (values[i] != 0)
            print_put(out, " + %s %" PRIu64, names[i], values[i]);
}

/*
 * Writes "NAME N" for each nonzero term of the part, on one line. Writes no line if all are zero.
 */
static void print_nonzero(struct output *out, const struct ledger_term *terms,
                          enum ledger_part part, const void *totals)
{
    bool any = false;
    for (const struct ledger_term *term = terms; term->name != NULL; term++) {
        uint64_t value = ledger_total(totals, term);
        if (term->part != part || value == 0)
            continue;
        print_put(out, "%s%s %" PRIu64, any ? ", " : "    ", term->name, value);
        any = true;
    }
    if (any)
        output_char(out, '\n');
}

/* Writes the terms that belong to no sum, a line for each part. */
static void print_beside(struct output *out, const struct ledger_term *terms, const void *totals)
{
    for (int part = PART_BESIDE; part < PART_COUNT; part++)
        print_nonzero(out, terms, (enum ledger_part)part, totals);
}

/*
 * Writes the kernel's drops of a listener. Their unit is "buffers" only if all of them were counted
 * in buffers. If the listener was removed and added again with another gro=, some may be counted in
 * datagrams.
 */
static void print_drops(struct output *out, const struct listener_totals *listener)
{
    const char *name = ledger_drops_name(listener);
    bool buffers = listener->drops.buffers && listener->dropped_buffers == listener->kernel_drops;
    if (!listener->drops_counted)
        print_put(out, ", %s unknown", name);
    else if (listener->kind->is_socket)
        print_put(out, ", %s %" PRIu64 "%s", name, listener->kernel_drops,
                  buffers ? " buffers" : "");
}

static void print_listener(struct output *out, const struct listener_totals *listener)
{
    print_put(out, "  listener %s (%s)%s\n", listener->name, listener->schema,
              listener->retired ? ", retired" : "");
    print_put(out, "    received %" PRIu64 " = decoded %" PRIu64, listener->received,
              listener->decoded);
    print_terms(out, datagram_reason_names, listener->reasons, REASON_COUNT);
    if (listener->in_assembly != 0)
        print_put(out, " + in assembly %" PRIu64, listener->in_assembly);
    print_put(out, "\n    messages %" PRIu64 ", bytes %" PRIu64, listener->messages,
              listener->bytes);
    print_drops(out, listener);
    output_char(out, '\n');
    print_beside(out, listener_terms, listener);
}

static void print_sink(struct output *out, const struct sink_totals *sink)
{
    print_put(out, "  sink %s%s\n", sink->name, sink->retired ? ", retired" : "");
    print_put(out, "    offered %" PRIu64 " = queued %" PRIu64, sink->offered, sink->queued);
    print_terms(out, record_refusal_names, sink->refused, REFUSAL_COUNT);
    print_put(out, "\n    queued %" PRIu64, sink->queued);
    if (sink->recovered != 0)
        print_put(out, " + recovered %" PRIu64, sink->recovered);
    print_put(out, " = written %" PRIu64, sink->written);
    if (sink->filtered != 0)
        print_put(out, " + filtered %" PRIu64, sink->filtered);
    if (sink->evicted != 0)
        print_put(out, " + evicted %" PRIu64, sink->evicted);
    print_terms(out, record_failure_names, sink->failed, FAILURE_COUNT);
    if (sink->unknown != 0)
        print_put(out, " + unknown %" PRIu64, sink->unknown);
    if (sink->spilled != 0)
        print_put(out, " + spilled %" PRIu64, sink->spilled);
    print_put(out, " + in flight %" PRId64 "\n", sink->in_flight);
    print_put(out, "    lines %" PRIu64 ", samples %" PRIu64 ", bytes %" PRIu64 "\n", sink->lines,
              sink->samples, sink->bytes);
    print_beside(out, sink_terms, sink);
}

static void print_dead_letters(struct output *out, const struct dead_letter_totals *dead_letters)
{
    print_put(out, "  dead letters %s\n", dead_letters->name);
    print_put(out, "    offered %" PRIu64 " = kept %" PRIu64, dead_letters->offered,
              dead_letters->kept);
    print_terms(out, dead_letter_drop_names, dead_letters->dropped, DROP_COUNT);
    print_put(out, "\n    bytes %" PRIu64 "\n", dead_letters->bytes);
}

/* --- advice ----------------------------------------------------------------------------------- */

/*
 * The number of terms that can need advice: those in advise_on_terms, and `filtered`, if a sink has
 * filtered all of its records.
 */
#define ADVICE_TERMS 5

/* The words to look up with `sluice explain`, without repetitions. */
struct advice {
    size_t count;
    const char *words[ADVICE_TERMS + REASON_COUNT + REFUSAL_COUNT + FAILURE_COUNT + DROP_COUNT];
};

static void advise(struct advice *advice, const char *word)
{
    for (size_t i = 0; i < advice->count; i++)
        if (strcmp(advice->words[i], word) == 0)
            return;
    advice->words[advice->count++] = word;
}

static void advise_on(struct advice *advice, const struct reason_text *reasons,
                      const uint64_t *counts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (counts[i] != 0 && reasons[i].remedy[0] != '\0')
            advise(advice, reasons[i].name);
}

static void advise_on_terms(struct advice *advice, const struct listener_totals *listener)
{
    if (listener->kernel_drops != 0)
        advise(advice, "kernel_drops");
    if (listener->lost != 0)
        advise(advice, "lost");
    if (listener->unknown_fields != 0)
        advise(advice, "unknown_fields");
    if (listener->series_repeated != 0)
        advise(advice, "series_repeated");
}

/* Writes a `sluice explain` command to copy, if records were lost or a setting may be wrong. */
static void print_advice(struct output *out, const struct ledger_snapshot *snapshot)
{
    struct advice advice = {.count = 0};
    for (size_t i = 0; i < snapshot->listener_count; i++) {
        advise_on_terms(&advice, &snapshot->listeners[i]);
        advise_on(&advice, datagram_reason_texts, snapshot->listeners[i].reasons, REASON_COUNT);
    }
    for (size_t i = 0; i < snapshot->sink_count; i++) {
        const struct sink_totals *sink = &snapshot->sinks[i];
        if (sink->filtered != 0 && sink->filtered == sink->queued)
            advise(&advice, "filtered");
        advise_on(&advice, record_refusal_texts, snapshot->sinks[i].refused, REFUSAL_COUNT);
        advise_on(&advice, record_failure_texts, snapshot->sinks[i].failed, FAILURE_COUNT);
    }
    advise_on(&advice, dead_letter_drop_texts, snapshot->dead_letters.dropped, DROP_COUNT);
    for (size_t i = 0; i < advice.count; i++)
        print_put(out, "%s %s", i == 0 ? "  what to do: sluice explain" : "", advice.words[i]);
    if (advice.count != 0)
        output_char(out, '\n');
}

void ledger_write_text(const struct ledger_snapshot *snapshot, struct output *out)
{
    size_t start = out->used;
    print_put(out, "ledger after %.1f s%s\n", (double)snapshot->uptime_ns / 1e9,
              !snapshot->final       ? " (running)"
              : snapshot->incomplete ? " (incomplete: a thread hangs)"
                                     : "");
    for (size_t i = 0; i < snapshot->listener_count; i++)
        print_listener(out, &snapshot->listeners[i]);
    for (size_t i = 0; i < snapshot->sink_count; i++)
        print_sink(out, &snapshot->sinks[i]);
    if (snapshot->dead_letters.name != NULL)
        print_dead_letters(out, &snapshot->dead_letters);
    print_advice(out, snapshot);
    if (snapshot->incomplete)
        print_put(out, "  balances: not known\n");
    else if (snapshot->final)
        print_put(out, "  balances: %s\n", ledger_balances(snapshot) ? "yes" : "NO");
    control_characters_hide_in_lines(out->data + start, out->used - start);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void write_counts(struct output *out, const char *name, const char *const *names,
                         const uint64_t *values, size_t count)
{
    json_key(out, name, strlen(name));
    json_object_begin(out);
    for (size_t i = 0; i < count; i++)
        json_member_uint64(out, names[i], values[i]);
    json_object_end(out);
}

static void write_terms(struct output *out, const struct ledger_term *terms, const void *totals,
                        enum ledger_part first, enum ledger_part last)
{
    for (const struct ledger_term *term = terms; term->name != NULL; term++)
        if (term->part >= first && term->part <= last)
            json_member_uint64(out, term->name, ledger_total(totals, term));
}

/* kernel_drops is null if the system does not count drops. */
static void write_listener_terms(struct output *out, const struct listener_totals *listener,
                                 enum ledger_part first, enum ledger_part last)
{
    static const size_t drops = offsetof(struct listener_totals, kernel_drops);
    for (const struct ledger_term *term = listener_terms; term->name != NULL; term++) {
        if (term->part < first || term->part > last || !ledger_has_term(listener, term))
            continue;
        const char *name = term->total == drops ? ledger_drops_name(listener) : term->name;
        json_key(out, name, strlen(name));
        if (term->total == drops && !listener->drops_counted)
            json_null(out);
        else
            json_uint64(out, ledger_total(listener, term));
    }
}

static void write_retired(struct output *out, bool retired)
{
    json_member_bool(out, "retired", retired);
}

static void write_listener(struct output *out, const struct listener_totals *listener)
{
    enum ledger_part own = listener->kind->part;
    json_object_begin(out);
    json_member_text(out, "name", listener->name);
    json_member_text(out, "kind", listener->kind->name);
    json_member_text(out, "schema", listener->schema);
    write_retired(out, listener->retired);
    write_listener_terms(out, listener, PART_FLOW, PART_FLOW);
    write_counts(out, "reasons", datagram_reason_names, listener->reasons, REASON_COUNT);
    write_listener_terms(out, listener, PART_NOW, PART_SEQUENCE);
    if (own != PART_SEQUENCE)
        write_listener_terms(out, listener, own, own);
    if (listener->kind->is_socket)
        json_member_text(out, "kernel_drops_unit", listener->drops.buffers ? "buffer" : "datagram");
    json_object_end(out);
}

static void write_sink(struct output *out, const struct sink_totals *sink)
{
    json_object_begin(out);
    json_member_text(out, "name", sink->name);
    write_retired(out, sink->retired);
    json_member_uint64(out, "messages", sink->messages);
    write_terms(out, offer_terms, sink, PART_FLOW, PART_FLOW);
    write_counts(out, "refused", record_refusal_names, sink->refused, REFUSAL_COUNT);
    write_terms(out, sink_terms, sink, PART_FLOW, PART_NOW);
    write_counts(out, "failed", record_failure_names, sink->failed, FAILURE_COUNT);
    json_member_int64(out, "in_flight", sink->in_flight);
    write_terms(out, sink_terms, sink, PART_ALWAYS, PART_RAW);
    json_object_end(out);
}

static void write_dead_letters(struct output *out, const struct dead_letter_totals *dead_letters)
{
    json_object_begin(out);
    json_member_text(out, "name", dead_letters->name);
    write_terms(out, dead_letter_terms, dead_letters, PART_FLOW, PART_FLOW);
    write_counts(out, "dropped", dead_letter_drop_names, dead_letters->dropped, DROP_COUNT);
    write_terms(out, dead_letter_terms, dead_letters, PART_ALWAYS, PART_ALWAYS);
    json_object_end(out);
}

void ledger_write_json(const struct ledger_snapshot *snapshot, struct output *out)
{
    json_object_begin(out);
    json_member_bool(out, "final", snapshot->final);
    if (snapshot->final) {
        json_key_literal(out, "balances");
        if (snapshot->incomplete)
            json_null(out);
        else
            json_bool(out, ledger_balances(snapshot));
        json_member_bool(out, "incomplete", snapshot->incomplete);
    }
    json_member_double(out, "uptime_seconds", (double)snapshot->uptime_ns / 1e9);
    json_key_literal(out, "listeners");
    json_array_begin(out);
    for (size_t i = 0; i < snapshot->listener_count; i++)
        write_listener(out, &snapshot->listeners[i]);
    json_array_end(out);
    json_key_literal(out, "sinks");
    json_array_begin(out);
    for (size_t i = 0; i < snapshot->sink_count; i++)
        write_sink(out, &snapshot->sinks[i]);
    json_array_end(out);
    if (snapshot->dead_letters.name != NULL) {
        json_key_literal(out, "dead_letters");
        write_dead_letters(out, &snapshot->dead_letters);
    }
    json_object_end(out);
    output_char(out, '\n');
}
