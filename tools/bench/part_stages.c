/*
 * Measures small stages between decoding and the file: writing a double as text, passing an item
 * through a ring, and writing a line to a file. Doubles and lines are also written in a simpler way
 * for comparison.
 */
#include <stdio.h>
#include <stdlib.h>

#include "collector/platform/file_system.h"
#include "collector/platform/output_file.h"
#include "collector/queue/ring.h"
#include "collector/text/shortest_double.h"
#include "tools/bench/bench.h"
#include "tools/bench/table.h"
#include "tools/bench/timing.h"

#define ITEMS      1024 /* number of items in one call */
#define LINE_SIZE  293  /* approximate bytes of a JSON line of one sample */
#define BLOCK_SIZE ((size_t)64 * 1024)

struct stages {
    double values[2][ITEMS]; /* [0]: 16 or 17 digits; [1]: at most 7, like measured values */
    const double *doubles;   /* one of the two rows of `values` */
    struct ring *ring;
    struct output_file *file;
    bool failed; /* a write was incomplete */
    char block[BLOCK_SIZE];
    size_t block_size; /* bytes of each write in the current stage */
    size_t bytes;      /* bytes of text, so that the compiler does not remove the calls */
};

/* --- the stages ------------------------------------------------------------------------------- */

static void format_ours(void *context)
{
    struct stages *stages = context;
    char text[SHORTEST_DOUBLE_SIZE];
    for (size_t i = 0; i < ITEMS; i++)
        stages->bytes += shortest_double(stages->doubles[i], text);
}

static void format_theirs(void *context)
{
    struct stages *stages = context;
    char text[SHORTEST_DOUBLE_SIZE];
    for (size_t i = 0; i < ITEMS; i++)
        stages->bytes += (size_t)snprintf(text, sizeof text, "%.17g", stages->doubles[i]);
}

static void push_and_pop(void *context)
{
    struct stages *stages = context;
    for (size_t i = 0; i < ITEMS; i++) {
        ring_push(stages->ring, stages);
        stages->bytes += ring_pop(stages->ring) != NULL;
    }
}

static void write_block(void *context)
{
    struct stages *stages = context;
    struct error error;
    size_t written = 0;
    if (output_file_write(stages->file, stages->block, stages->block_size, &written, &error) !=
            WRITE_OK ||
        written != stages->block_size)
        stages->failed = true;
}

static const struct stage {
    const char *name;
    const char *unit;
    void (*once)(void *context);
    double units;      /* number of units in one call */
    size_t doubles;    /* index into stages->values */
    size_t block_size; /* bytes of each write; 0: does not write */
} table_of_stages[] = {
    {"17 digits, ours", "double", format_ours, ITEMS, 0, 0},
    {"17 digits, %.17g", "double", format_theirs, ITEMS, 0, 0},
    {"7 digits, ours", "double", format_ours, ITEMS, 1, 0},
    {"7 digits, %.17g", "double", format_theirs, ITEMS, 1, 0},
    {"ring, push and pop", "item", push_and_pop, ITEMS, 0, 0},
    {"blocks of 64 KiB", "line of 293 B", write_block, (double)BLOCK_SIZE / LINE_SIZE, 0,
     BLOCK_SIZE},
    {"a write a line", "line of 293 B", write_block, 1, 0, LINE_SIZE},
};
#define STAGES (sizeof table_of_stages / sizeof table_of_stages[0])

/* --- measuring -------------------------------------------------------------------------------- */

/*
 * Sets the inputs, which are the same on every machine. The numbers come from a linear congruential
 * generator with the constants of Knuth's MMIX.
 */
static void set_up(struct stages *stages)
{
    uint64_t state = 1;
    for (size_t i = 0; i < ITEMS; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        stages->values[0][i] = (double)(state >> 11) / 9007199254740992.0;
        stages->values[1][i] = (double)(state >> 44) / 1000.0;
    }
    for (size_t i = 0; i < BLOCK_SIZE; i++)
        stages->block[i] = i % LINE_SIZE == LINE_SIZE - 1 ? '\n' : 'x';
}

/* Runs one round of a stage. A stage that writes gets an empty file. */
static int measure_round(struct stages *stages, const struct stage *stage, const char *path,
                         int64_t round_ns, struct series *ns, struct error *error)
{
    struct output_file_start start;
    stages->doubles = stages->values[stage->doubles];
    stages->block_size = stage->block_size;
    if (stage->block_size != 0 &&
        output_file_open_append(path, 0, NULL, &stages->file, &start, error) != 0)
        return -1;
    series_add(ns, timing_round(stage->once, stages, round_ns) / stage->units);
    if (stage->block_size == 0)
        return 0;
    output_file_close(stages->file);
    folder_remove_file(path);
    if (!stages->failed)
        return 0;
    error_set(error, EXIT_CODE_IO, "%s cannot be written", path);
    return -1;
}

static void report(const struct series ns[STAGES])
{
    static const struct table_column columns[] = {
        {"stage", -18, 0}, {"of a", -13, 0}, {"ns", 7, 1}, {"least", 7, 1}, {"most", 7, 1},
    };
    struct table table =
        table_begin(stdout, "Stages by themselves", columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < STAGES; i++) {
        struct spread spread = spread_of(&ns[i]);
        const struct table_cell cells[] = {
            table_word(table_of_stages[i].name), table_word(table_of_stages[i].unit),
            table_number(spread.median),         table_number(spread.least),
            table_number(spread.most),
        };
        table_row(&table, cells);
    }
}

static int measure(const struct bench *bench, struct stages *stages, struct error *error)
{
    struct series ns[STAGES] = {{.count = 0}};
    char path[SCRATCH_PATH_SIZE + 16];
    snprintf(path, sizeof path, "%s/stages", bench->folder);
    for (uint64_t round = 0; round < bench->settings.rounds; round++)
        for (size_t i = 0; i < STAGES; i++)
            if (measure_round(stages, &table_of_stages[i], path, bench_stage_ns(bench), &ns[i],
                              error) != 0)
                return -1;
    report(ns);
    return 0;
}

int part_stages(struct bench *bench, struct error *error)
{
    static struct stages stages;
    stages.ring = ring_create(64);
    if (stages.ring == NULL)
        return error_no_memory(error);
    set_up(&stages);
    int result = measure(bench, &stages, error);
    ring_destroy(stages.ring);
    return result;
}
