#include "collector/receive/tls_handshake.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "collector/base/rule.h"

struct tls_budget {
    _Atomic size_t taken; /* bytes reserved by all handshakes */
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
                         size_t certificates)
{
    RULE(handshake->budget == NULL, "a handshake begins once");
    atomic_fetch_add(&budget->users, 1);
    handshake->budget = budget;
    handshake->certificates = certificates;
}

/*
 * Reserves memory for a hello, at most four times its size, and for certificates. Returns whether
 * the budget suffices.
 */
static bool reserve_memory(struct tls_handshake *handshake)
{
    size_t wanted = handshake->certificates + handshake->hello.longest * 4;
    if (handshake->hello.longest == 0 || wanted <= handshake->reserved)
        return true;
    size_t more = wanted - handshake->reserved;
    handshake->reserved = wanted;
    return atomic_fetch_add(&handshake->budget->taken, more) + more <= handshake->budget->most;
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
    RULE(taken >= handshake->reserved, "a handshake returns what it reserved");
    tls_budget_leave(handshake->budget);
    handshake->budget = NULL;
}
