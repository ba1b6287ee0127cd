#include "collector/log/log_trouble.h"

#include "collector/base/rule.h"

#define SECOND INT64_C(1000000000)

/*
 * The least time between two logged beginnings, by the number of lines in the last LOG_BUDGET_NS.
 * If a trouble lasts a second and returns every two seconds, its beginning and end are logged at 0,
 * 10, 50, 180 and 540 s.
 */
static const int64_t between_ns[LOG_BUDGET_LINES + 1] = {
    [2] = 10 * SECOND,  [3] = 10 * SECOND,  [4] = 40 * SECOND,
    [5] = 40 * SECOND,  [6] = 130 * SECOND, [7] = 130 * SECOND,
    [8] = 360 * SECOND, [9] = 360 * SECOND, [10] = 360 * SECOND};

/*
 * For a trouble that continues: the time to the first line about it, the factor by which each
 * following time is longer, and the longest time. If the budget has room, the lines are at 0, 2,
 * 10, 42, 170 and 682 s.
 */
#define FIRST_WAIT_NS   (2 * SECOND)
#define WAIT_FACTOR     4
#define LONGEST_WAIT_NS (512 * SECOND)

/* The number of lines reserved for the beginning and the end of another trouble. */
#define PAIR ((size_t)2)

static void spend_line(struct log_budget *budget, struct log_trouble *trouble, int64_t now_ns)
{
    RULE(budget->count < LOG_BUDGET_LINES ||
             now_ns - budget->lines_ns[budget->oldest] >= LOG_BUDGET_NS,
         "a line is within the budget");
    budget->lines_ns[(budget->oldest + budget->count) % LOG_BUDGET_LINES] = now_ns;
    if (budget->count < LOG_BUDGET_LINES)
        budget->count++;
    else
        budget->oldest = (budget->oldest + 1) % LOG_BUDGET_LINES;
    trouble->line_ns = now_ns;
}

/*
 * Returns true if a line fits while `lines` of the budget are used, and stores in *due_ns when it
 * is due. The ends of troubles whose beginning was logged always fit.
 */
static bool fits(const struct log_trouble *trouble, const struct log_budget *budget, size_t lines,
                 int64_t *due_ns)
{
    if (trouble->is_logged) {
        *due_ns = trouble->line_ns + trouble->wait_ns;
        return lines + 1 + budget->ends + PAIR <= LOG_BUDGET_LINES;
    }
    *due_ns = trouble->begun_ns == 0 ? 0 : trouble->begun_ns + between_ns[lines];
    return lines + budget->ends + PAIR <= LOG_BUDGET_LINES;
}

int64_t log_trouble_due(const struct log_trouble *trouble, const struct log_budget *budget)
{
    int64_t from_ns = 0; /* time since which `lines` of the budget are used */
    for (size_t lines = budget->count; lines != 0; lines--) {
        size_t oldest = (budget->oldest + budget->count - lines) % LOG_BUDGET_LINES;
        int64_t until_ns = budget->lines_ns[oldest] + LOG_BUDGET_NS;
        int64_t due_ns;
        if (fits(trouble, budget, lines, &due_ns) && due_ns < until_ns)
            return due_ns > from_ns ? due_ns : from_ns;
        from_ns = until_ns;
    }
    int64_t due_ns;
    fits(trouble, budget, 0, &due_ns);
    return due_ns > from_ns ? due_ns : from_ns;
}

bool log_trouble_note(struct log_trouble *trouble, struct log_budget *budget, int64_t now_ns)
{
    if (trouble->since_ns == 0)
        trouble->since_ns = now_ns;
    if (now_ns < log_trouble_due(trouble, budget))
        return false;
    if (!trouble->is_logged) {
        trouble->is_logged = true;
        trouble->begun_ns = now_ns;
        trouble->wait_ns = FIRST_WAIT_NS;
        budget->ends++;
    } else if (trouble->wait_ns < LONGEST_WAIT_NS) {
        trouble->wait_ns *= WAIT_FACTOR;
    }
    spend_line(budget, trouble, now_ns);
    return true;
}

bool log_trouble_end(struct log_trouble *trouble, struct log_budget *budget, int64_t now_ns)
{
    bool is_logged = trouble->is_logged;
    if (trouble->since_ns == 0)
        return false;
    trouble->since_ns = 0;
    trouble->is_logged = false;
    if (!is_logged) {
        trouble->unlogged++;
        return false;
    }
    RULE(budget->ends != 0, "the end of a logged trouble is owed");
    budget->ends--;
    trouble->unlogged = 0;
    spend_line(budget, trouble, now_ns);
    return true;
}
