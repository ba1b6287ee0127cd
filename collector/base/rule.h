/*
 * Rules about threads and lifecycles, checked while the program runs.
 *
 * A broken rule means a bug in this program, which then prints the rule and aborts. Errors that
 * input, the system or a user can cause are handled in other ways, never by a rule. Rules do not
 * depend on NDEBUG; the build option SLUICE_RULES turns them off.
 */
#ifndef SLUICE_COLLECTOR_BASE_RULE_H
#define SLUICE_COLLECTOR_BASE_RULE_H

#include <stdbool.h>

#include "collector/base/rule_option.h"

/* Writes "FILE:LINE: rule broken: TEXT" to standard error and aborts. */
_Noreturn void rule_broken(const char *file, int line, const char *text);

/* The build sets SLUICE_RULES to 0 or 1. The condition is compiled even if rules are off. */
#define RULE(holds, text)                                                                          \
    do {                                                                                           \
        if (SLUICE_RULES && !(holds))                                                              \
            rule_broken(__FILE__, __LINE__, text);                                                 \
    } while (false)

/*
 * The thread that owns an object. All zero at first; the first thread that uses the object becomes
 * its owner.
 */
struct rule_owner {
    const void *thread;
};

/*
 * Returns true if the calling thread is the owner. If there is no owner yet, the calling thread
 * becomes the owner. Only for use in a RULE.
 */
bool rule_is_owner(struct rule_owner *owner);

#endif
