/*
 * A library that is loaded when it is first asked for, and a structure of pointers to its
 * functions. One description and one structure for each library, both static. POSIX only.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_LIBRARY_TABLE_H
#define SLUICE_COLLECTOR_PLATFORM_LIBRARY_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/error.h"

/* A function's name, and where the pointer to it is in the structure. */
struct library_function {
    const char *name;
    size_t offset;
};

struct library_table {
    const char *file;   /* by its name alone, with the number of the interface: "libcurl.so.4" */
    const char *unless; /* what is said before the reason where it cannot be used */
    const struct library_function *functions;
    size_t count;
    void *pointers; /* the structure */
    bool loaded;    /* false at first */
};

/*
 * Main thread. Fills the structure, at the first call. Returns false with `error` filled
 * (EXIT_CODE_CONFIG) where this machine does not have the library, or it lacks a function: then it
 * is tried again at the next call.
 */
bool library_table_load(struct library_table *table, struct error *error);

#endif
