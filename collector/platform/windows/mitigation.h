/*
 * Sets mitigation policies of this process, which restrict an intruder's code in it. Only for
 * platform/windows/.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_MITIGATION_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_MITIGATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Functions of Windows 8 or later, looked up at run time. Tests replace them. */
struct mitigation_functions {
    /* Sets the flags of a policy for this process. Returns false if the system does not know it. */
    bool (*set)(int policy, uint32_t flags);
    /*
     * Returns the flags that are in force, or 0 if none is or the system does not know the policy.
     */
    uint32_t (*get)(int policy);
};

/* Returns the system's functions, or NULL if it has none. */
const struct mitigation_functions *mitigation_system(void);

/*
 * Sets all policies, but not the one against child processes if `children` is true. Writes the
 * names of those in force into `text`, separated by commas, and returns their number. A policy
 * counts only if its flags can be read back, because a system may report success without effect, as
 * Wine does.
 */
size_t mitigation_apply(const struct mitigation_functions *functions, bool children, char *text,
                        size_t size);

#endif
