#include "collector/platform/file_system.h"

bool file_location_same(const struct file_location *a, const struct file_location *b)
{
    return a->volume == b->volume && a->number == b->number && file_path_same(a->name, b->name);
}
