#include "sinks/encoders/openmetrics_arrange.h"

#include "sinks/encoders/openmetrics_names.h"
#include "sinks/encoders/openmetrics_order.h"

_Static_assert(2 * OPENMETRICS_MOST_SAMPLES * sizeof(uint32_t) <= ENCODER_SCRATCH_SIZE,
               "the index fits the scratch memory");

static void find_samples(struct openmetrics_index *index, size_t size)
{
    for (size_t at = 0; at < size; at += openmetrics_sample_load(index->block + at).size)
        index->at[index->count++] = (uint32_t)at;
}

/*
 * Returns the millisecond that Prometheus computes for a time: it reads the time as a double,
 * multiplies, and truncates. Prometheus refuses a file in which a series has two values in one
 * millisecond.
 */
static int64_t millisecond(int64_t time_ns)
{
    const int64_t second = 1000000000;
    double seconds = (double)(time_ns / second) + (double)(time_ns % second) / 1e9;
    return (int64_t)(seconds * 1000);
}

static bool is_replaced(const struct openmetrics_index *index, size_t i)
{
    return i + 1 < index->count && openmetrics_same_metric(index, i, i + 1) &&
           millisecond(openmetrics_index_load(index, i).time_ns) ==
               millisecond(openmetrics_index_load(index, i + 1).time_ns);
}

/* --- writing ---------------------------------------------------------------------------------- */

/* Writes "# TYPE NAME TYPE", and "# UNIT NAME UNIT" if a sample of the family has a unit. */
static void begin_family(const struct openmetrics_index *index, size_t first, size_t next,
                         struct output *out)
{
    const struct openmetrics_sample head = openmetrics_index_load(index, first);
    const char *name = openmetrics_index_name(index, first);
    const char *type = openmetrics_type_name((enum openmetrics_type)head.type);
    size_t unit_size = 0;
    for (size_t i = first; i < next && unit_size == 0; i++)
        unit_size = openmetrics_index_load(index, i).unit_size;
    output_literal(out, "# TYPE ");
    output_bytes(out, name, head.name_size);
    output_char(out, ' ');
    output_bytes(out, type, strlen(type));
    output_char(out, '\n');
    if (unit_size == 0)
        return;
    output_literal(out, "# UNIT ");
    output_bytes(out, name, head.name_size);
    output_char(out, ' ');
    output_bytes(out, name + head.name_size - unit_size, unit_size);
    output_char(out, '\n');
}

static void write_lines(const struct openmetrics_index *index, size_t i, struct output *out)
{
    const struct openmetrics_sample head = openmetrics_index_load(index, i);
    const char *line = openmetrics_index_bytes(index, i) + head.lines_at;
    const char *end = openmetrics_index_bytes(index, i) + head.size;
    while (line != end) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        size_t size = (size_t)(newline - line) + 1;
        output_bytes(out, openmetrics_index_name(index, i), head.name_size);
        output_bytes(out, line, size);
        line += size;
    }
}

static void write_family(const struct openmetrics_index *index, size_t first, size_t next,
                         struct output *out, struct encoded *encoded)
{
    begin_family(index, first, next, out);
    for (size_t i = first; i < next; i++) {
        if (is_replaced(index, i)) {
            encoded->left_out++;
            continue;
        }
        write_lines(index, i, out);
        encoded->lines += openmetrics_index_load(index, i).lines;
        encoded->samples++;
    }
}

struct encoded openmetrics_arrange(struct arena *scratch, char *block, size_t size,
                                   struct output *out)
{
    struct openmetrics_index index = {.block = block, .at = (uint32_t *)(void *)scratch->base};
    struct encoded encoded = {0};
    size_t next;
    find_samples(&index, size);
    openmetrics_order(&index);
    openmetrics_assign_names(&index);
    for (size_t first = 0; first < index.count; first = next) {
        next = openmetrics_next_family(&index, first);
        if (openmetrics_index_load(&index, first).left_out)
            encoded.left_out += next - first;
        else
            write_family(&index, first, next, out, &encoded);
    }
    output_literal(out, OPENMETRICS_END);
    return encoded;
}
