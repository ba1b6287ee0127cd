/*
 * Which senders and labels make a sink's series grow, and which senders have samples out of time.
 *
 * Tables of fixed size. A new sender or label takes the place of the one with the lowest rank and
 * inherits the rank (the Space-Saving algorithm of Metwally, Agrawal and El Abbadi, 2005), so one
 * with more than a 64th (a label: a 32nd) of all events stays, however many others come and go; its
 * counts begin at 0. For each label the GROWTH_VALUES smallest fingerprints of its values tell how
 * many different ones there are: exactly up to that number, and within a quarter (twice the standard
 * error, 1/sqrt(GROWTH_VALUES - 2)) beyond it (Bar-Yossef and others, "Counting distinct elements
 * in a data stream", 2002).
 *
 * One thread notes, and any thread may read: a lock guards the tables. It is taken for new and
 * refused series and for samples out of time, not for other samples. Memory is allocated only at
 * creation.
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

/* The bytes that are kept of a label's name. */
#define GROWTH_NAME 64

/* The most senders and labels of each kind that a report has. */
#define GROWTH_TOLD 8

struct series_growth;

/* Returns NULL if memory is short. */
struct series_growth *series_growth_create(void);
/* NULL is allowed. */
void series_growth_destroy(struct series_growth *growth);

/* Bytes that it allocates. */
size_t series_growth_memory(void);

/* Notes a new series of the sender, or a sample of a refused one. */
void series_growth_note_series(struct series_growth *growth, const struct address *sender,
                               bool refused);

/* Notes a label of such a series; `value`: a fingerprint of the label with its value. */
void series_growth_note_label(struct series_growth *growth, const struct text *name,
                              uint64_t value);

/* Notes a sample that is out of time. */
void series_growth_note_time(struct series_growth *growth, const struct address *sender);

struct growth_sender {
    struct address sender; /* as it was noted: a host, or for IPv6 a network */
    uint64_t added;        /* new series */
    uint64_t refused;      /* samples of refused series; or samples out of time */
};

struct growth_label {
    char name[GROWTH_NAME + 1]; /* the beginning of the name, and a NUL */
    uint64_t values;            /* estimated number of different values */
};

/* The senders and labels that were noted most, in descending order. */
struct growth_report {
    size_t sender_count, label_count, late_count;
    struct growth_sender senders[GROWTH_TOLD]; /* by refused samples, then by new series */
    struct growth_label labels[GROWTH_TOLD];   /* by values */
    struct growth_sender late[GROWTH_TOLD];    /* by samples out of time */
};

/*
 * Writes the sender of a report, "192.0.2.1" or "2001:db8:1:2::/64", and a NUL to the
 * ADDRESS_TEXT_SIZE bytes of `text`. Any thread.
 */
void series_growth_format_sender(const struct address *sender, char *text);

/* Any thread. */
void series_growth_read(struct series_growth *growth, struct growth_report *report);

#endif
