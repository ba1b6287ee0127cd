#include "collector/metrics/metrics_page.h"

#include "collector/metrics/metrics_ledger.h"
#include "collector/metrics/metrics_levels.h"
#include "collector/metrics/metrics_merge.h"
#include "collector/metrics/metrics_rows.h"

const char *const metrics_page_types[] = {
    [METRICS_PROMETHEUS] = "text/plain; version=0.0.4; charset=utf-8",
    [METRICS_OPENMETRICS] = "application/openmetrics-text; version=1.0.0; charset=utf-8",
};

static void page_put_number(struct metrics_text *text, enum metrics_row_index row, double value)
{
    metrics_text_number(text, metrics_rows_begin(text, row), METRIC_NO_LABELS, value);
}

static void put_integer(struct metrics_text *text, enum metrics_row_index row, uint64_t value)
{
    metrics_text_integer(text, metrics_rows_begin(text, row), METRIC_NO_LABELS, value);
}

static void put_limit(struct metrics_text *text, enum metrics_row_index row, uint64_t limit)
{
    if (limit != USAGE_UNLIMITED)
        put_integer(text, row, limit);
}

static void put_process(struct metrics_text *text, const struct process_usage *usage)
{
    page_put_number(text, ROW_CPU, usage->processor_seconds);
    page_put_number(text, ROW_STARTED, usage->started_seconds);
    put_integer(text, ROW_RESIDENT, usage->resident_bytes);
    put_integer(text, ROW_VIRTUAL, usage->virtual_bytes);
    put_limit(text, ROW_VIRTUAL_MOST, usage->virtual_bytes_most);
    put_integer(text, ROW_FILES, usage->open_files);
    put_limit(text, ROW_FILES_MOST, usage->open_files_most);
}

static void put_program(struct metrics_text *text, const struct metrics_facts *facts)
{
    metrics_text_integer(text, metrics_rows_begin(text, ROW_BUILD),
                         METRIC_LABELS({"version", facts->version}), 1);
    if (facts->sandbox != NULL)
        metrics_text_integer(text, metrics_rows_begin(text, ROW_SANDBOX),
                             METRIC_LABELS({"level", sandbox_level_name(facts->sandbox->level)},
                                           {"means", facts->sandbox->text}),
                             1);
    page_put_number(text, ROW_UPTIME, (double)facts->ledger->uptime_ns / 1e9);
}

void metrics_page_write(const struct metrics_facts *facts, enum metrics_format format,
                        struct output *out)
{
    struct metrics_text text = {out, format};
    metrics_merge(facts->ledger);
    put_program(&text, facts);
    metrics_ledger_write(&text, facts->ledger);
    metrics_levels_write(&text, facts->levels, facts->now_ns);
    if (facts->usage != NULL)
        put_process(&text, facts->usage);
    metrics_text_end(&text);
}
