#include "collector/contract/delivery_figures.h"

#include <stddef.h>

#define NAME(constant, prefix, of, name, ...) [FIGURE_##constant] = name,
const char *const delivery_figure_names[FIGURE_COUNT] = {DELIVERY_FIGURES(NAME)};
#undef NAME

#define NAME(constant, name) [ANSWER_##constant] = name,
const char *const delivery_answer_names[ANSWER_COUNT] = {DELIVERY_ANSWERS(NAME)};
#undef NAME

void delivery_figures_add_to(const struct delivery_figures *figures, unsigned has,
                             struct delivery_figure_totals *totals)
{
    totals->has |= has;
    for (size_t i = 0; i < FIGURE_COUNT; i++) {
        uint64_t value = counter_read(&figures->values[i]);
        if (i != FIGURE_ROUND_TRIP)
            totals->values[i] += value;
        else if (value > totals->values[i])
            totals->values[i] = value;
    }
    for (size_t i = 0; i < ANSWER_COUNT; i++)
        totals->answers[i] += counter_read(&figures->answers[i]);
    if ((has & DELIVERY_HAS_TIMES) != 0)
        histogram_add_to(&figures->request_time, &totals->request_time);
}
