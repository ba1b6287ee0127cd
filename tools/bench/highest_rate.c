#include "tools/bench/highest_rate.h"

struct highest_rate highest_rate_begin(double tolerance)
{
    return (struct highest_rate){.tolerance = tolerance};
}

static void choose_next(struct highest_rate *search)
{
    search->again = false;
    search->next = (uint64_t)((search->good + search->bad) / 2);
    search->done =
        search->next == 0 || search->bad - search->good <= search->tolerance * search->bad;
}

void highest_rate_print(struct highest_rate *search, double rate, bool lossless)
{
    bool first = search->next == 0;
    if (first && rate > search->sender_most)
        search->sender_most = rate;
    if (lossless && rate > search->good)
        search->good = rate;
    if (lossless && first) {
        search->done = true;
        return;
    }
    if (!lossless && !search->again) {
        search->again = true;
        return;
    }
    /*
     * The sender did not reach the requested rate. So its actual rate is its maximum, and the
     * search ends there.
     */
    if (lossless && rate < (double)search->next * (1 - search->tolerance))
        search->bad = rate;
    else if (!lossless)
        search->bad = first ? rate : (double)search->next;
    if (search->bad < search->good)
        search->bad = search->good;
    choose_next(search);
}
