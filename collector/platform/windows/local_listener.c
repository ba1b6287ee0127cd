/* Implements collector/platform/local_listener.h. Windows has no such listeners. */
#include "collector/platform/local_listener.h"

#include <string.h>

const bool local_listeners_exist = false;

bool local_name_is_abstract(const char *path)
{
    (void)path;
    return false;
}

static int local_listener_refuse(const char *path, struct error *error)
{
    error_set(error, EXIT_CODE_CONFIG,
              "unix:%s: unix: listeners are only supported on Linux; use tcp://127.0.0.1:PORT",
              path);
    return -1;
}

int local_listener_check(const char *path, const struct local_access *access, struct error *error)
{
    (void)access;
    return local_listener_refuse(path, error);
}

int local_listener_open(struct local_listener **out, const char *path,
                        const struct local_access *access, struct error *error)
{
    (void)out;
    (void)access;
    return local_listener_refuse(path, error);
}

wait_handle local_listener_handle(const struct local_listener *listener)
{
    (void)listener;
    return NO_HANDLE;
}

int local_listener_set_access(struct local_listener *listener, const struct local_access *access,
                              struct error *error)
{
    (void)listener;
    (void)access;
    (void)error;
    return 0;
}

int local_listener_close(struct local_listener *listener, struct error *error)
{
    (void)listener;
    (void)error;
    return 0;
}

void local_listener_name(wait_handle socket, char *text)
{
    (void)socket;
    strcpy(text, "unix:");
}
