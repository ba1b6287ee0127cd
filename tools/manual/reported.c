#include "tools/manual/reported.h"

#include <string.h>

#include "collector/metrics/metrics_rows.h"
#include "tools/manual/writing.h"

static void write_entry(FILE *out, const char *name, const char *text)
{
    fprintf(out, ".TP\n.B ");
    roff_write_text(out, name, strlen(name));
    fputc('\n', out);
    roff_write_text(out, text, strlen(text));
    fputc('\n', out);
}

void reported_write_terms(FILE *out, const struct ledger_term *terms)
{
    for (; terms->name != NULL; terms++)
        write_entry(out, terms->name, terms->help);
}

void reported_write_reasons(FILE *out, const struct reason_text *reasons, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char text[512];
        bool remedy = reasons[i].remedy[0] != '\0';
        snprintf(text, sizeof text, "%s%s%s.", reasons[i].what, remedy ? "; " : "",
                 reasons[i].remedy);
        write_entry(out, reasons[i].name, text);
    }
}

static void write_metric(FILE *out, const struct metric *metric, const char *labels,
                         const char *help)
{
    char name[128];
    char text[512];
    bool histogram = metric->type == METRIC_HISTOGRAM;
    snprintf(name, sizeof name, "%s%s%s%s%s%s%s", metric->prefix, metric->of, metric->what,
             metric_suffix(metric), labels[0] != '\0' ? "{" : "", labels,
             labels[0] != '\0' ? "}" : "");
    snprintf(text, sizeof text, "%s%s", histogram ? "Histogram. " : "", help);
    write_entry(out, name, text);
}

void reported_write_measures(FILE *out, const struct ledger_measure *measures, const char *of,
                             const char *label)
{
    for (; measures->name != NULL; measures++) {
        const struct metric metric = {"sluice_", of, measures->metric, METRIC_HISTOGRAM};
        write_metric(out, &metric, label, measures->help);
    }
}

void reported_write_metrics(FILE *out)
{
    for (size_t i = 0; i < METRICS_ROW_COUNT; i++)
        write_metric(out, &metrics_rows[i].metric, metrics_rows[i].labels, metrics_rows[i].help);
}

void reported_write_words(FILE *out, const struct health_word *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        write_entry(out, words[i].name, words[i].meaning);
}
