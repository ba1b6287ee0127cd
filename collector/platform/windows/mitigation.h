/*
 * The mitigation policies of a process, which restrict code that takes over the process. Only for
 * platform/windows/.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_MITIGATION_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_MITIGATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Functions of Windows 8 or later, looked up at the start; tests have doubles. */
struct mitigation_functions {
    /* Sets the flags of a policy for this process. Returns false if the system does not know it. */
    bool (*set)(int policy, uint32_t flags);
    /* Returns the flags that are in force; 0: none, or the system does not know the policy. */
    uint32_t (*get)(int policy);
};

/* Returns the system's functions; NULL: it has none. */
const struct mitigation_functions *mitigation_system(void);

/*
 * Sets all policies, the one against other programs only if `children` is false, and writes the
 * names of those that are in force afterwards into `text`, with commas. A system may report success
 * without effect, as Wine does: only flags that can be read back count. Returns their number.
 */
size_t mitigation_apply(const struct mitigation_functions *functions, bool children, char *text,
                        size_t size);

#endif
