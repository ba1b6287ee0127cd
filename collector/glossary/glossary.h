/*
 * The glossary: what each word means that the program takes or reports, and what to do about it.
 *
 * There is one entry for each option, key, reason, term, metric, word of health and exit code. All
 * are made of the rows of their own tables (config/option_table.h, config/key_table.h,
 * ledger/ledger_terms.h, metrics/metrics_rows.h, health/health_words.h), so nothing is said twice.
 * `sluice explain` prints entries, and the manual has them.
 *
 * Lifecycle: create, read, destroy. Constant between the two; any thread.
 */
#ifndef SLUICE_COLLECTOR_GLOSSARY_GLOSSARY_H
#define SLUICE_COLLECTOR_GLOSSARY_GLOSSARY_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/config/syntax.h"

/* What an entry is about. */
enum glossary_kind {
    GLOSSARY_OPTION,
    GLOSSARY_KEY,
    GLOSSARY_DATAGRAM_REASON,
    GLOSSARY_RECORD_REFUSAL,
    GLOSSARY_RECORD_FAILURE,
    GLOSSARY_DEAD_LETTER_DROP,
    GLOSSARY_LISTENER_TERM,
    GLOSSARY_SINK_TERM,
    GLOSSARY_DEAD_LETTER_TERM,
    GLOSSARY_METRIC,
    GLOSSARY_HEALTH_STATUS,
    GLOSSARY_HEALTH_REASON,
    GLOSSARY_EXIT_CODE,
    GLOSSARY_KIND_COUNT
};

/* "a key of the configuration", and the page and section of the manual that has it. */
struct glossary_kind_text {
    const char *title, *page;
};
extern const struct glossary_kind_text glossary_kinds[GLOSSARY_KIND_COUNT];

/* Enough for the name of any metric and its NUL. */
#define GLOSSARY_NAME_SIZE 80

struct glossary_entry {
    enum glossary_kind kind;
    unsigned scopes;                /* of a key: where it may stand, of enum key_scope */
    const struct setting *key;      /* its row; NULL: this is no key */
    bool histogram;                 /* of a metric: there are _bucket, _sum and _count of it */
    bool of_term;                   /* of a metric: it counts a term, which has an entry too */
    const char *short_name;         /* of a metric: without its prefix and suffix; else NULL */
    const char *what;               /* what it means */
    const char *remedy;             /* what to do about it; empty: nothing, or `what` has it */
    char name[GLOSSARY_NAME_SIZE];  /* as the program takes or reports it */
    char syntax[SYNTAX_SIZE];       /* of its value, or the names of its labels; empty: none */
    char default_text[SYNTAX_SIZE]; /* "default 4MiB, 4KiB to 1GiB"; empty: none */
};

struct glossary {
    struct glossary_entry *entries; /* those of a kind follow each other, in their table's order */
    size_t count;
};

/* Makes all entries; `registry` has what values may be chosen from. NULL where memory is short. */
struct glossary *glossary_create(const struct config_registry *registry);
/* NULL is allowed. */
void glossary_destroy(struct glossary *glossary);

/*
 * Whether somebody means this entry by `word`: its name, also with what stands around it where it
 * is used ("--sink", "rate_limit=", "sluice_sink_write_seconds_bucket"), a metric's short name, or
 * one of an open key's names.
 */
bool glossary_is_meant(const struct glossary_entry *entry, const char *word);

#endif
