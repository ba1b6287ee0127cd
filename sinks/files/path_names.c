/*
 * Compares two path templates. Each path becomes a sequence of steps; a step reads one byte of a
 * name. The two sequences are followed together, as in the intersection of two finite automata.
 */
#include "sinks/files/path_names.h"

#include <stdlib.h>
#include <string.h>

#include "collector/platform/file_system.h"
#include "sinks/files/file_set.h"
#include "sinks/files/file_walk.h"
#include "sinks/files/path_template_pieces.h"

enum step_reads {
    READS_BYTE,
    READS_DIGIT,
    READS_SAFE,     /* a byte that a value may have */
    READS_UNDOTTED, /* a byte that a value may have, except a dot */
};

struct step {
    uint8_t reads; /* enum step_reads */
    uint8_t byte;  /* for READS_BYTE */
    bool repeats;  /* reads any number of these bytes, even none */
    uint8_t skips; /* number of steps, from this one on, that may be skipped together */
};

/*
 * One step for each byte of a path, at most PATH_SECONDS_MAX_DIGITS for each other piece, and 11
 * for two numbers and PART_SUFFIX.
 */
#define STEPS_SIZE (PATH_TEMPLATE_SIZE + PATH_PIECES_SIZE * PATH_SECONDS_MAX_DIGITS + 16)

struct steps {
    struct step all[STEPS_SIZE];
    size_t count;
};

/* --- making steps of two paths ---------------------------------------------------------------- */

static void add_step(struct steps *steps, struct step step)
{
    if (steps->count < STEPS_SIZE)
        steps->all[steps->count++] = step;
}

static void add_text(struct steps *steps, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        add_step(steps, (struct step){.reads = READS_BYTE, .byte = (uint8_t)text[i]});
}

static void add_digits(struct steps *steps)
{
    add_step(steps, (struct step){.reads = READS_DIGIT});
    add_step(steps, (struct step){.reads = READS_DIGIT, .repeats = true});
}

static void add_number(struct steps *steps)
{
    add_step(steps, (struct step){.reads = READS_BYTE, .byte = '.', .skips = 3});
    add_digits(steps);
}

static void add_part_suffix(struct steps *steps)
{
    size_t at = steps->count;
    add_text(steps, PART_SUFFIX, sizeof PART_SUFFIX - 1);
    steps->all[at].skips = sizeof PART_SUFFIX - 1;
}

/* Returns true if the current name is empty or has only dots so far. */
static bool only_dots_so_far(const struct steps *steps)
{
    for (size_t i = steps->count; i-- > 0;) {
        const struct step *step = &steps->all[i];
        if (step->reads != READS_BYTE)
            return false;
        if (step->byte != '.')
            return step->byte == '/';
    }
    return true;
}

static void add_value(struct steps *steps)
{
    enum step_reads first = only_dots_so_far(steps) ? READS_UNDOTTED : READS_SAFE;
    add_step(steps, (struct step){.reads = (uint8_t)first});
    add_step(steps, (struct step){.reads = READS_SAFE, .repeats = true});
}

static void add_piece(struct steps *steps, const struct path_template *path,
                      const struct path_piece *piece, bool numbered)
{
    if (piece->kind == PIECE_LITERAL)
        add_text(steps, path->literals + piece->at, piece->size);
    else if (piece->kind == PIECE_SECONDS)
        add_digits(steps);
    else if (path_piece_is_value(piece->kind))
        add_value(steps);
    else if (piece->kind == PIECE_NUMBER && numbered)
        add_number(steps);
    else if (path_piece_is_time(piece->kind))
        for (unsigned i = 0; i < path_time_fields[piece->kind].digits; i++)
            add_step(steps, (struct step){.reads = READS_DIGIT});
}

static bool add_template(struct steps *steps, const struct used_names *names)
{
    const struct destination_options options = {.settings = names->settings};
    struct path_template *path;
    size_t wrong_at;
    const char *why;
    if (!path_template_parse(names->text, &path, &wrong_at, &why))
        return false;
    bool numbered = file_set_is_asked_for(path, &options);
    for (size_t i = 0; i < path->piece_count; i++)
        add_piece(steps, path, &path->pieces[i], numbered);
    if (numbered) {
        add_number(steps);
        add_part_suffix(steps);
    }
    path_template_free(path);
    return true;
}

static bool add_names(struct steps *steps, const struct used_names *names)
{
    steps->count = 0;
    if (names->settings != NULL)
        return add_template(steps, names);
    const size_t size = strlen(names->text);
    if (size >= FILE_NAME_SIZE) /* longer than the path of any sink's file */
        return false;
    add_text(steps, names->text, size);
    return true;
}

/* --- following both paths --------------------------------------------------------------------- */

static bool step_reads(const struct step *step, uint8_t byte)
{
    switch ((enum step_reads)step->reads) {
    case READS_BYTE:
        return file_path_fold[step->byte] == file_path_fold[byte];
    case READS_DIGIT:
        return byte >= '0' && byte <= '9';
    case READS_SAFE:
        return path_byte_is_safe((char)byte);
    case READS_UNDOTTED:
        return path_byte_is_safe((char)byte) && byte != '.';
    }
    return false;
}

/*
 * Returns true if there is a byte that both steps read. All sets of bytes have the digits in
 * common.
 */
static bool steps_share_byte(const struct step *a, const struct step *b)
{
    if (a->reads == READS_BYTE)
        return step_reads(b, a->byte);
    return b->reads != READS_BYTE || step_reads(a, b->byte);
}

/*
 * Positions in `b`. Those outside `first` to `last` are not marked. If none is marked, first >
 * last.
 */
struct row {
    size_t first, last;
    bool marked[STEPS_SIZE + 1];
};

/* The reached positions in `b`, for the current and the following positions in `a`. */
#define ROWS (sizeof PART_SUFFIX)
struct reached {
    struct row rows[ROWS];
};

static void mark(struct reached *reached, size_t i, size_t k)
{
    struct row *row = &reached->rows[i % ROWS];
    row->first = k < row->first ? k : row->first;
    row->last = k > row->last ? k : row->last;
    row->marked[k] = true;
}

static void clear(struct row *row)
{
    if (row->first <= row->last)
        memset(row->marked + row->first, 0, row->last - row->first + 1);
    row->first = SIZE_MAX;
    row->last = 0;
}

/* Marks the positions that can be reached from positions `i` in `a` and `k` in `b`. */
static void follow(const struct steps *a, const struct steps *b, size_t i, size_t k,
                   struct reached *reached)
{
    const struct step *left = i < a->count ? &a->all[i] : NULL;
    const struct step *right = k < b->count ? &b->all[k] : NULL;
    if (left != NULL && left->repeats)
        mark(reached, i + 1, k);
    if (left != NULL && left->skips != 0)
        mark(reached, i + left->skips, k);
    if (right != NULL && right->repeats)
        mark(reached, i, k + 1);
    if (right != NULL && right->skips != 0)
        mark(reached, i, k + right->skips);
    if (left == NULL || right == NULL || !steps_share_byte(left, right))
        return;
    mark(reached, i + 1, k + 1);
    if (left->repeats)
        mark(reached, i, k + 1);
    if (right->repeats)
        mark(reached, i + 1, k);
}

static void follow_row(const struct steps *a, const struct steps *b, size_t i,
                       struct reached *reached)
{
    const struct row *row = &reached->rows[i % ROWS];
    for (size_t k = row->first; k <= row->last; k++) /* following may move `last` */
        if (row->marked[k])
            follow(a, b, i, k, reached);
}

/*
 * Returns true if both can end after the same bytes. Steps only lead forwards, so one pass is
 * enough.
 */
static bool steps_meet(const struct steps *a, const struct steps *b, struct reached *reached)
{
    memset(reached, 0, sizeof *reached);
    for (size_t i = 0; i < ROWS; i++)
        clear(&reached->rows[i]);
    mark(reached, 0, 0);
    for (size_t i = 0; i < a->count; i++) {
        follow_row(a, b, i, reached);
        clear(&reached->rows[i % ROWS]);
    }
    follow_row(a, b, a->count, reached);
    return reached->rows[a->count % ROWS].marked[b->count];
}

bool path_names_meet(const struct used_names *a, const struct used_names *b)
{
    struct both {
        struct steps a, b;
        struct reached reached;
    } *both = malloc(sizeof *both);
    bool meet = both != NULL && add_names(&both->a, a) && add_names(&both->b, b) &&
                steps_meet(&both->a, &both->b, &both->reached);
    free(both);
    return meet;
}
