/*
 * What this process takes of the system, as the system reports it. Main thread. CMake picks the
 * implementation under platform/.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_PROCESS_USAGE_H
#define SLUICE_COLLECTOR_PLATFORM_PROCESS_USAGE_H

#include <stdbool.h>
#include <stdint.h>

#define USAGE_UNLIMITED UINT64_MAX

struct process_usage {
    double processor_seconds; /* of all its threads, for itself and within the kernel */
    double started_seconds;   /* since 1970 UTC */
    uint64_t resident_bytes;
    uint64_t virtual_bytes, virtual_bytes_most; /* the most may be USAGE_UNLIMITED */
    uint64_t open_files, open_files_most;       /* descriptors of any kind; the same */
};

/* Returns false where the system does not say. */
bool process_usage_read(struct process_usage *usage);

#endif
