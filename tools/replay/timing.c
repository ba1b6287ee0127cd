#include "tools/replay/timing.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define SPEED_MOST  1e6
#define SPEED_LEAST 1e-6
#define DUE_MOST    4e18 /* nanoseconds; must fit in an int64_t after adding the start time */

/*
 * Returns the length of a number of digits with at most one point, or 0 if there is none. strtod
 * would also accept signs, blanks and names.
 */
static size_t number_length(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || text[digits] != '.')
        return digits;
    size_t fraction = strspn(text + digits + 1, "0123456789");
    return fraction == 0 ? 0 : digits + 1 + fraction;
}

bool timing_parse_speed(const char *text, double *speed)
{
    if (strcmp(text, "max") == 0) {
        *speed = 0;
        return true;
    }
    size_t length = number_length(text);
    if (length == 0 || strcmp(text + length, "x") != 0)
        return false;
    double value = strtod(text, NULL);
    if (!(value >= SPEED_LEAST && value <= SPEED_MOST))
        return false;
    *speed = value;
    return true;
}

int64_t timing_due(struct timing *timing, int64_t time_ns)
{
    if (timing->speed <= 0 || time_ns <= 0)
        return timing->latest_ns;
    if (timing->first_ns == 0)
        timing->first_ns = time_ns;
    /*
     * Both times are positive, so the difference does not overflow, and a double has it with a
     * precision of microseconds.
     */
    double due = (double)(time_ns - timing->first_ns) / timing->speed;
    int64_t due_ns = due < DUE_MOST ? (int64_t)due : (int64_t)DUE_MOST;
    if (due_ns > timing->latest_ns)
        timing->latest_ns = due_ns;
    return timing->latest_ns;
}
