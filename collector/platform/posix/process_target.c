/* Implements struct process_target with the name /dev/stdout. */
#include "collector/platform/child.h"

#include <stdlib.h>
#include <string.h>

bool process_target_make(struct process_target *target, struct error *error)
{
    *target = (struct process_target){.path = strdup("/dev/stdout")};
    if (target->path == NULL)
        error_set(error, EXIT_CODE_INTERNAL, "out of memory");
    return target->path != NULL;
}

void process_target_remove(struct process_target *target)
{
    free(target->path);
}
