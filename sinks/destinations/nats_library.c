#include "sinks/destinations/nats_library.h"

#include <stddef.h>
#include <stdio.h>

#include "collector/platform/shared_library.h"

#define NAME "libnats.so.3.4" /* the interface that <nats/nats.h> declares */

static bool find_functions(void *library, struct nats_library *functions, struct error *error)
{
#define FIND(name)                                                                                 \
    if (!shared_library_find(library, #name, &functions->name, error))                             \
        return false;
    NATS_LIBRARY_FUNCTIONS(FIND)
#undef FIND
    return true;
}

const struct nats_library *nats_library(struct error *error)
{
    static struct nats_library functions;
    static bool loaded;
    if (loaded)
        return &functions;
    struct error why;
    void *library = shared_library_load(NAME, &why);
    if (library == NULL || !find_functions(library, &functions, &why)) {
        error_set(error, EXIT_CODE_CONFIG, "nats: this machine has no usable nats.c: %s", why.text);
        return NULL;
    }
    loaded = true;
    return &functions;
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
