#include "collector/metrics/metrics_rows.h"

#define ROW_OF(constant, prefix, of, what, type, labels, help, remedy)                             \
    {{prefix, of, what, METRIC_##type}, labels, help, remedy},
const struct metrics_row metrics_rows[] = {METRICS_ROWS(ROW_OF)};

struct metric metric_of_term(const char *of, const struct ledger_term *term)
{
    return (struct metric){"sluice_", of, term->name,
                           term->part == PART_NOW ? METRIC_GAUGE : METRIC_COUNTER};
}

const struct metric *metrics_rows_begin(struct metrics_text *text, enum metrics_row_index row)
{
    metrics_text_begin(text, &metrics_rows[row].metric, metrics_rows[row].help);
    return &metrics_rows[row].metric;
}
