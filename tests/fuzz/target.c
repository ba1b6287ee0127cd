#include "tests/fuzz/target.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void target_failed(const char *file, int line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s:%d: ", file, line);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    abort();
}

/* --- time ------------------------------------------------------------------------------------- */

int __real_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int __wrap_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int __wrap_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    double before = processor_seconds();
    __real_LLVMFuzzerTestOneInput(data, size);
    double taken = processor_seconds() - before;
    EXPECT(taken < TARGET_SECONDS, "%.1f seconds of a processor for %zu bytes", taken, size);
    return 0;
}
