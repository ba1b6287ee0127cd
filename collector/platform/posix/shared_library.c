/* Implements collector/platform/shared_library.h with dlopen(3). */
#include "collector/platform/shared_library.h"

#include <dlfcn.h>
#include <string.h>

static void fails(struct error *error)
{
    const char *why = dlerror();
    error_set(error, EXIT_CODE_CONFIG, "%s", why != NULL ? why : "no reason is known");
}

void *shared_library_load(const char *name, struct error *error)
{
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        fails(error);
    return library;
}

bool shared_library_find(void *library, const char *function, void *pointer, struct error *error)
{
    void *found = dlsym(library, function);
    if (found == NULL) {
        fails(error);
        return false;
    }
    memcpy(pointer, &found, sizeof found); /* POSIX requires pointers to functions and to data to
                                              have the same size (dlsym) */
    return true;
}
