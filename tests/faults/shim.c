/* Replaces the functions of calls.h that need no special code (ld(1), --wrap). */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tests/faults/plan.h"

/*
 * Defines a function that replaces the C library's. It gets the planned result. Then it calls the
 * real function, after `change`, or returns `answer`. The call is counted at the function's return
 * address.
 */
#define IN_PLACE(type, name, parameters, arguments, change, answer)                                \
    type __real_##name parameters;                                                                 \
    type __wrap_##name parameters;                                                                 \
    type __wrap_##name parameters                                                                  \
    {                                                                                              \
        struct fate fate = plan_fate(CALL_##name, __builtin_return_address(0));                    \
        if (fate.error != 0)                                                                       \
            return answer;                                                                         \
        change;                                                                                    \
        return __real_##name arguments;                                                            \
    }

#define CALL(type, name, parameters, arguments)                                                    \
    IN_PLACE(type, name, parameters, arguments, (void)0, (errno = fate.error, -1))
#define BYTES(name, parameters, arguments, size)                                                   \
    IN_PLACE(ssize_t, name, parameters, arguments, size = (__typeof__(size))plan_less(fate, size), \
             (errno = fate.error, -1))
#define POINTER(type, name, parameters, arguments)                                                 \
    IN_PLACE(type, name, parameters, arguments, (void)0, (errno = fate.error, NULL))
#define CODE(name, parameters, arguments)                                                          \
    IN_PLACE(int, name, parameters, arguments, (void)0, fate.error)
#define BY_HAND(name)

#include "tests/faults/calls.h"
