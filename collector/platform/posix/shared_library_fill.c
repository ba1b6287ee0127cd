/* Fills a library's table of functions (collector/platform/shared_library.h) at run time. */
#include "collector/platform/shared_library.h"

/* The size of every pointer to a function (POSIX, dlsym). */
#define POINTER_SIZE sizeof(void (*)(void))

static bool find_functions(const struct shared_library *library, void *handle, struct error *error)
{
    char *at = library->pointers;
    for (size_t i = 0; i < library->count; i++)
        if (!shared_library_find(handle, library->names[i], at + i * POINTER_SIZE, error))
            return false;
    return true;
}

/*
 * Loads the first of the files that the system has. If it has none, `error` is about the first
 * file.
 */
static void *load_any(const struct shared_library *library, struct error *error)
{
    struct error ignored;
    void *handle = shared_library_load(library->files[0], error);
    for (size_t i = 1; handle == NULL && library->files[i] != NULL; i++)
        handle = shared_library_load(library->files[i], &ignored);
    return handle;
}

bool shared_library_fill(struct shared_library *library, struct error *error)
{
    struct error why;
    if (library->loaded)
        return true;
    void *handle = load_any(library, &why);
    library->loaded = handle != NULL && find_functions(library, handle, &why);
    if (handle == NULL && library->package[0] != '\0')
        error_set(error, EXIT_CODE_CONFIG,
                  "%s: this machine has no usable %s: %s; on Debian: apt install %s", library->user,
                  library->name, why.text, library->package);
    else if (!library->loaded)
        error_set(error, EXIT_CODE_CONFIG, "%s: this machine has no usable %s: %s", library->user,
                  library->name, why.text);
    return library->loaded;
}
