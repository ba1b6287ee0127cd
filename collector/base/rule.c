#include "collector/base/rule.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

void rule_broken(const char *file, int line, const char *text)
{
    fprintf(stderr, "%s:%d: rule broken: %s\n", file, line, text);
    abort();
}

/* errno has thread storage duration (C11, 7.5), so its address identifies the thread. */
bool rule_is_owner(struct rule_owner *owner)
{
    if (owner->thread == NULL)
        owner->thread = &errno;
    return owner->thread == &errno;
}
