/*
 * The glossary: the meaning of each word that the program accepts or reports, with remedies.
 *
 * It has an entry for each option, key, reason, term, metric, word of health and exit code. The
 * entries are generated from the tables of these words. `sluice explain` and the manual print them.
 *
 * Lifecycle: create, read, destroy. Constant after create; any thread.
 */
#ifndef SLUICE_COLLECTOR_GLOSSARY_GLOSSARY_H
#define SLUICE_COLLECTOR_GLOSSARY_GLOSSARY_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/config/syntax.h"

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
 * The title of a kind ("a key"), and the manual page and section that describe words of this kind.
 */
struct glossary_kind_text {
    const char *title, *page;
};
extern const struct glossary_kind_text glossary_kinds[GLOSSARY_KIND_COUNT];

/* The size of an entry's name, including the NUL. */
#define GLOSSARY_NAME_SIZE 80

struct glossary_entry {
    enum glossary_kind kind;
    unsigned scopes;           /* key: its scopes, bits of enum key_scope */
    const struct setting *key; /* key: its row; NULL for other kinds */
    bool histogram;            /* metric: it has samples _bucket, _sum and _count */
    bool of_term;              /* metric: its value is a term, which has its own entry */
    const char *short_name;    /* metric: name without prefix and suffix; NULL if of_term */
    const char *what;
    const char *remedy;             /* what to do about it; empty for options and keys */
    char name[GLOSSARY_NAME_SIZE];  /* the word, as the program accepts or reports it */
    char syntax[SYNTAX_SIZE];       /* syntax of the value, or the labels' names; may be empty */
    char default_text[SYNTAX_SIZE]; /* such as "default 4MiB, 4KiB to 1GiB"; may be empty */
};

struct glossary {
    struct glossary_entry *entries; /* grouped by kind, in the order of the kind's table */
    size_t count;
};

/* Creates all entries. `registry` provides the choices of values. Returns NULL if out of memory. */
struct glossary *glossary_create(const struct config_registry *registry);
/* NULL is allowed. */
void glossary_destroy(struct glossary *glossary);

/*
 * Returns true if `word` names this entry. Accepts its name, also as it appears in use ("--sink",
 * "rate_limit=", "sluice_sink_write_seconds_bucket"), a metric's short name and, for a key whose
 * name ends in ".NAME", any name in place of NAME.
 */
bool glossary_is_meant(const struct glossary_entry *entry, const char *word);

#endif
