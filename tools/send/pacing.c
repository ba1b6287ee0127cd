#include "tools/send/pacing.h"

#define SECOND UINT64_C(1000000000)

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/*
 * Returns the number of datagrams in this time, rounded up if `round_up` is 1, and otherwise
 * rounded down. A time of up to 584 years does not overflow.
 */
static uint64_t datagrams_in(uint64_t nanoseconds, uint64_t rate, uint64_t round_up)
{
    uint64_t part = nanoseconds % SECOND * rate;
    return nanoseconds / SECOND * rate + (part + round_up * (SECOND - 1)) / SECOND;
}

struct pacing pacing_make(uint64_t rate, uint64_t burst, uint64_t count, uint64_t duration_ns)
{
    struct pacing pacing = {.rate = rate, .burst = burst, .total = count};
    if (rate != 0 && duration_ns != 0)
        pacing.total = least(count, datagrams_in(duration_ns, rate, 1));
    return pacing;
}

uint64_t pacing_due(const struct pacing *pacing, uint64_t elapsed_ns)
{
    if (pacing->rate == 0)
        return pacing->total;
    uint64_t last = datagrams_in(elapsed_ns, pacing->rate, 0);
    return least((last / pacing->burst + 1) * pacing->burst, pacing->total);
}

uint64_t pacing_time(const struct pacing *pacing, uint64_t index)
{
    if (pacing->rate == 0)
        return 0;
    uint64_t first = index / pacing->burst * pacing->burst;
    uint64_t part = first % pacing->rate * SECOND;
    return first / pacing->rate * SECOND + (part + pacing->rate - 1) / pacing->rate;
}
