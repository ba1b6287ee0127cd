#include "collector/base/rule.h"

#include <stdio.h>
#include <stdlib.h>

void rule_broken(const char *file, int line, const char *text)
{
    fprintf(stderr, "%s:%d: rule broken: %s\n", file, line, text);
    abort();
}
