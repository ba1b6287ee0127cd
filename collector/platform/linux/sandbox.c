/*
 * The sandbox of Linux: Landlock limits the files, TCP ports and processes that a system call may
 * reach; seccomp limits the system calls. A process that has entered it gets no new rights by
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

const bool sandbox_is_inherited = true;

static void set_state(struct sandbox_state *state, enum sandbox_level level, const char *text)
{
    state->level = level;
    snprintf(state->text, sizeof state->text, "%s", text);
}

void sandbox_support(struct sandbox_state *state)
{
    char text[SANDBOX_TEXT_SIZE];
    int version = sandbox_landlock_version();
    bool filters = sandbox_filter_is_supported();
    snprintf(text, sizeof text, "landlock %d%s", version,
             filters ? ", seccomp" : " (this kernel or processor filters no system calls)");
    if (HAS_SANITIZER) /* a sanitizer traces its own process, and reads files that no plan names */
        set_state(state, SANDBOX_LEVEL_OFF, "none (not in a build with a sanitizer)");
    else if (version == 0 && !filters)
        set_state(state, SANDBOX_LEVEL_OFF, "none (not on this kernel or processor)");
    else if (version == 0)
        set_state(state, SANDBOX_LEVEL_PARTIAL, "seccomp (this kernel has no landlock)");
    else
        set_state(state, filters ? SANDBOX_LEVEL_ON : SANDBOX_LEVEL_PARTIAL, text);
}

struct force {
    int landlock;   /* the version of Landlock, or 0 if not in force */
    size_t outside; /* threads to which Landlock does not apply */
    bool filter;
};

static void describe(const struct sandbox_plan *plan, const struct force *force,
                     struct sandbox_state *state)
{
    char files[80] = "";
    char others[80] = "";
    if (force->landlock != 0)
        snprintf(files, sizeof files, "landlock %d (%zu paths%s)", force->landlock, plan->count,
                 force->landlock >= 4 && !plan->connect.any ? ", TCP ports" : "");
    if (force->landlock != 0 && force->outside != 0)
        snprintf(others, sizeof others, "; not landlock: %zu thread%s of libraries", force->outside,
                 force->outside == 1 ? "" : "s");
    snprintf(state->text, sizeof state->text, "%s%s%s%s", files,
             files[0] != '\0' && force->filter ? ", " : "", force->filter ? "seccomp" : "", others);
    if (force->landlock == 0 && !force->filter)
        set_state(state, SANDBOX_LEVEL_OFF, "none");
    else
        state->level = force->landlock != 0 && force->filter && force->outside == 0
                           ? SANDBOX_LEVEL_ON
                           : SANDBOX_LEVEL_PARTIAL;
}

/* Adds the rights that the process keeps because a part of the sandbox is not in force. */
static void widen(struct sandbox_plan *plan, const struct force *force)
{
    if (force->landlock == 0)
        sandbox_plan_add(plan, "/", SANDBOX_READ | SANDBOX_WRITE | SANDBOX_RUN);
    if (force->landlock < 4)
        plan->listen.any = plan->connect.any = true;
    if (!force->filter)
        plan->connects = plan->raw_sockets = plan->runs_programs = true;
}

/* Returns -1 if a part that the system has fails; the other parts are tried nevertheless. */
static int sandbox_apply(const struct sandbox_plan *plan, struct force *force, struct error *error)
{
    int version = sandbox_landlock_version();
    int result = 0;
    if (version != 0)
        result = sandbox_landlock_restrict(plan, version, &force->outside, error);
    if (version != 0 && result == 0)
        force->landlock = version;
    if (!sandbox_filter_is_supported())
        return result;
    force->filter = sandbox_filter_install(plan) == 0;
    if (force->filter)
        return result;
    error_set(error, EXIT_CODE_INTERNAL, "seccomp: %s", strerror(errno));
    return -1;
}

int sandbox_enter(struct sandbox_plan *plan, void (*refused)(void *context), void *context,
                  struct sandbox_state *state, struct error *error)
{
    struct force force = {0};
    int result = -1;
    if (sandbox_refusals_begin(refused, context) != 0 ||
        prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) != 0)
        error_set(error, EXIT_CODE_INTERNAL, "no new privileges: %s", strerror(errno));
    else
        result = sandbox_apply(plan, &force, error);
    describe(plan, &force, state);
    widen(plan, &force);
    return result;
}

bool sandbox_may_cause(const char *text)
{
    return strstr(text, strerror(EACCES)) != NULL;
}
