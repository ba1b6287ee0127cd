#include "tests/support/platform/removal.h"

#include "tests/support/platform/others.h"

void remove_open_file(const char *name)
{
    others_remove(name);
}
