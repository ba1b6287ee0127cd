/*
 * Tests the sandbox of Linux on older kernels, and when any of its system calls fails. It must
 * report the restrictions that are really in force. Each case has its own process, because a
 * process cannot leave the sandbox.
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/platform/sandbox.h"
#include "tests/support/test.h"

#define OUTSIDE     "/etc/hostname"
#define CALLS_MOST  400
#define PORT_BOUND  4 /* the first version of Landlock that restricts TCP ports */
#define CODE_DENIED EACCES

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
int __real_prctl(int option, ...);
int __wrap_prctl(int option, ...);

static int version = -1; /* version of Landlock; -1: that of the kernel */
static int fails_at;     /* number of the call that fails, from 1; 0 means none fails */
static int calls;

static bool fails_now(void)
{
    calls++;
    errno = ENOMEM;
    return calls == fails_at;
}

static long landlock_version(long real)
{
    if (version < 0)
        return real;
    errno = ENOSYS;
    return version == 0 ? -1 : version;
}

/* Every caller in the program passes at most five arguments after the number. */
long __wrap_syscall(long number, ...)
{
    long arguments[5];
    va_list more;
    va_start(more, number);
    for (int i = 0; i < 5; i++)
        arguments[i] = va_arg(more, long);
    va_end(more);
    if (fails_now())
        return -1;
    long result = __real_syscall(number, arguments[0], arguments[1], arguments[2], arguments[3],
                                 arguments[4]);
    bool asks = number == SYS_landlock_create_ruleset && arguments[0] == 0;
    return asks ? landlock_version(result) : result;
}

int __wrap_prctl(int option, ...)
{
    long arguments[4];
    va_list more;
    va_start(more, option);
    for (int i = 0; i < 4; i++)
        arguments[i] = va_arg(more, long);
    va_end(more);
    return fails_now()
               ? -1
               : __real_prctl(option, arguments[0], arguments[1], arguments[2], arguments[3]);
}

/* --- a process for each case ------------------------------------------------------------------ */

static char folder[] = "/tmp/sluice-sandbox-XXXXXX";

static void remove_folder(void)
{
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

static int kernel_version(void)
{
    long result = __real_syscall(SYS_landlock_create_ruleset, NULL, 0, 1);
    return result > 0 ? (int)result : 0;
}

static bool is_supported(void)
{
    struct sandbox_state state;
    sandbox_support(&state);
    return state.level == SANDBOX_LEVEL_ON;
}

static void note(void *context)
{
    (void)context;
}

static bool opens(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

static bool writes_in_the_folder(void)
{
    char path[64];
    snprintf(path, sizeof path, "%s/%d", folder, (int)getpid());
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    return fd >= 0 && write(fd, "x", 1) == 1 && close(fd) == 0 && unlink(path) == 0;
}

static bool binds(uint16_t port)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    bool bound = bind(fd, (struct sockaddr *)&address, sizeof address) == 0 || errno != CODE_DENIED;
    close(fd);
    return bound;
}

struct outcome {
    int result;
    enum sandbox_level level;
    char text[SANDBOX_TEXT_SIZE];
    char error[sizeof((struct error *)NULL)->text];
    bool is_true, binds, covers_all;
    int calls;
};

/*
 * Returns true if the restrictions that the text names are in force, no others are, and permitted
 * calls succeed.
 */
static bool state_is_true(const struct sandbox_state *state)
{
    bool filtered = strstr(state->text, "seccomp") != NULL;
    bool files = strstr(state->text, "landlock ") != NULL;
    bool traced = ptrace(PTRACE_TRACEME, 0, 0, 0) == 0;
    return traced == !filtered && opens(OUTSIDE) == !files && writes_in_the_folder() &&
           (state->level == SANDBOX_LEVEL_OFF) == (!filtered && !files) &&
           (state->level == SANDBOX_LEVEL_ON) <= (filtered && files);
}

static struct outcome enter(void)
{
    struct sandbox_plan plan = {0};
    struct sandbox_plan wanted = {.listen = {.count = 1, .list = {1}}};
    struct sandbox_state state;
    struct error error = {.text = ""};
    char missing[SANDBOX_MISSING_SIZE];
    struct outcome outcome = {0};
    if (!sandbox_plan_add(&plan, folder, SANDBOX_WRITE) ||
        !sandbox_plan_add(&wanted, OUTSIDE, SANDBOX_READ))
        return outcome;
    calls = 0;
    outcome.result = sandbox_enter(&plan, note, NULL, &state, &error);
    outcome.calls = calls;
    fails_at = 0;
    outcome.level = state.level;
    memcpy(outcome.text, state.text, sizeof outcome.text);
    memcpy(outcome.error, error.text, sizeof outcome.error);
    outcome.is_true = state_is_true(&state);
    outcome.binds = binds(1);
    outcome.covers_all = sandbox_plan_covers(&plan, &wanted, missing);
    return outcome;
}

static struct outcome enter_in_a_process(void)
{
    struct outcome outcome = {0};
    int ends[2];
    int status;
    make_folder();
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        outcome = enter();
        _exit(write(ends[1], &outcome, sizeof outcome) == sizeof outcome ? 0 : 1);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(read(ends[0], &outcome, sizeof outcome), sizeof outcome);
    close(ends[0]);
    close(ends[1]);
    return outcome;
}

/* --- tests ------------------------------------------------------------------------------------ */

TEST(each_version_of_landlock_restricts_what_it_can)
{
    if (!is_supported())
        return;
    /*
     * The last version is at least 8. An older kernel refuses the flag that version 8 added, and
     * the threads are then restricted by signals.
     */
    const int last = kernel_version() < 8 ? 8 : kernel_version();
    for (version = 1; version <= last; version++) {
        struct outcome outcome = enter_in_a_process();
        char begin[32];
        snprintf(begin, sizeof begin, "landlock %d (", version);
        assert_int_equal(outcome.result, 0);
        assert_int_equal(outcome.level, SANDBOX_LEVEL_ON);
        assert_non_null(strstr(outcome.text, begin));
        assert_true(outcome.is_true);
        assert_int_equal(outcome.binds, version < PORT_BOUND);
        assert_false(outcome.covers_all);
    }
    version = -1;
}

TEST(without_landlock_calls_are_filtered_and_the_plan_covers_all_files_and_ports)
{
    if (!is_supported())
        return;
    version = 0;
    struct outcome outcome = enter_in_a_process();
    version = -1;
    assert_int_equal(outcome.result, 0);
    assert_int_equal(outcome.level, SANDBOX_LEVEL_PARTIAL);
    assert_string_equal(outcome.text, "seccomp");
    assert_true(outcome.is_true);
    assert_true(outcome.covers_all);
}

TEST(whichever_call_fails_the_state_is_true_and_the_process_can_go_on)
{
    if (!is_supported())
        return;
    int all = enter_in_a_process().calls;
    unsigned failed = 0;
    assert_in_range(all, 5, CALLS_MOST);
    for (int at = 1; at <= all; at++) {
        fails_at = at;
        struct outcome outcome = enter_in_a_process();
        fails_at = 0;
        if (outcome.result != 0 || outcome.level != SANDBOX_LEVEL_ON)
            failed++;
        if (!outcome.is_true || (outcome.result != 0 && outcome.error[0] == '\0'))
            fail_msg("call %d of %d: \"%s\", error \"%s\"", at, all, outcome.text, outcome.error);
    }
    /* At least four calls can fail: no new privileges, the ruleset, a rule, the filter. */
    assert_true(failed >= 4);
}
