/*
 * The sandbox of Linux: Landlock decides which files, TCP ports and processes a call may reach,
 * seccomp decides which calls there are. A process that has entered it gets no new rights by
 * starting a program (no_new_privs).
 */
#include "collector/platform/sandbox.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#include "collector/platform/linux/sandbox_filter.h"
#include "collector/platform/linux/sandbox_landlock.h"
#include "collector/platform/linux/sandbox_refusals.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif
#ifndef HAS_SANITIZER
#define HAS_SANITIZER 0
#endif

bool sandbox_support(char text[SANDBOX_TEXT_SIZE])
{
    int version = sandbox_landlock_version();
    bool filters = sandbox_filter_is_supported();
    if (HAS_SANITIZER) /* it traces its own process, and reads what it likes */
        snprintf(text, SANDBOX_TEXT_SIZE, "none (not in a build with a sanitizer)");
    else if (!filters)
        snprintf(text, SANDBOX_TEXT_SIZE,
                 "none (this kernel or processor filters no system calls)");
    else if (version == 0)
        snprintf(text, SANDBOX_TEXT_SIZE, "seccomp (this kernel has no landlock)");
    else
        snprintf(text, SANDBOX_TEXT_SIZE, "landlock %d, seccomp", version);
    return filters && !HAS_SANITIZER;
}

/* Writes what is in force. `outside`: threads to which Landlock does not apply. */
static void describe(const struct sandbox_plan *plan, int version, size_t outside, char *text)
{
    char files[80] = ""; /* room for numbers of any size */
    char others[80] = "";
    if (version != 0)
        snprintf(files, sizeof files, "landlock %d (%zu paths%s), ", version, plan->count,
                 version >= 4 && !plan->connect.any ? ", TCP ports" : "");
    if (outside != 0)
        snprintf(others, sizeof others, "; not landlock: %zu thread%s of libraries", outside,
                 outside == 1 ? "" : "s");
    snprintf(text, SANDBOX_TEXT_SIZE, "%sseccomp%s", files, others);
}

int sandbox_enter(const struct sandbox_plan *plan, void (*refused)(void *context), void *context,
                  char text[SANDBOX_TEXT_SIZE], struct error *error)
{
    int version = sandbox_landlock_version();
    size_t outside = 0;
    if (sandbox_refusals_begin(refused, context) != 0 ||
        prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) != 0) {
        error_set(error, EXIT_CODE_INTERNAL, "--sandbox: %s", strerror(errno));
        return -1;
    }
    if (version != 0 && sandbox_landlock_restrict(plan, version, &outside, error) != 0)
        return -1;
    describe(plan, version, outside, text);
    if (sandbox_filter_install(plan) == 0)
        return 0;
    error_set(error, EXIT_CODE_INTERNAL, "--sandbox: seccomp: %s", strerror(errno));
    return -1;
}
