/*
 * A refused call fails with EPERM, like a call for which the process lacks a right. A library that
 * tries an unusual call then continues without it, and no record is lost. If the kernel ended the
 * process instead, one unusual call of a library would stop the collector. An intruder gains
 * nothing from the error.
 *
 * So that refusals are seen, the kernel does not make the call, but raises SIGSYS
 * (SECCOMP_RET_TRAP); the handler notes the call and sets EPERM (sandbox_refusals.h). In a thread
 * that blocks SIGSYS the kernel would end the process. Therefore, if a library blocks signals in
 * its threads, the kernel sets EPERM itself and notes the call in its audit log. The kernel always
 * sets EPERM itself for calls that start a process, because posix_spawn(3), and fork(3) of musl and
 * of glibc from 2.41 on, block all signals around them.
 *
 * The filter does not use libseccomp, because loading it would take more code than this filter.
 */
#include "collector/platform/linux/sandbox_filter.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/base/rule.h"
#include "collector/platform/linux/sandbox_calls.h"

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__) && defined(__AARCH64EL__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#define ARCHITECTURE 0 /* the table of calls was not checked on other processors */
#endif

/*
 * System calls with this number or a higher one are those of x32, whose arguments differ. Only
 * x86-64 has them.
 */
#define FIRST_FOREIGN 0x40000000U

#define PROGRAM_MAX 2048

#define LOW(argument)                                                                              \
    ((unsigned)(offsetof(struct seccomp_data, args) + (argument) * sizeof(uint64_t)))

struct filter {
    struct sock_filter code[PROGRAM_MAX];
    unsigned short length;
};

static void put(struct filter *filter, struct sock_filter instruction)
{
    RULE(filter->length < PROGRAM_MAX, "the filter fits");
    filter->code[filter->length++] = instruction;
}

static void put_load(struct filter *filter, unsigned offset)
{
    put(filter, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset));
}

static void put_result(struct filter *filter, unsigned result)
{
    put(filter, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, result));
}

static unsigned size_of(const struct sandbox_condition *conditions)
{
    unsigned size = 0;
    for (unsigned i = 0; i < 2; i++)
        size += conditions[i].mask == 0 ? 0 : 3;
    return size;
}

/*
 * Emits the conditions. If one does not hold, it skips the permission after them. Leaves an
 * argument in the accumulator instead of the call's number.
 */
static void put_conditions(struct filter *filter, const struct sandbox_condition *conditions)
{
    unsigned rest = size_of(conditions);
    for (unsigned i = 0; i < 2; i++) {
        if (conditions[i].mask == 0)
            continue;
        rest -= 3;
        put_load(filter, LOW(conditions[i].argument));
        put(filter, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, conditions[i].mask));
        put(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, conditions[i].value, 0,
                                                 (uint8_t)(rest + 1)));
    }
}

static void put_row(struct filter *filter, const struct sandbox_call *call, unsigned result)
{
    unsigned conditions = size_of(call->conditions);
    unsigned skipped = conditions + 1 + (conditions == 0 ? 0 : 1);
    put(filter,
        (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call->number, 0, (uint8_t)skipped));
    put_conditions(filter, call->conditions);
    put_result(filter, result);
    if (conditions != 0)
        put_load(filter, offsetof(struct seccomp_data, nr));
}

static bool applies(const struct sandbox_plan *plan, const struct sandbox_call *call)
{
    switch (call->when) {
    case SANDBOX_CONNECTS:
        return plan->connects;
    case SANDBOX_PROGRAMS:
        return plan->runs_programs;
    case SANDBOX_RAW:
        return plan->raw_sockets;
    default:
        return true;
    }
}

/* Permits tgkill(2), which abort(3) calls, for this process only. */
static void put_own(struct filter *filter)
{
    const struct sandbox_call own = {.number = SYS_tgkill,
                                     .conditions = {{0, UINT32_MAX, (uint32_t)getpid()}}};
    put_row(filter, &own, SECCOMP_RET_ALLOW);
}

static void filter_make(struct filter *filter, const struct sandbox_plan *plan)
{
    const unsigned refused =
        plan->masks_signals ? SECCOMP_RET_ERRNO | EPERM : (unsigned)SECCOMP_RET_TRAP;
    filter->length = 0;
    put_load(filter, offsetof(struct seccomp_data, arch));
    put(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0));
    put_result(filter, SECCOMP_RET_KILL_PROCESS);
    put_load(filter, offsetof(struct seccomp_data, nr));
    /* -1 is not a system call: a tracer such as strace(1) has already replaced the call. */
    put(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, UINT32_MAX, 0, 1));
    put_result(filter, SECCOMP_RET_ALLOW);
    put(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, FIRST_FOREIGN, 0, 1));
    put_result(filter, refused);
    for (size_t i = 0; i < sandbox_call_count; i++)
        if (applies(plan, &sandbox_calls[i]))
            put_row(filter, &sandbox_calls[i], SECCOMP_RET_ALLOW);
    put_own(filter);
    for (size_t i = 0; i < sandbox_new_process_count; i++)
        put_row(filter, &sandbox_new_processes[i], SECCOMP_RET_ERRNO | EPERM);
    /*
     * The flags of clone3(2) are in memory, which a filter cannot read. After ENOSYS the C library
     * uses clone(2).
     */
    put(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1));
    put_result(filter, SECCOMP_RET_ERRNO | ENOSYS);
    put_result(filter, refused);
}

bool sandbox_filter_is_supported(void)
{
    const uint32_t needed = SECCOMP_RET_KILL_PROCESS;
    return ARCHITECTURE != 0 && syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &needed) == 0;
}

int sandbox_filter_install(const struct sandbox_plan *plan)
{
    static struct filter filter;
    filter_make(&filter, plan);
    const struct sock_fprog program = {.len = filter.length, .filter = filter.code};
    const unsigned flags = SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_LOG;
    long result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
    if (result > 0) { /* the result is the id of a thread that has a filter of its own */
        errno = EBUSY;
        return -1;
    }
    return (int)result;
}
