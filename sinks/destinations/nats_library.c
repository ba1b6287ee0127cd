#include "sinks/destinations/nats_library.h"

#include <stddef.h>
#include <stdio.h>

#include "collector/platform/library_table.h"

/* The interface that <nats/nats.h> declares. */
#define FILE_NAME "libnats.so.3.4"

const struct nats_library *nats_library(struct error *error)
{
#define FUNCTION(name) {#name, offsetof(struct nats_library, name)},
    static const struct library_function names[] = {NATS_LIBRARY_FUNCTIONS(FUNCTION)};
#undef FUNCTION
    static struct nats_library functions;
    static struct library_table table = {.file = FILE_NAME,
                                         .unless = "nats: this machine has no usable nats.c",
                                         .functions = names,
                                         .count = sizeof names / sizeof *names,
                                         .pointers = &functions};
    return library_table_load(&table, error) ? &functions : NULL;
}

const char *nats_library_version(void)
{
    static char text[64];
    struct error error;
    const struct nats_library *library = nats_library(&error);
    if (library == NULL)
        return NULL;
    snprintf(text, sizeof text, "nats.c %s", library->nats_GetVersion());
    return text;
}
