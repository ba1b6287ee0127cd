/*
 * The reference: what each word means that the program takes or reports, and what to do about it.
 *
 * There is one entry for each option, key, reason, term, metric, word of health and exit code. All
 * are made of the rows of their own tables (config/option_table.h, config/key_table.h,
 * ledger/ledger_terms.h, metrics/metrics_rows.h, health/health_words.h), so nothing is said twice.
 * `sluice explain` prints entries, and the manual has them.
 *
 * Lifecycle: create, read, destroy. Constant between the two; any thread.
 */
#ifndef SLUICE_COLLECTOR_REFERENCE_REFERENCE_H
#define SLUICE_COLLECTOR_REFERENCE_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/config/syntax.h"

/* What an entry is about. */
enum reference_kind {
    REFERENCE_OPTION,
    REFERENCE_KEY,
    REFERENCE_DATAGRAM_REASON,
    REFERENCE_RECORD_REFUSAL,
    REFERENCE_RECORD_FAILURE,
    REFERENCE_LETTER_DROP,
    REFERENCE_LISTENER_TERM,
    REFERENCE_SINK_TERM,
    REFERENCE_LETTER_TERM,
    REFERENCE_METRIC,
    REFERENCE_HEALTH_STATUS,
    REFERENCE_HEALTH_REASON,
    REFERENCE_EXIT_CODE,
    REFERENCE_KIND_COUNT
};

/* "a key of the configuration", and the page and section of the manual that has it. */
struct reference_kind_text {
    const char *title, *page;
};
extern const struct reference_kind_text reference_kinds[REFERENCE_KIND_COUNT];

/* Enough for the name of any metric and its NUL. */
#define REFERENCE_NAME_SIZE 80

struct reference_entry {
    enum reference_kind kind;
    unsigned scopes;                /* of a key: where it may stand, of enum key_scope */
    const struct setting *key;      /* its row; NULL: this is no key */
    bool histogram;                 /* of a metric: there are _bucket, _sum and _count of it */
    bool of_term;                   /* of a metric: it counts a term, which has an entry too */
    const char *short_name;         /* of a metric: without its prefix and suffix; else NULL */
    const char *what;               /* what it means */
    const char *remedy;             /* what to do about it; empty: nothing, or `what` has it */
    char name[REFERENCE_NAME_SIZE]; /* as the program takes or reports it */
    char syntax[SYNTAX_SIZE];       /* of its value, or the names of its labels; empty: none */
    char default_text[SYNTAX_SIZE]; /* "default 4MiB, 4KiB to 1GiB"; empty: none */
};

struct reference {
    struct reference_entry *entries; /* those of a kind follow each other, in their table's order */
    size_t count;
};

/* Makes all entries; `registry` has what values may be chosen from. NULL where memory is short. */
struct reference *reference_create(const struct config_registry *registry);
/* NULL is allowed. */
void reference_destroy(struct reference *reference);

/*
 * Whether somebody means this entry by `word`: its name, also with what stands around it where it
 * is used ("--sink", "rate_limit=", "sluice_sink_write_seconds_bucket"), a metric's short name, or
 * one of an open key's names.
 */
bool reference_is_meant(const struct reference_entry *entry, const char *word);

#endif
