#include "collector/series/series_growth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/platform/thread.h"

struct ranked_sender {
    uint64_t rank;
    struct growth_sender counts;
};

struct ranked_senders {
    size_t count;
    size_t last; /* index of the sender noted last; the next one is often the same */
    struct ranked_sender list[GROWTH_SENDERS];
};

struct ranked_label {
    uint64_t rank;
    size_t name_size; /* of the uncut name */
    char name[GROWTH_NAME];
    size_t count;
    uint64_t values[GROWTH_VALUES]; /* the smallest fingerprints, ascending */
};

struct series_growth {
    struct mutex *lock;
    struct ranked_senders senders, late;
    size_t label_count;
    struct ranked_label labels[GROWTH_LABELS];
};

struct series_growth *series_growth_create(void)
{
    struct series_growth *growth = calloc(1, sizeof *growth);
    if (growth == NULL)
        return NULL;
    growth->lock = mutex_create();
    if (growth->lock != NULL)
        return growth;
    series_growth_destroy(growth);
    return NULL;
}

void series_growth_destroy(struct series_growth *growth)
{
    if (growth == NULL)
        return;
    mutex_destroy(growth->lock);
    free(growth);
}

size_t series_growth_memory(void)
{
    return sizeof(struct series_growth);
}

/* --- senders ---------------------------------------------------------------------------------- */

static size_t find_sender(const struct ranked_senders *senders, const struct address *sender)
{
    if (senders->last < senders->count &&
        address_same_host(&senders->list[senders->last].counts.sender, sender))
        return senders->last;
    size_t at = 0;
    while (at < senders->count && !address_same_host(&senders->list[at].counts.sender, sender))
        at++;
    return at;
}

static size_t least_sender(const struct ranked_senders *senders)
{
    size_t least = 0;
    for (size_t i = 1; i < senders->count; i++)
        if (senders->list[i].rank < senders->list[least].rank)
            least = i;
    return least;
}

static struct growth_sender *rank_sender(struct ranked_senders *senders,
                                         const struct address *sender)
{
    size_t at = find_sender(senders, sender);
    if (at == senders->count) {
        if (senders->count < GROWTH_SENDERS)
            senders->count++;
        else
            at = least_sender(senders);
        senders->list[at].counts = (struct growth_sender){.sender = *sender};
    }
    senders->last = at;
    senders->list[at].rank++;
    return &senders->list[at].counts;
}

void series_growth_note_series(struct series_growth *growth, const struct address *sender,
                               bool refused)
{
    mutex_lock(growth->lock);
    struct growth_sender *counts = rank_sender(&growth->senders, sender);
    counts->added += !refused;
    counts->refused += refused;
    mutex_unlock(growth->lock);
}

void series_growth_note_time(struct series_growth *growth, const struct address *sender)
{
    mutex_lock(growth->lock);
    rank_sender(&growth->late, sender)->refused++;
    mutex_unlock(growth->lock);
}

/* --- labels ----------------------------------------------------------------------------------- */

static bool is_label(const struct ranked_label *label, const struct text *name)
{
    return label->name_size == name->size &&
           memcmp(label->name, name->data, name->size < GROWTH_NAME ? name->size : GROWTH_NAME) ==
               0;
}

static size_t least_label(const struct series_growth *growth)
{
    size_t least = 0;
    for (size_t i = 1; i < growth->label_count; i++)
        if (growth->labels[i].rank < growth->labels[least].rank)
            least = i;
    return least;
}

static struct ranked_label *rank_label(struct series_growth *growth, const struct text *name)
{
    size_t at = 0;
    while (at < growth->label_count && !is_label(&growth->labels[at], name))
        at++;
    struct ranked_label *label = &growth->labels[at];
    if (at == growth->label_count) {
        if (growth->label_count < GROWTH_LABELS)
            growth->label_count++;
        else
            label = &growth->labels[least_label(growth)];
        label->name_size = name->size;
        memcpy(label->name, name->data, name->size < GROWTH_NAME ? name->size : GROWTH_NAME);
        label->count = 0;
    }
    label->rank++;
    return label;
}

static void keep_value(struct ranked_label *label, uint64_t value)
{
    size_t at = label->count;
    if (at == GROWTH_VALUES && value >= label->values[at - 1])
        return;
    while (at != 0 && label->values[at - 1] >= value)
        at--;
    if (at < label->count && label->values[at] == value)
        return;
    label->count += label->count < GROWTH_VALUES;
    memmove(&label->values[at + 1], &label->values[at],
            (label->count - 1 - at) * sizeof label->values[0]);
    label->values[at] = value;
}

void series_growth_note_label(struct series_growth *growth, const struct text *name, uint64_t value)
{
    if (name->size == 0)
        return;
    mutex_lock(growth->lock);
    keep_value(rank_label(growth, name), value);
    mutex_unlock(growth->lock);
}

/*
 * Estimates the number of values from the smallest hashes: if n hashes are spread evenly, the k-th
 * smallest is at about k / n of the range.
 */
static uint64_t count_values(const struct ranked_label *label)
{
    if (label->count < GROWTH_VALUES)
        return label->count;
    double part = (double)label->values[GROWTH_VALUES - 1] / 18446744073709551616.0;
    double values = part > 0 ? (GROWTH_VALUES - 1) / part : 0;
    return values < 1e15 ? (uint64_t)values : (uint64_t)1e15;
}

/* --- reading ---------------------------------------------------------------------------------- */

static bool is_before(const struct growth_sender *a, const struct growth_sender *b)
{
    return a->refused != b->refused ? a->refused > b->refused : a->added > b->added;
}

static void report_sender(struct growth_sender *told, size_t *count,
                          const struct growth_sender *sender)
{
    size_t at = *count;
    while (at != 0 && is_before(sender, &told[at - 1]))
        at--;
    if (at == GROWTH_TOLD)
        return;
    *count += *count < GROWTH_TOLD;
    memmove(&told[at + 1], &told[at], (*count - 1 - at) * sizeof *told);
    told[at] = *sender;
}

static void report_label(struct growth_report *report, const struct ranked_label *label)
{
    size_t at = report->label_count;
    uint64_t values = count_values(label);
    while (at != 0 && values > report->labels[at - 1].values)
        at--;
    if (at == GROWTH_TOLD)
        return;
    report->label_count += report->label_count < GROWTH_TOLD;
    memmove(&report->labels[at + 1], &report->labels[at],
            (report->label_count - 1 - at) * sizeof report->labels[0]);
    struct growth_label *told = &report->labels[at];
    size_t size = label->name_size < GROWTH_NAME ? label->name_size : GROWTH_NAME;
    *told = (struct growth_label){.values = values};
    memcpy(told->name, label->name, size);
}

void series_growth_format_sender(const struct address *sender, char *text)
{
    size_t size = address_format_host(sender, text);
    if (sender->family == ADDRESS_IPV6)
        snprintf(text + size, ADDRESS_TEXT_SIZE - size, "/64");
}

void series_growth_read(struct series_growth *growth, struct growth_report *report)
{
    *report = (struct growth_report){0};
    mutex_lock(growth->lock);
    for (size_t i = 0; i < growth->senders.count; i++)
        report_sender(report->senders, &report->sender_count, &growth->senders.list[i].counts);
    for (size_t i = 0; i < growth->late.count; i++)
        report_sender(report->late, &report->late_count, &growth->late.list[i].counts);
    for (size_t i = 0; i < growth->label_count; i++)
        report_label(report, &growth->labels[i]);
    mutex_unlock(growth->lock);
}
