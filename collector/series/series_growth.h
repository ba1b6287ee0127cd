/*
 * Finds the senders and labels that make a sink's series grow, and the senders of samples that are
 * out of time.
 *
 * The tables have a fixed size. A new sender or label replaces the one with the lowest rank and
 * inherits its rank; its counts begin at 0. This is the Space-Saving algorithm (Metwally, Agrawal
 * and El Abbadi, 2005). A sender with more than 1/64 of all events, or a label with more than 1/32,
 * therefore stays in the table.
 *
 * For each label, the GROWTH_VALUES smallest fingerprints of its values give the number of
 * different values. It is exact below GROWTH_VALUES. Above, it is within a quarter, twice the
 * standard error 1/sqrt(GROWTH_VALUES - 2) (Bar-Yossef and others, "Counting distinct elements in a
 * data stream", 2002).
 *
 * One thread notes and any thread may read: a lock guards the tables. It is taken for new and
 * refused series and for samples out of time, but not for other samples. Memory is allocated only
 * at creation.
 */
#ifndef SLUICE_COLLECTOR_SERIES_SERIES_GROWTH_H
#define SLUICE_COLLECTOR_SERIES_SERIES_GROWTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/address.h"
#include "collector/text/text.h"

#define GROWTH_SENDERS 64
#define GROWTH_LABELS  32
#define GROWTH_VALUES  64

/* A label's name is cut to this number of bytes. */
#define GROWTH_NAME 64

/* The upper limit of senders of each kind, and of labels, in a report. */
#define GROWTH_TOLD 8

struct series_growth;

/* Returns NULL if out of memory. */
struct series_growth *series_growth_create(void);
/* NULL is allowed. */
void series_growth_destroy(struct series_growth *growth);

/* Returns the bytes that series_growth_create allocates. */
size_t series_growth_memory(void);

/* Notes a new series of the sender, or a sample of a refused series. */
void series_growth_note_series(struct series_growth *growth, const struct address *sender,
                               bool refused);

/*
 * Notes a label of the series passed to series_growth_note_series. `value` is a fingerprint of the
 * label and its value.
 */
void series_growth_note_label(struct series_growth *growth, const struct text *name,
                              uint64_t value);

/* Notes a sample whose time is outside the limits. */
void series_growth_note_time(struct series_growth *growth, const struct address *sender);

struct growth_sender {
    struct address sender; /* as it was noted: a host, or a network for IPv6 */
    uint64_t added;
    /*
     * Number of samples of refused series; in the list `late`, of samples with a time outside the
     * limits.
     */
    uint64_t refused;
};

struct growth_label {
    char name[GROWTH_NAME + 1]; /* the name, possibly cut, and a NUL */
    uint64_t values;            /* estimated number of different values */
};

/* The senders and labels with the highest counts, in descending order. */
struct growth_report {
    size_t sender_count, label_count, late_count;
    struct growth_sender senders[GROWTH_TOLD]; /* by refused samples, then by new series */
    struct growth_label labels[GROWTH_TOLD];   /* by number of values */
    struct growth_sender late[GROWTH_TOLD];    /* by samples out of time */
};

/*
 * Any thread: writes a sender of a report, such as "192.0.2.1" or "2001:db8:1:2::/64", and a NUL to
 * `text`, which has ADDRESS_TEXT_SIZE bytes.
 */
void series_growth_format_sender(const struct address *sender, char *text);

/* Any thread. */
void series_growth_read(struct series_growth *growth, struct growth_report *report);

#endif
