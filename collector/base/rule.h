/*
 * Rules about threads and lifecycles, checked while the program runs.
 *
 * A rule that does not hold is a fault of our code: the program says which rule and aborts. A rule
 * never handles an error that input, the system or a user can cause. Rules do not depend on NDEBUG;
 * the build's option SLUICE_RULES turns them off.
 */
#ifndef SLUICE_COLLECTOR_BASE_RULE_H
#define SLUICE_COLLECTOR_BASE_RULE_H

#include <stdbool.h>

#include "collector/base/rule_option.h"

/* Writes "FILE:LINE: rule broken: TEXT" to standard error and aborts. */
_Noreturn void rule_broken(const char *file, int line, const char *text);

/* SLUICE_RULES is 0 or 1 (the build sets it); the condition is compiled in both. */
#define RULE(holds, text)                                                                          \
    do {                                                                                           \
        if (SLUICE_RULES && !(holds))                                                              \
            rule_broken(__FILE__, __LINE__, text);                                                 \
    } while (false)

/* The thread that something belongs to; all zero: it belongs to whoever uses it first. */
struct rule_owner {
    const void *thread;
};

/* Whether it belongs to the calling thread. To be asked in a RULE: it may become the owner. */
bool rule_is_owner(struct rule_owner *owner);

#endif
