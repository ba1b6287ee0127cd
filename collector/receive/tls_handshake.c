#include "collector/receive/tls_handshake.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "collector/base/rule.h"
#include "collector/receive/stream_blocks.h"

struct tls_budget {
    _Atomic size_t taken;
    size_t most;
    _Atomic size_t users;
};

struct tls_budget *tls_budget_create(size_t connections)
{
    struct tls_budget *budget = calloc(1, sizeof *budget);
    if (budget == NULL)
        return NULL;
    budget->most = connections * (TLS_CONNECTION_MEMORY - TLS_OPEN_MEMORY);
    atomic_store(&budget->users, 1);
    return budget;
}

void tls_budget_leave(struct tls_budget *budget)
{
    if (budget == NULL)
        return;
    size_t users = atomic_fetch_sub(&budget->users, 1);
    RULE(users != 0, "a budget is left once by each of its users");
    if (users == 1)
        free(budget);
}

void tls_handshake_begin(struct tls_handshake *handshake, struct tls_budget *budget,
                         struct stream_share *share, const struct tls_handshake_sizes *sizes)
{
    RULE(handshake->budget == NULL, "a handshake begins once");
    atomic_fetch_add(&budget->users, 1);
    handshake->budget = budget;
    handshake->share = share;
    handshake->sizes = *sizes;
}

/*
 * Reserves more bytes. Returns false and reserves nothing if too few bytes are left, or if the host
 * has already reserved at least as many bytes as are left.
 */
static bool reserve_more(struct tls_handshake *handshake, size_t more)
{
    struct tls_budget *budget = handshake->budget;
    size_t held = atomic_load(&handshake->share->handshake_bytes);
    size_t taken = atomic_load(&budget->taken);
    do {
        RULE(taken <= budget->most, "no more is reserved than the budget has");
        size_t left = budget->most - taken;
        if (more > left || (held != 0 && held >= left))
            return false;
    } while (!atomic_compare_exchange_weak(&budget->taken, &taken, taken + more));
    atomic_fetch_add(&handshake->share->handshake_bytes, more);
    handshake->reserved += more;
    return true;
}

/*
 * Reserves memory for a hello (at most four times its size), for the listener's certificates, and
 * for the client's once they may arrive. Returns true if the budget suffices.
 */
static bool reserve_memory(struct tls_handshake *handshake)
{
    const struct tls_hello *hello = &handshake->hello;
    size_t wanted = handshake->sizes.chain + hello->longest * 4 +
                    (hello->is_followed ? handshake->sizes.certificates : 0);
    if (hello->longest == 0 || wanted <= handshake->reserved)
        return true;
    return reserve_more(handshake, wanted - handshake->reserved);
}

const char *tls_handshake_read(struct tls_handshake *handshake, const uint8_t *bytes, size_t size,
                               bool is_old)
{
    handshake->taken += size;
    if (!tls_hello_read(&handshake->hello, bytes, size, is_old))
        return "the client's hello is longer than 8 KiB, or has more than 512 cipher suites";
    if (handshake->taken > TLS_HANDSHAKE_MOST)
        return "the handshake is longer than 64 KiB";
    return reserve_memory(handshake) ? NULL : "too many large handshakes at the same time";
}

void tls_handshake_end(struct tls_handshake *handshake)
{
    if (handshake->budget == NULL)
        return;
    size_t taken = atomic_fetch_sub(&handshake->budget->taken, handshake->reserved);
    size_t held = atomic_fetch_sub(&handshake->share->handshake_bytes, handshake->reserved);
    RULE(taken >= handshake->reserved && held >= handshake->reserved,
         "a handshake returns what it reserved");
    tls_budget_leave(handshake->budget);
    handshake->budget = NULL;
}
