#include "collector/log/progress_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Before this time, rate and remaining time are too uncertain to show. */
#define EARLY_SECONDS 0.2

/* A name is not cut to less than this number of bytes. */
#define NAME_LEAST 12

#define PART_SIZE 64

/* Writes "1,234,567". */
static void write_grouped(uint64_t number, char text[PART_SIZE])
{
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, number);
    size_t used = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            text[used++] = ',';
        text[used++] = digits[i];
    }
    text[used] = '\0';
}

/* Writes "312 MB/s" or "51,000/s" with three digits. More digits would only flicker. */
static void write_rate(double rate, bool bytes, char text[PART_SIZE])
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    size_t unit = 0;
    if (bytes) {
        for (; rate >= 999.5 && unit + 1 < sizeof units / sizeof units[0]; unit++)
            rate /= 1000;
        snprintf(text, PART_SIZE, "%.3g %s/s", rate, units[unit]);
        return;
    }
    double step = 1;
    while (rate / step >= 1000)
        step *= 10;
    write_grouped((uint64_t)(rate / step + 0.5) * (uint64_t)step, text);
    strcat(text, "/s");
}

/* Writes "41 s", "3 min 20 s" or "2 h 05 min". */
static void write_time(double seconds, char text[PART_SIZE])
{
    const double most = 360000; /* a longer estimate is too uncertain, and shown as "days" */
    unsigned whole = (unsigned)((seconds < most ? seconds : most) + 0.5);
    if (whole < 100)
        snprintf(text, PART_SIZE, "%u s", whole);
    else if (whole < 6000)
        snprintf(text, PART_SIZE, "%u min %02u s", whole / 60, whole % 60);
    else if (whole < most)
        snprintf(text, PART_SIZE, "%u h %02u min", whole / 3600, whole / 60 % 60);
    else
        snprintf(text, PART_SIZE, "days");
}

struct line {
    char *text;
    size_t used, columns;
};

static bool progress_add(struct line *line, const char *before, const char *part, const char *after)
{
    size_t size = strlen(before) + strlen(part) + strlen(after);
    if (size > line->columns - line->used)
        return false;
    line->used += (size_t)sprintf(line->text + line->used, "%s%s%s", before, part, after);
    return true;
}

/* A long name is cut at its beginning, because the end of a path is more informative. */
static void add_subject(struct line *line, const struct progress_figures *figures)
{
    const char *name = figures->name;
    progress_add(line, "", figures->doing, "");
    size_t room = line->columns - line->used;
    if (name == NULL || room < NAME_LEAST + 1)
        return;
    size_t length = strlen(name);
    size_t most = room / 2 > NAME_LEAST ? room / 2 : NAME_LEAST;
    if (most > PART_SIZE)
        most = PART_SIZE;
    char shown[PART_SIZE + 1];
    size_t size = length < most ? length : most;
    memcpy(shown, name + (length - size), size);
    shown[size] = '\0';
    if (size < length)
        memcpy(shown, "...", 3);
    for (size_t i = 0; i < size; i++)
        if (shown[i] < ' ' || shown[i] > '~')
            shown[i] = '?';
    progress_add(line, " ", shown, "");
}

static double share_of(const struct progress_figures *figures)
{
    double share = figures->total > 0 ? figures->done / figures->total : 0;
    return share < 1 ? share : 1;
}

size_t progress_text(const struct progress_figures *figures, size_t columns,
                     char text[PROGRESS_TEXT_SIZE])
{
    char part[PART_SIZE];
    const char *comma = ": ";
    struct line line = {
        .text = text,
        .columns = columns < PROGRESS_TEXT_SIZE - 1 ? columns : PROGRESS_TEXT_SIZE - 1,
    };
    text[0] = '\0';
    add_subject(&line, figures);
    if (figures->total > 0) {
        snprintf(part, sizeof part, "%d", (int)(100 * share_of(figures)));
        if (!progress_add(&line, comma, part, " %"))
            return line.used;
        comma = ", ";
    }
    if (figures->counted != NULL) {
        write_grouped(figures->count, part);
        size_t digits = strlen(part);
        snprintf(part + digits, sizeof part - digits, " %s", figures->counted);
        if (!progress_add(&line, comma, part, ""))
            return line.used;
        comma = ", ";
    }
    if (figures->seconds < EARLY_SECONDS)
        return line.used;
    double moved = figures->bytes ? figures->done : (double)figures->count;
    if (figures->bytes || figures->counted != NULL) {
        write_rate(moved / figures->seconds, figures->bytes, part);
        if (!progress_add(&line, comma, part, ""))
            return line.used;
        comma = ", ";
    }
    if (figures->total > 0 && figures->done > 0 && figures->done < figures->total) {
        write_time(figures->seconds * (figures->total - figures->done) / figures->done, part);
        progress_add(&line, comma, part, " left");
    }
    return line.used;
}
