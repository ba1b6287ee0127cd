#include "tests/fuzz/memory_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

void memory_file_make(struct memory_file *file, const void *bytes, size_t size)
{
    file->descriptor = memfd_create("input", MFD_CLOEXEC);
    if (file->descriptor < 0 || write(file->descriptor, bytes, size) != (ssize_t)size)
        abort();
    snprintf(file->path, sizeof file->path, "/proc/self/fd/%d", file->descriptor);
}

void memory_file_close(struct memory_file *file)
{
    close(file->descriptor);
}
