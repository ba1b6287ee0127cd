#include "collector/platform/library_table.h"

#include "collector/platform/shared_library.h"

static bool find_functions(const struct library_table *table, void *library, struct error *error)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct library_function *function = &table->functions[i];
        if (!shared_library_find(library, function->name,
                                 (char *)table->pointers + function->offset, error))
            return false;
    }
    return true;
}

bool library_table_load(struct library_table *table, struct error *error)
{
    struct error why;
    if (table->loaded)
        return true;
    void *library = shared_library_load(table->file, &why);
    table->loaded = library != NULL && find_functions(table, library, &why);
    if (!table->loaded)
        error_set(error, EXIT_CODE_CONFIG, "%s: %s", table->unless, why.text);
    return table->loaded;
}
