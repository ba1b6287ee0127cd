/*
 * A refused call fails with EPERM, as a call does that lacks a right: a library that tries
 * something unusual then takes its other way, and no record is lost because of it. To end the
 * process instead would let one unusual call of a library stop the collector, while an intruder
 * gains nothing from an error.
 *
 * To be seen, the call raises SIGSYS (SECCOMP_RET_TRAP), whose handler notes it and sets EPERM
 * (sandbox_refusals.h). The call itself is not made, whatever a handler does. Where a library
 * blocks signals, which would turn the trap into the end of the process, the kernel sets EPERM
 * itself and the audit log of the kernel has the call.
 *
 * The filter is made here and not by libseccomp: it compares a number with a table, which needs
 * less code than a table of functions of one more library to load.
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
#define ARCHITECTURE 0 /* the table was not checked there */
#endif

/* Numbers from here are those of x32, which has other arguments; other processors have no such. */
#define FIRST_FOREIGN 0x40000000U

/* The most instructions of a row: the number, two conditions, the permission, the number again. */
#define ROW_MOST    10
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

/* Instructions that put_conditions makes. */
static unsigned size_of(const struct sandbox_condition *conditions)
{
    unsigned size = 0;
    for (unsigned i = 0; i < 2; i++)
        size += conditions[i].mask == 0 ? 0 : 3;
    return size;
}

/* Skips the permission if a condition does not hold. The accumulator then has an argument. */
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

static void put_row(struct filter *filter, const struct sandbox_call *call)
{
    unsigned conditions = size_of(call->conditions);
    unsigned skipped = conditions + 1 + (conditions == 0 ? 0 : 1);
    put(filter,
        (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call->number, 0, (uint8_t)skipped));
    put_conditions(filter, call->conditions);
    put_result(filter, SECCOMP_RET_ALLOW);
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

/* A call that may only concern this process: tgkill(2) by abort(3). */
static void put_own(struct filter *filter)
{
    const struct sandbox_call own = {.number = SYS_tgkill,
                                     .conditions = {{0, UINT32_MAX, (uint32_t)getpid()}}};
    put_row(filter, &own);
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
    /* Not a call: a tracer such as strace(1) has answered the call that was here. */
    put(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, UINT32_MAX, 0, 1));
    put_result(filter, SECCOMP_RET_ALLOW);
    put(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, FIRST_FOREIGN, 0, 1));
    put_result(filter, refused);
    for (size_t i = 0; i < sandbox_call_count; i++)
        if (applies(plan, &sandbox_calls[i]))
            put_row(filter, &sandbox_calls[i]);
    put_own(filter);
    /* Its flags are in memory, which a filter does not see: the C library then uses clone(2). */
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
    if (result > 0) { /* a thread that has a filter of its own */
        errno = EBUSY;
        return -1;
    }
    return (int)result;
}
