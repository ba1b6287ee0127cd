#include "collector/glossary/glossary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/config/keys.h"
#include "collector/config/option_table.h"
#include "collector/health/health_words.h"
#include "collector/ledger/ledger.h"
#include "collector/metrics/metrics_rows.h"
#include "collector/text/text.h"

#define GROWTH 128

const struct glossary_kind_text glossary_kinds[] = {
    [GLOSSARY_OPTION] = {"an option of the command line", "sluice(1), OPTIONS"},
    [GLOSSARY_KEY] = {"a key", "sluice.yaml(5)"},
    [GLOSSARY_DATAGRAM_REASON] = {"why a listener did not decode a datagram",
                                  "sluice(1), THE LEDGER"},
    [GLOSSARY_RECORD_REFUSAL] = {"why a sink's queue did not take a record",
                                 "sluice(1), THE LEDGER"},
    [GLOSSARY_RECORD_FAILURE] = {"why a record that a sink had taken was not written",
                                 "sluice(1), THE LEDGER"},
    [GLOSSARY_DEAD_LETTER_DROP] = {"why a dead letter was not kept", "sluice(1), THE LEDGER"},
    [GLOSSARY_LISTENER_TERM] = {"a count of a listener", "sluice(1), THE LEDGER"},
    [GLOSSARY_SINK_TERM] = {"a count of a sink", "sluice(1), THE LEDGER"},
    [GLOSSARY_DEAD_LETTER_TERM] = {"a count of dead letters", "sluice(1), THE LEDGER"},
    [GLOSSARY_REPORT_WORD] = {"a word of the reports", "sluice(1), THE LEDGER"},
    [GLOSSARY_METRIC] = {"a metric", "sluice(1), METRICS AND HEALTH"},
    [GLOSSARY_HEALTH_STATUS] = {"a status of the health", "sluice(1), METRICS AND HEALTH"},
    [GLOSSARY_HEALTH_REASON] = {"why the health is degraded or stuck",
                                "sluice(1), METRICS AND HEALTH"},
    [GLOSSARY_EXIT_CODE] = {"an exit code", "sluice(1), EXIT STATUS"},
};

struct making {
    struct glossary *glossary;
    const struct config_registry *registry;
    size_t room;
    bool failed;
};

/* Returns NULL if out of memory, now or in an earlier call. */
static struct glossary_entry *glossary_add(struct making *making, enum glossary_kind kind,
                                           const char *name, const char *what, const char *remedy)
{
    struct glossary *glossary = making->glossary;
    if (making->failed)
        return NULL;
    if (glossary->count == making->room) {
        size_t room = making->room + GROWTH;
        void *larger = realloc(glossary->entries, room * sizeof *glossary->entries);
        making->failed = larger == NULL;
        if (making->failed)
            return NULL;
        glossary->entries = larger;
        making->room = room;
    }
    struct glossary_entry *entry = &glossary->entries[glossary->count++];
    *entry = (struct glossary_entry){.kind = kind, .what = what, .remedy = remedy};
    RULE(strlen(name) < sizeof entry->name, "a name fits into its entry");
    snprintf(entry->name, sizeof entry->name, "%s", name);
    return entry;
}

/* --- the configuration ------------------------------------------------------------------------ */

static void add_options(struct making *making)
{
    for (const struct option *option = command_options; option->setting.name != NULL; option++) {
        struct glossary_entry *entry =
            glossary_add(making, GLOSSARY_OPTION, option->setting.name, option->setting.help, "");
        if (entry == NULL)
            return;
        syntax_of_option(option, making->registry, entry->syntax);
        syntax_of_default(&option->setting, true, entry->default_text);
    }
}

static void add_keys(struct making *making)
{
    for (const struct setting *key = config_keys; key->name != NULL; key++) {
        struct glossary_entry *entry = glossary_add(making, GLOSSARY_KEY, key->name, key->help, "");
        if (entry == NULL)
            return;
        entry->scopes = key->scopes;
        entry->key = key;
        syntax_of_value(key, making->registry, entry->syntax);
        syntax_of_default(key, true, entry->default_text);
    }
}

/* --- the ledger ------------------------------------------------------------------------------- */

static void add_reasons(struct making *making, enum glossary_kind kind,
                        const struct reason_text *reasons, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool is_loss = reasons[i].remedy[0] != '\0';
        glossary_add(making, kind, reasons[i].name, reasons[i].what,
                     is_loss ? reasons[i].remedy : "nothing to do: it is not a loss");
    }
}

static void glossary_add_terms(struct making *making, enum glossary_kind kind,
                               const struct ledger_term *terms)
{
    for (; terms->name != NULL; terms++)
        glossary_add(making, kind, terms->name, terms->help, terms->remedy);
}

static void add_report_words(struct making *making)
{
    glossary_add(making, GLOSSARY_REPORT_WORD, "balances",
                 "Whether every sum holds: each datagram and record has exactly one outcome.",
                 "if it is false in a final report, report a bug, with the report");
    glossary_add(
        making, GLOSSARY_REPORT_WORD, "missing",
        "Sequence numbers that have not arrived but still may, in /sources and sluice-top; "
        "when their sender is 1,024 numbers ahead (65,536 where it may use several connections or "
        "receivers), and at the stop, they count as lost.",
        "nothing, if it falls again; otherwise as for lost");
    glossary_add(making, GLOSSARY_REPORT_WORD, "incomplete",
                 "Whether a thread did not end in time, so that its last counts are missing.",
                 "look in the log for the sink or listener that did not stop");
}

/* --- metrics ---------------------------------------------------------------------------------- */

static struct glossary_entry *add_metric(struct making *making, const struct metric *metric,
                                         const char *labels, const char *help, const char *remedy)
{
    char name[GLOSSARY_NAME_SIZE];
    snprintf(name, sizeof name, "%s%s%s%s", metric->prefix, metric->of, metric->what,
             metric_suffix(metric));
    struct glossary_entry *entry = glossary_add(making, GLOSSARY_METRIC, name, help, remedy);
    if (entry == NULL)
        return NULL;
    entry->short_name = metric->what;
    entry->histogram = metric->type == METRIC_HISTOGRAM;
    snprintf(entry->syntax, sizeof entry->syntax, "%s", labels);
    return entry;
}

static void glossary_add_measures(struct making *making, const struct ledger_measure *measures,
                                  const char *of, const char *label)
{
    for (; measures->name != NULL; measures++) {
        const struct metric metric = {"sluice_", of, measures->metric, METRIC_HISTOGRAM};
        add_metric(making, &metric, label, measures->help, measures->remedy);
    }
}

static void add_term_metrics(struct making *making, const struct ledger_term *terms, const char *of,
                             const char *label)
{
    for (; terms->name != NULL; terms++) {
        const struct metric metric = metric_of_term(of, terms);
        struct glossary_entry *entry =
            add_metric(making, &metric, label, terms->help, terms->remedy);
        if (entry == NULL)
            return;
        entry->of_term = true;
        entry->short_name = NULL; /* the short name of a term means the term's own entry */
    }
}

static void add_metrics(struct making *making)
{
    glossary_add_measures(making, thread_measures, "receiver_", "receiver");
    glossary_add_measures(making, sink_measures, "sink_", "sink");
    for (size_t i = 0; i < METRICS_ROW_COUNT; i++) {
        const struct metrics_row *row = &metrics_rows[i];
        add_metric(making, &row->metric, row->labels, row->help, row->remedy);
    }
    add_term_metrics(making, listener_terms, "listener_", "listener");
    add_term_metrics(making, offer_terms, "sink_", "sink");
    add_term_metrics(making, sink_terms, "sink_", "sink");
    add_term_metrics(making, dead_letter_terms, "dead_letters_", "");
}

/* --- health and exit codes -------------------------------------------------------------------- */

static void add_words(struct making *making, enum glossary_kind kind,
                      const struct health_word *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        glossary_add(making, kind, words[i].name, words[i].meaning, words[i].remedy);
}

static void add_exit_codes(struct making *making)
{
    for (const struct exit_meaning *exit = exit_meanings; exit->meaning != NULL; exit++) {
        char code[16];
        snprintf(code, sizeof code, "%d", (int)exit->code);
        glossary_add(making, GLOSSARY_EXIT_CODE, code, exit->meaning, exit->remedy);
    }
}

/* --- the whole glossary ----------------------------------------------------------------------- */

static void add_all(struct making *making)
{
    add_options(making);
    add_keys(making);
    add_reasons(making, GLOSSARY_DATAGRAM_REASON, datagram_reason_texts, REASON_COUNT);
    add_reasons(making, GLOSSARY_RECORD_REFUSAL, record_refusal_texts, REFUSAL_COUNT);
    add_reasons(making, GLOSSARY_RECORD_FAILURE, record_failure_texts, FAILURE_COUNT);
    add_reasons(making, GLOSSARY_DEAD_LETTER_DROP, dead_letter_drop_texts, DROP_COUNT);
    glossary_add_terms(making, GLOSSARY_LISTENER_TERM, listener_terms);
    glossary_add_terms(making, GLOSSARY_SINK_TERM, offer_terms);
    glossary_add_terms(making, GLOSSARY_SINK_TERM, sink_terms);
    /* sink_terms has no row in_flight, so its text comes from the metric. */
    glossary_add(making, GLOSSARY_SINK_TERM, "in_flight", metrics_rows[ROW_IN_FLIGHT].help,
                 metrics_rows[ROW_IN_FLIGHT].remedy);
    glossary_add_terms(making, GLOSSARY_DEAD_LETTER_TERM, dead_letter_terms);
    add_report_words(making);
    add_metrics(making);
    add_words(making, GLOSSARY_HEALTH_STATUS, health_statuses, HEALTH_STATUS_COUNT);
    add_words(making, GLOSSARY_HEALTH_REASON, health_reasons, HEALTH_REASON_COUNT);
    add_exit_codes(making);
}

struct glossary *glossary_create(const struct config_registry *registry)
{
    struct glossary *glossary = calloc(1, sizeof *glossary);
    if (glossary == NULL)
        return NULL;
    struct making making = {.glossary = glossary, .registry = registry};
    key_table_add_own(registry->destinations);
    add_all(&making);
    if (!making.failed)
        return glossary;
    glossary_destroy(glossary);
    return NULL;
}

void glossary_destroy(struct glossary *glossary)
{
    if (glossary == NULL)
        return;
    free(glossary->entries);
    free(glossary);
}

/* --- lookup ----------------------------------------------------------------------------------- */

static bool is_sample_of(const struct glossary_entry *entry, const char *word)
{
    size_t length = strlen(entry->name);
    return entry->histogram && strncmp(word, entry->name, length) == 0 &&
           (strcmp(word + length, "_bucket") == 0 || strcmp(word + length, "_sum") == 0 ||
            strcmp(word + length, "_count") == 0);
}

bool glossary_is_meant(const struct glossary_entry *entry, const char *word)
{
    bool dashes = strncmp(word, "--", 2) == 0;
    word += dashes ? 2 : 0;
    if (dashes && entry->kind != GLOSSARY_OPTION)
        return false;
    size_t length = strcspn(word, "=");
    if (entry->kind != GLOSSARY_OPTION && entry->kind != GLOSSARY_KEY)
        length = strlen(word);
    if (entry->key != NULL && key_is_called(entry->key, word, length))
        return true;
    if (text_is(word, length, entry->name) || is_sample_of(entry, word))
        return true;
    return entry->short_name != NULL && text_is(word, length, entry->short_name);
}
