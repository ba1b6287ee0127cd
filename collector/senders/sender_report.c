#include "collector/senders/sender_report.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/text/json_writer.h"

/*
 * The upper limit of reported senders in all. If there are more listeners than this, one sender is
 * reported for each.
 */
#define TOLD_OF_ALL 512

struct row {
    struct traffic_sender traffic;
    uint64_t numbered; /* number of senders at this host that number their datagrams */
    uint64_t lost, missing, duplicated;
};

struct sender_report {
    const struct traffic_table **tables;
    size_t table_count;
    const struct listener **listeners;
    size_t listener_count;
    struct sequence_table *sequences;
    struct traffic_sender *read; /* the senders of one table */
    struct row *rows;
    size_t row_count;
    struct sequence_sender losers[LOSERS_TOLD]; /* the senders with the greatest losses come
                                                 * first */
    size_t loser_count;
};

struct sender_report *sender_report_create(size_t tables, struct sequence_table *sequences)
{
    struct sender_report *report = calloc(1, sizeof *report);
    if (report == NULL)
        return NULL;
    report->sequences = sequences;
    report->read = calloc(TRAFFIC_SENDERS, sizeof *report->read);
    if (report->read == NULL || !sender_report_reserve(report, tables)) {
        sender_report_destroy(report);
        return NULL;
    }
    return report;
}

bool sender_report_reserve(struct sender_report *report, size_t more)
{
    size_t count = report->table_count + more;
    const struct traffic_table **tables =
        realloc(report->tables, count * sizeof(const struct traffic_table *));
    if (tables != NULL)
        report->tables = tables;
    struct row *rows = realloc(report->rows, count * TRAFFIC_SENDERS * sizeof *rows);
    if (rows != NULL)
        report->rows = rows;
    return tables != NULL && rows != NULL;
}

void sender_report_destroy(struct sender_report *report)
{
    if (report == NULL)
        return;
    free(report->tables);
    free(report->listeners);
    free(report->read);
    free(report->rows);
    free(report);
}

size_t sender_report_memory(size_t tables)
{
    return sizeof(struct sender_report) + TRAFFIC_SENDERS * sizeof(struct traffic_sender) +
           tables * TRAFFIC_SENDERS * sizeof(struct row);
}

void sender_report_add_table(struct sender_report *report, const struct traffic_table *table)
{
    report->tables[report->table_count++] = table;
}

bool sender_report_add_listener(struct sender_report *report, const struct listener *listener)
{
    const struct listener **grown =
        realloc(report->listeners, (report->listener_count + 1) * sizeof(const struct listener *));
    if (grown == NULL)
        return false;
    report->listeners = grown;
    report->listeners[report->listener_count++] = listener;
    return true;
}

/* --- gathering -------------------------------------------------------------------------------- */

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_identity(const void *left, const void *right)
{
    const struct traffic_sender *a = &((const struct row *)left)->traffic;
    const struct traffic_sender *b = &((const struct row *)right)->traffic;
    int order = compare_numbers(a->listener, b->listener);
    if (order == 0)
        order = compare_numbers(a->source.family, b->source.family);
    if (order == 0)
        order = memcmp(a->source.bytes, b->source.bytes, sizeof a->source.bytes);
    return order != 0 ? order : compare_numbers(a->source.scope, b->source.scope);
}

/* Sorts by listener; then the busiest sender first; then by address. */
static int compare_business(const void *left, const void *right)
{
    const struct traffic_sender *a = &((const struct row *)left)->traffic;
    const struct traffic_sender *b = &((const struct row *)right)->traffic;
    int order = compare_numbers(a->listener, b->listener);
    if (order == 0)
        order = compare_numbers(b->rank, a->rank);
    return order != 0 ? order : compare_identity(left, right);
}

static void read_tables(struct sender_report *report)
{
    report->row_count = 0;
    for (size_t i = 0; i < report->table_count; i++) {
        size_t count = traffic_read(report->tables[i], report->read);
        for (size_t k = 0; k < count; k++)
            report->rows[report->row_count++] = (struct row){.traffic = report->read[k]};
    }
}

/*
 * Adds up the rows of one host. Several threads may have counted the host, because datagrams from
 * its ports may reach different threads.
 */
static void merge_rows(struct sender_report *report)
{
    size_t kept = 0;
    qsort(report->rows, report->row_count, sizeof *report->rows, compare_identity);
    for (size_t i = 0; i < report->row_count; i++) {
        const struct row *row = &report->rows[i];
        struct row *last = &report->rows[kept == 0 ? 0 : kept - 1];
        if (kept == 0 || compare_identity(last, row) != 0) {
            report->rows[kept++] = *row;
            continue;
        }
        last->traffic.rank += row->traffic.rank;
        last->traffic.datagrams += row->traffic.datagrams;
        last->traffic.bytes += row->traffic.bytes;
    }
    report->row_count = kept;
}

static uint64_t loss(const struct sequence_sender *sender)
{
    return sender->lost + sender->missing;
}

static void note_loser(struct sender_report *report, const struct sequence_sender *sender)
{
    size_t at = report->loser_count;
    while (at != 0 && loss(&report->losers[at - 1]) < loss(sender))
        at--;
    if (at == LOSERS_TOLD)
        return;
    if (report->loser_count < LOSERS_TOLD)
        report->loser_count++;
    memmove(&report->losers[at + 1], &report->losers[at],
            (report->loser_count - 1 - at) * sizeof *sender);
    report->losers[at] = *sender;
}

static void add_numbers(void *context, const struct sequence_sender *sender)
{
    struct sender_report *report = context;
    struct row key = {.traffic = {.listener = sender->listener, .source = sender->source}};
    struct row *row = bsearch(&key, report->rows, report->row_count, sizeof key, compare_identity);
    if (row != NULL) {
        row->numbered++;
        row->lost += sender->lost;
        row->missing += sender->missing;
        row->duplicated += sender->duplicated;
    }
    if (loss(sender) != 0)
        note_loser(report, sender);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void write_address(struct output *out, const struct address *source)
{
    char text[ADDRESS_TEXT_SIZE];
    json_key_literal(out, "address");
    json_string(out, text, address_format_host(source, text));
}

static void write_numbers(struct output *out, uint64_t lost, uint64_t missing, uint64_t duplicated)
{
    json_member_uint64(out, "lost", lost);
    json_member_uint64(out, "missing", missing);
    json_member_uint64(out, "duplicated", duplicated);
}

static void write_sender(struct output *out, const struct row *row)
{
    json_object_begin(out);
    write_address(out, &row->traffic.source);
    json_member_uint64(out, "datagrams", row->traffic.datagrams);
    json_member_uint64(out, "bytes", row->traffic.bytes);
    if (row->numbered != 0) {
        json_member_uint64(out, "numbered", row->numbered);
        write_numbers(out, row->lost, row->missing, row->duplicated);
    }
    json_object_end(out);
}

/*
 * Writes one listener, whose first row is `at`. Returns the index of the next listener's first row.
 */
static size_t write_listener(const struct sender_report *report, uint32_t listener, size_t at,
                             size_t most, struct output *out)
{
    const char *name = report->listeners[listener]->name;
    json_object_begin(out);
    json_member_text(out, "name", name);
    json_key_literal(out, "senders");
    json_array_begin(out);
    for (size_t reported = 0; at < report->row_count; at++) {
        if (report->rows[at].traffic.listener != listener)
            break;
        if (reported++ < most)
            write_sender(out, &report->rows[at]);
    }
    json_array_end(out);
    json_object_end(out);
    return at;
}

/*
 * Each value of sequence_key= ends with a NUL in the name, which keeps "a", "b" and "ab" apart.
 * Readers get commas between the values.
 */
static void write_name(const struct sequence_sender *sender, struct output *out)
{
    char shown[SEQUENCE_NAME_SIZE];
    size_t size = sender->name_size;
    RULE(size <= sizeof shown, "a sender's name fits");
    memcpy(shown, sender->name, size);
    if (size != 0 && shown[size - 1] == '\0')
        size--;
    for (size_t i = 0; i < size; i++)
        if (shown[i] == '\0')
            shown[i] = ',';
    json_key_literal(out, "sender");
    json_string(out, shown, size);
}

static void write_losers(const struct sender_report *report, struct output *out)
{
    json_key_literal(out, "losers");
    json_array_begin(out);
    for (size_t i = 0; i < report->loser_count; i++) {
        const struct sequence_sender *loser = &report->losers[i];
        RULE(loser->listener < report->listener_count, "a sender's listener is in the report");
        const char *name = report->listeners[loser->listener]->name;
        json_object_begin(out);
        json_member_text(out, "listener", name);
        write_address(out, &loser->source);
        write_name(loser, out);
        write_numbers(out, loser->lost, loser->missing, loser->duplicated);
        json_object_end(out);
    }
    json_array_end(out);
}

/* Returns the upper limit of reported senders of each listener. */
static size_t most_of_a_listener(size_t listeners)
{
    if (listeners <= TOLD_OF_ALL / SENDERS_TOLD)
        return SENDERS_TOLD;
    return listeners < TOLD_OF_ALL ? TOLD_OF_ALL / listeners : 1;
}

void sender_report_write(struct sender_report *report, struct output *out)
{
    uint64_t replaced = 0;
    size_t most = most_of_a_listener(report->listener_count);
    read_tables(report);
    merge_rows(report);
    report->loser_count = 0;
    sequence_each_sender(report->sequences, add_numbers, report);
    qsort(report->rows, report->row_count, sizeof *report->rows, compare_business);

    json_object_begin(out);
    json_key_literal(out, "listeners");
    json_array_begin(out);
    for (size_t i = 0, at = 0; i < report->listener_count; i++)
        if (report->listeners[i]->name != NULL)
            at = write_listener(report, (uint32_t)i, at, most, out);
    json_array_end(out);
    for (size_t i = 0; i < report->table_count; i++)
        replaced += traffic_replaced(report->tables[i]);
    json_member_uint64(out, "replaced", replaced);
    write_losers(report, out);
    json_object_end(out);
    output_char(out, '\n');
}
