/*
 * Tests the sandbox of Linux (collector/platform/sandbox.h). Each test enters it in a process of
 * its own, because a process cannot leave it.
 */
#include "collector/platform/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/test.h"

#define OUTSIDE "/etc/hostname"

static char folder[] = "/tmp/sluice-sandbox-XXXXXX";
static atomic_int refused;

static void remove_folder(void)
{
    char path[64];
    snprintf(path, sizeof path, "%s/file", folder);
    unlink(path);
    rmdir(folder);
}

static void make_folder(void)
{
    static bool made;
    if (made)
        return;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(atexit(remove_folder), 0);
    made = true;
}

static void note(void *context)
{
    (void)context;
    atomic_fetch_add(&refused, 1);
}

static bool is_supported(void)
{
    struct sandbox_state state;
    sandbox_support(&state);
    return state.level == SANDBOX_LEVEL_ON;
}

static bool enter(bool masks_signals)
{
    struct sandbox_plan plan = {.masks_signals = masks_signals};
    struct sandbox_state state;
    struct error error;
    bool entered = sandbox_plan_add(&plan, folder, SANDBOX_WRITE) &&
                   sandbox_enter(&plan, note, NULL, &state, &error) == 0 &&
                   state.level == SANDBOX_LEVEL_ON;
    sandbox_plan_free(&plan);
    return entered;
}

static bool is_inside(void)
{
    char path[64];
    snprintf(path, sizeof path, "%s/file", folder);
    int within = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    return within >= 0 && open(OUTSIDE, O_RDONLY | O_CLOEXEC) < 0 && errno == EACCES;
}

static void in_a_process(bool (*check)(void))
{
    int status;
    make_folder();
    pid_t child = fork();
    if (child == 0)
        _exit(check() ? 0 : 1);
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static bool enters(void)
{
    return enter(false) && is_inside();
}

TEST(files_outside_the_plan_cannot_be_opened)
{
    if (is_supported())
        in_a_process(enters);
}

/* --- threads that already run ----------------------------------------------------------------- */

static int ends[2];

/* A thread that has blocked all signals and waits, as a thread of a library may. */
static void *wait_inside(void *result)
{
    sigset_t all;
    char byte;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    while (read(ends[0], &byte, 1) < 0 && errno == EINTR)
        continue;
    *(bool *)result = is_inside();
    return NULL;
}

static bool threads_are_inside(void)
{
    pthread_t threads[3];
    bool inside[3] = {false};
    if (pipe(ends) != 0)
        return false;
    for (size_t i = 0; i < 3; i++)
        if (pthread_create(&threads[i], NULL, wait_inside, &inside[i]) != 0)
            return false;
    if (!enter(true) || write(ends[1], "abc", 3) != 3)
        return false;
    for (size_t i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return inside[0] && inside[1] && inside[2];
}

TEST(threads_that_run_already_and_block_signals_are_inside_too)
{
    if (is_supported())
        in_a_process(threads_are_inside);
}

/* --- system calls that are refused ------------------------------------------------------------ */

static bool reports_refusals(void)
{
    struct sandbox_refusal refusal;
    if (!enter(false) || sandbox_take_refusal(&refusal))
        return false;
    errno = 0;
    if (ptrace(PTRACE_TRACEME, 0, 0, 0) == 0 || errno != EPERM ||
        syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0) >= 0 || errno != EPERM)
        return false;
    return atomic_load(&refused) == 2 && sandbox_take_refusal(&refusal) &&
           strcmp(refusal.name, "clone") == 0 && sandbox_take_refusal(&refusal) &&
           strcmp(refusal.name, "ptrace") == 0 && !sandbox_take_refusal(&refusal);
}

TEST(a_refused_call_fails_and_is_reported_once_by_its_name)
{
    if (is_supported())
        in_a_process(reports_refusals);
}

static bool starts_no_process(void)
{
    struct sandbox_refusal refusal;
    char program[] = "/bin/true";
    char *arguments[] = {program, NULL};
    pid_t child;
    if (!enter(false))
        return false;
    errno = 0;
    return fork() < 0 && errno == EPERM &&
           posix_spawn(&child, program, NULL, NULL, arguments, arguments + 1) == EPERM &&
           !sandbox_take_refusal(&refusal);
}

/*
 * The C library starts a process with all signals blocked. So the refusal is only an error, without
 * the signal that would report it.
 */
TEST(a_new_process_is_refused_without_a_report)
{
    if (is_supported())
        in_a_process(starts_no_process);
}

/* --- plans ------------------------------------------------------------------------------------ */

TEST(a_plan_covers_what_is_below_its_folders_and_names_what_is_missing)
{
    struct sandbox_plan plan = {.connect = {.count = 1, .list = {443}}};
    struct sandbox_plan wanted = {.connect = {.count = 1, .list = {443}}};
    char missing[SANDBOX_MISSING_SIZE];
    char below[64];
    make_folder();
    snprintf(below, sizeof below, "%s/a/b", folder);
    assert_true(sandbox_plan_add(&plan, folder, SANDBOX_WRITE));
    assert_true(sandbox_plan_add_output(&wanted, below));
    assert_true(sandbox_plan_add_input(&wanted, below));
    assert_true(sandbox_plan_covers(&plan, &wanted, missing));
    assert_true(sandbox_plan_add(&wanted, "/usr", SANDBOX_READ));
    assert_false(sandbox_plan_covers(&plan, &wanted, missing));
    assert_string_equal(missing, "/usr");
    sandbox_plan_free(&wanted);
    wanted.connect = (struct sandbox_ports){.count = 1, .list = {444}};
    assert_false(sandbox_plan_covers(&plan, &wanted, missing));
    assert_string_equal(missing, "TCP port 444 to connect");
    wanted.connect.any = true;
    assert_false(sandbox_plan_covers(&plan, &wanted, missing));
    sandbox_plan_free(&wanted);
    sandbox_plan_free(&plan);
}

TEST(a_path_that_is_too_long_is_left_out_whatever_failed_before)
{
    static const int before[] = {0, ENOMEM};
    char path[PATH_MAX + 1];
    memset(path, 'a', PATH_MAX);
    path[PATH_MAX] = '\0';
    for (size_t i = 0; i < sizeof before / sizeof before[0]; i++) {
        struct sandbox_plan plan = {0};
        errno = before[i];
        assert_true(sandbox_plan_add(&plan, path, SANDBOX_READ));
        assert_int_equal(plan.count, 0);
        sandbox_plan_free(&plan);
    }
}

TEST(a_file_is_represented_by_its_folder_and_a_device_by_itself)
{
    struct sandbox_plan plan = {0};
    char path[64];
    make_folder();
    snprintf(path, sizeof path, "%s/file", folder);
    assert_true(sandbox_plan_add_output(&plan, path));
    assert_true(sandbox_plan_add_output(&plan, "/dev/null"));
    assert_int_equal(plan.count, 2);
    assert_string_equal(plan.paths[0].path, folder);
    assert_string_equal(plan.paths[1].path, "/dev/null");
    sandbox_plan_free(&plan);
}
