#include "collector/receive/coalescing.h"

void coalescing_init(struct coalescing *coalescing, int64_t now_ns)
{
    *coalescing = (struct coalescing){.most_ns = INT64_MAX,
                                      .buffer = UINT64_MAX,
                                      .charge = COALESCING_BUFFER_CHARGE,
                                      .window_begun_ns = now_ns};
}

void coalescing_set_stream(struct coalescing *coalescing)
{
    coalescing->charge = 0;
}

void coalescing_add_socket(struct coalescing *coalescing, int64_t most_ns, uint64_t buffer)
{
    if (most_ns < coalescing->most_ns)
        coalescing->most_ns = most_ns;
    if (buffer < coalescing->buffer)
        coalescing->buffer = buffer;
}

void coalescing_forget_sockets(struct coalescing *coalescing)
{
    coalescing->most_ns = INT64_MAX;
    coalescing->buffer = UINT64_MAX;
}

void coalescing_note(struct coalescing *coalescing, uint64_t datagrams, uint64_t bytes)
{
    coalescing->datagrams += datagrams;
    coalescing->bytes += bytes;
}

static void end_window(struct coalescing *coalescing, int64_t now_ns)
{
    double elapsed = (double)(now_ns - coalescing->window_begun_ns);
    uint64_t charged = coalescing->bytes + coalescing->datagrams * coalescing->charge;
    coalescing->datagram_rate = (double)coalescing->datagrams / elapsed;
    coalescing->byte_rate = (double)charged / elapsed;
    coalescing->window_begun_ns = now_ns;
    coalescing->datagrams = 0;
    coalescing->bytes = 0;
}

/* Returns the longest pause that is allowed at any rate. */
static int64_t longest(const struct coalescing *coalescing, int64_t allowed_ns)
{
    uint64_t room = coalescing->buffer / COALESCING_BUFFER_CHARGE / 2;
    int64_t most = allowed_ns;
    if (coalescing->charge != 0 && room < INT64_MAX / COALESCING_FASTEST_NS &&
        (int64_t)room * COALESCING_FASTEST_NS < most)
        most = (int64_t)room * COALESCING_FASTEST_NS;
    if (most < COALESCING_USUAL_NS)
        most = COALESCING_USUAL_NS;
    return most < coalescing->most_ns ? most : coalescing->most_ns;
}

int64_t coalescing_delay(struct coalescing *coalescing, int64_t allowed_ns, int64_t now_ns)
{
    if (coalescing->most_ns == 0 || coalescing->most_ns == INT64_MAX) /* the pauses are off, or
                                                                       * there are no sockets */
        return 0;
    if (now_ns - coalescing->window_begun_ns >= COALESCING_WINDOW_NS)
        end_window(coalescing, now_ns);
    double delay = (double)longest(coalescing, allowed_ns);
    double enough = COALESCING_ENOUGH / coalescing->datagram_rate;
    if (delay > COALESCING_USUAL_NS && enough < delay)
        delay = enough > COALESCING_USUAL_NS ? enough : COALESCING_USUAL_NS;
    double part = (double)(coalescing->buffer / COALESCING_BUFFER_PART);
    if (delay * coalescing->byte_rate > part)
        delay = part / coalescing->byte_rate;
    double least = delay <= (double)allowed_ns ? COALESCING_LEAST_ALLOWED : COALESCING_LEAST;
    return delay * coalescing->datagram_rate < least ? 0 : (int64_t)delay;
}
