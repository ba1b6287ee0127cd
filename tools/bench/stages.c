#include "tools/bench/stages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/platform/folder.h"
#include "collector/platform/output_file.h"
#include "collector/queue/ring.h"
#include "collector/text/shortest_double.h"
#include "tools/bench/scratch.h"
#include "tools/bench/statistics.h"
#include "tools/bench/timing.h"

#define DOUBLES   1024
#define LINE_SIZE 293 /* bytes of a line of JSON of one sample, more or less */
#define KIB       ((size_t)1024)

struct stages {
    double long_doubles[DOUBLES];  /* of 16 or 17 digits */
    double short_doubles[DOUBLES]; /* of at most 7, as most that are measured */
    struct ring *ring;
    struct output_file *file;
    bool failed; /* a write was not whole */
    char *block;
    size_t block_size; /* of the stage at hand */
    size_t bytes;      /* written of doubles' text; keeps the compiler from leaving them out */
};

/* --- the stages: each is one turn of what is repeated ------------------------------------------
 */

static void format_ours(struct stages *stages, const double *values)
{
    char text[SHORTEST_DOUBLE_SIZE];
    for (size_t i = 0; i < DOUBLES; i++)
        stages->bytes += shortest_double(values[i], text);
}

static void format_theirs(struct stages *stages, const double *values)
{
    char text[SHORTEST_DOUBLE_SIZE];
    for (size_t i = 0; i < DOUBLES; i++)
        stages->bytes += (size_t)snprintf(text, sizeof text, "%.17g", values[i]);
}

static void long_ours(void *context)
{
    format_ours(context, ((struct stages *)context)->long_doubles);
}

static void long_theirs(void *context)
{
    format_theirs(context, ((struct stages *)context)->long_doubles);
}

static void short_ours(void *context)
{
    format_ours(context, ((struct stages *)context)->short_doubles);
}

static void short_theirs(void *context)
{
    format_theirs(context, ((struct stages *)context)->short_doubles);
}

static void push_and_pop(void *context)
{
    struct stages *stages = context;
    for (size_t i = 0; i < DOUBLES; i++) {
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
    double units;      /* in one turn */
    size_t block_size; /* of what is written; 0: nothing is */
} table[] = {
    {"double of 17 digits, ours", "double", long_ours, DOUBLES, 0},
    {"double of 17 digits, %.17g", "double", long_theirs, DOUBLES, 0},
    {"double of 7 digits, ours", "double", short_ours, DOUBLES, 0},
    {"double of 7 digits, %.17g", "double", short_theirs, DOUBLES, 0},
    {"ring, push and pop", "item", push_and_pop, DOUBLES, 0},
    {"write in blocks of 64 KiB", "line of 293 B", write_block, 64.0 * 1024 / LINE_SIZE, 64 * KIB},
    {"write in blocks of 128 KiB", "line of 293 B", write_block, 128.0 * 1024 / LINE_SIZE,
     128 * KIB},
    {"write of each line", "line of 293 B", write_block, 1, LINE_SIZE},
};
#define STAGES (sizeof table / sizeof table[0])

/* --- measuring -------------------------------------------------------------------------------- */

/* The same numbers on every machine and every day (a linear congruential generator; the constants
 * are those of Knuth's MMIX). */
static void make_doubles(struct stages *stages)
{
    uint64_t state = 1;
    for (size_t i = 0; i < DOUBLES; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        stages->long_doubles[i] = (double)(state >> 11) / 9007199254740992.0;
        stages->short_doubles[i] = (double)(state >> 44) / 1000.0;
    }
}

static int set_up(struct stages *stages, struct error *error)
{
    make_doubles(stages);
    stages->ring = ring_create(64);
    stages->block = malloc(128 * KIB);
    if (stages->ring == NULL || stages->block == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "no memory for the stages");
        return -1;
    }
    for (size_t i = 0; i < 128 * KIB; i++)
        stages->block[i] = i % LINE_SIZE == LINE_SIZE - 1 ? '\n' : 'x';
    return 0;
}

/* One round of one stage; what it writes goes to a file that begins empty. */
static int measure_round(struct stages *stages, const struct stage *stage, const char *path,
                         int64_t round_ns, double *time, struct error *error)
{
    struct output_file_start start;
    stages->block_size = stage->block_size;
    if (stage->block_size != 0 &&
        output_file_open_append(path, NULL, &stages->file, &start, error) != 0)
        return -1;
    *time = timing_round(stage->once, stages, round_ns) / stage->units;
    if (stage->block_size == 0)
        return 0;
    output_file_close(stages->file);
    folder_remove_file(path);
    if (!stages->failed)
        return 0;
    error_set(error, EXIT_CODE_IO, "%s cannot be written", path);
    return -1;
}

static int measure_all(struct stages *stages, const char *path, size_t rounds, int64_t round_ns,
                       double *times, struct error *error)
{
    for (size_t round = 0; round < rounds; round++)
        for (size_t i = 0; i < STAGES; i++)
            if (measure_round(stages, &table[i], path, round_ns, &times[i * rounds + round],
                              error) != 0)
                return -1;
    return 0;
}

int stages_measure(const char *folder, size_t rounds, int64_t round_ns,
                   struct stage_cost costs[STAGES_MOST], struct error *error)
{
    struct stages *stages = calloc(1, sizeof *stages);
    double *times = calloc(STAGES * rounds, sizeof *times);
    char path[SCRATCH_PATH_SIZE + 16];
    int result = -1;
    snprintf(path, sizeof path, "%s/stages", folder);
    if (stages == NULL || times == NULL)
        error_set(error, EXIT_CODE_INTERNAL, "no memory for the stages");
    else if (set_up(stages, error) == 0)
        result = measure_all(stages, path, rounds, round_ns, times, error);
    for (size_t i = 0; result == 0 && i < STAGES; i++) {
        struct spread spread = spread_of(times + i * rounds, rounds);
        costs[i] = (struct stage_cost){table[i].name, table[i].unit, spread.median, spread.least,
                                       spread.most};
    }
    if (stages != NULL) {
        ring_destroy(stages->ring);
        free(stages->block);
    }
    free(stages);
    free(times);
    return result == 0 ? (int)STAGES : -1;
}
