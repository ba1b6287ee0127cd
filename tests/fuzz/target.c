#include "tests/fuzz/target.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

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
