/*
 * Implements the inherited sockets of collector/platform/service_manager.h. Windows does not have
 * them.
 */
#include "collector/platform/service_manager.h"

const bool inherited_sockets_exist = false;

int inherited_sockets_take(struct error *error)
{
    (void)error;
    return 0;
}

void inherited_sockets_forget(void)
{
}

size_t inherited_socket_count(void)
{
    return 0;
}

struct inherited_socket inherited_socket_at(size_t index)
{
    (void)index;
    return (struct inherited_socket){NO_HANDLE, ""};
}

bool inherited_socket_is(size_t index, const char *name)
{
    (void)index;
    (void)name;
    return false;
}

size_t inherited_sockets_named(const char *name)
{
    (void)name;
    return 0;
}

bool inherited_socket_listens(size_t index)
{
    (void)index;
    return false;
}
