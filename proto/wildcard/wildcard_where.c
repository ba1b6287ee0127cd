#include "proto/wildcard/wildcard_where.h"

#include <string.h>

static bool is_separator(char c)
{
    return c == '.' || c == '/';
}

static bool path_begins(const struct text *whole, const struct text *begin)
{
    if (begin->size == 0)
        return true;
    if (begin->size > whole->size ||
        (begin->size < whole->size && !is_separator(whole->data[begin->size])))
        return false;
    for (size_t i = 0; i < begin->size; i++)
        if (begin->data[i] != whole->data[i] &&
            !(is_separator(begin->data[i]) && is_separator(whole->data[i])))
            return false;
    return true;
}

/*
 * Returns true if an entry of `labels` can select a field by this path, or by a path that begins
 * with it.
 */
static bool matters(const struct wildcard_plan *plan, const struct text *path, bool is_whole)
{
    for (size_t i = 0; i < plan->label_count; i++) {
        const struct wildcard_asked *asked = &plan->labels[i];
        if (asked->is_whole == is_whole && (is_whole || path->size != 0) &&
            path_begins(&asked->before, path))
            return true;
    }
    return false;
}

/* Removes the beginning of the path that makes no difference to the option `labels`. */
static void cut(const struct wildcard_plan *plan, struct wildcard_where *where)
{
    where->is_whole = where->is_whole && matters(plan, &where->path, true);
    while (!where->is_whole && where->path.size != 0 && !matters(plan, &where->path, false)) {
        const char *dot = memchr(where->path.data, '.', where->path.size);
        size_t size = dot == NULL ? where->path.size : (size_t)(dot - where->path.data) + 1;
        where->path.data += size;
        where->path.size -= size;
    }
}

struct wildcard_where wildcard_where_root(const struct wildcard_plan *plan)
{
    struct wildcard_where where = {.path = {"", 0}, .is_whole = true};
    cut(plan, &where);
    return where;
}

bool wildcard_where_inside(struct wildcard_plan *plan, const struct wildcard_where *from,
                           const struct wildcard_field *field, struct wildcard_where *to)
{
    *to = (struct wildcard_where){.path = {"", 0}};
    if (plan->label_count == 0)
        return true;
    *to = (struct wildcard_where){.path = field->name, .is_whole = from->is_whole || field->begins};
    if (!field->begins && from->path.size != 0) {
        size_t size = from->path.size + 1 + field->name.size;
        char *path = growing_arena_allocate(&plan->memory, size, 1);
        if (path == NULL)
            return false;
        memcpy(path, from->path.data, from->path.size);
        path[from->path.size] = '.';
        memcpy(path + from->path.size + 1, field->name.data, field->name.size);
        to->path = (struct text){path, size};
    }
    cut(plan, to);
    return true;
}

bool wildcard_where_equal(const struct wildcard_where *a, const struct wildcard_where *b)
{
    return a->is_whole == b->is_whole && text_equal(&a->path, &b->path);
}

bool wildcard_is_label_at(const struct wildcard_label_field *field,
                          const struct wildcard_where *where, bool keyed)
{
    if (field->reason == REASON_ASKED && field->exact)
        return where->is_whole && text_equal(&where->path, &field->before);
    if (field->reason == REASON_ASKED)
        return wildcard_path_ends(&where->path, &field->before);
    return field->reason == REASON_KEY || !keyed;
}
