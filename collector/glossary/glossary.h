/*
 * The glossary: the meaning of each word that the program accepts or reports, with remedies.
 *
 * There is one entry for each option, key, reason, term, metric, word of health and exit code,
 * generated from the rows of their own tables (config/option_table.h, config/key_table.h,
 * ledger/ledger_terms.h, metrics/metrics_rows.h, health/health_words.h). `sluice explain` and the
 * manual print the entries.
 *
 * Lifecycle: create, read, destroy. Constant after create; any thread.
 */
#ifndef SLUICE_COLLECTOR_GLOSSARY_GLOSSARY_H
#define SLUICE_COLLECTOR_GLOSSARY_GLOSSARY_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/config/syntax.h"

/* The kind of word that an entry explains. */
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
    GLOSSARY_REPORT_WORD,
    GLOSSARY_METRIC,
    GLOSSARY_HEALTH_STATUS,
    GLOSSARY_HEALTH_REASON,
    GLOSSARY_EXIT_CODE,
    GLOSSARY_KIND_COUNT
};

/*
 * The title of a kind ("a key"), and the manual page and section that have the words of this kind.
 */
struct glossary_kind_text {
    const char *title, *page;
};
extern const struct glossary_kind_text glossary_kinds[GLOSSARY_KIND_COUNT];

/* The size of a buffer for the name of any metric, including the NUL. */
#define GLOSSARY_NAME_SIZE 80

struct glossary_entry {
    enum glossary_kind kind;
    unsigned scopes;                /* of a key: its scopes, bits of enum key_scope */
    const struct setting *key;      /* of a key: its row; else NULL */
    bool histogram;                 /* of a metric: has samples _bucket, _sum and _count */
    bool of_term;                   /* of a metric: its value is a term, which has its own entry */
    const char *short_name;         /* of a metric: its name without prefix and suffix; else NULL */
    const char *what;               /* its meaning */
    const char *remedy;             /* what to do about it; empty for options and keys */
    char name[GLOSSARY_NAME_SIZE];  /* as the program accepts or reports it */
    char syntax[SYNTAX_SIZE]; /* syntax of the value, or the names of the labels; empty: none */
    char default_text[SYNTAX_SIZE]; /* "default 4MiB, 4KiB to 1GiB"; empty: none */
};

struct glossary {
    struct glossary_entry *entries; /* entries of a kind are together, in their table's order */
    size_t count;
};

/* Makes all entries; `registry` has the choices of values. Returns NULL if memory is short. */
struct glossary *glossary_create(const struct config_registry *registry);
/* NULL is allowed. */
void glossary_destroy(struct glossary *glossary);

/*
 * Returns whether `word` means this entry. That is its name, also as it appears in use ("--sink",
 * "rate_limit=", "sluice_sink_write_seconds_bucket"), a metric's short name, or one of an open
 * key's names.
 */
bool glossary_is_meant(const struct glossary_entry *entry, const char *word);

#endif
