#include "tests/support/removal.h"

#include "tests/support/others.h"

void remove_open_file(const char *name)
{
    others_remove(name);
}
