/* The part of collector/platform/file_place.h that every system shares. */
#include "collector/platform/file_place.h"

#include "collector/platform/file_path.h"

bool file_place_same(const struct file_place *a, const struct file_place *b)
{
    return a->volume == b->volume && a->number == b->number && file_path_same(a->name, b->name);
}
