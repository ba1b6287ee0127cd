/*
 * Implements struct service_manager as in sd_notify(3): each notification is a datagram with
 * variables, to the socket that NOTIFY_SOCKET names.
 *
 * It does not use libsystemd. sd_notify(3) suggests this: the protocol is stable and small, while
 * the library is large and would be required wherever the program runs.
 */
#include "collector/platform/service_manager.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "collector/platform/clock.h"
#include "collector/platform/linux/variables.h"
#include "collector/platform/posix/retry.h"

#define SOCKET_VARIABLE "NOTIFY_SOCKET"

/* The longest wait for the manager to accept a notification. */
static const struct timeval patience = {.tv_sec = 1};

struct service_manager {
    int fd;
    int64_t watchdog_ns;
    struct sockaddr_un address;
    socklen_t size;
};

/* --- finding the service manager -------------------------------------------------------------- */

static bool set_address(struct service_manager *manager, const char *text)
{
    size_t length = strlen(text);
    if ((text[0] != '/' && text[0] != '@') || length < 2 ||
        length >= sizeof manager->address.sun_path)
        return false;
    manager->address.sun_family = AF_UNIX;
    memcpy(manager->address.sun_path, text, length);
    if (text[0] == '@')
        manager->address.sun_path[0] = '\0';
    manager->size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
    return true;
}

/* Returns the watchdog's interval, or 0 if the manager has no watchdog for this process. */
static int64_t read_watchdog(void)
{
    uint64_t microseconds = 0;
    uint64_t process = 0;
    bool wanted = variable_take_number("WATCHDOG_USEC", &microseconds);
    bool named = variable_take_number("WATCHDOG_PID", &process);
    if (!wanted || microseconds == 0 || microseconds > INT64_MAX / 1000 ||
        (named && process != (uint64_t)getpid()))
        return 0;
    return (int64_t)microseconds * 1000;
}

static int manager_open_socket(struct service_manager *manager, struct error *error)
{
    manager->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    /*
     * In a sandbox an abstract socket can be reached only if it was connected before. Notifications
     * name the address nevertheless, so that they also reach a manager that has opened its socket
     * again.
     */
    if (manager->fd >= 0 && manager->address.sun_path[0] == '\0')
        (void)!connect(manager->fd, (const struct sockaddr *)&manager->address, manager->size);
    if (manager->fd >= 0 &&
        setsockopt(manager->fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) == 0)
        return 0;
    error_set(error, EXIT_CODE_INTERNAL, "cannot report to systemd: %s", strerror(errno));
    return -1;
}

static int manager_make(struct service_manager **out, const char *name, int64_t watchdog_ns,
                        struct error *error)
{
    struct service_manager *manager = calloc(1, sizeof *manager);
    if (manager == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "no memory for systemd");
        return -1;
    }
    manager->fd = -1;
    manager->watchdog_ns = watchdog_ns;
    if (!set_address(manager, name)) {
        error_set(error, EXIT_CODE_CONFIG,
                  SOCKET_VARIABLE
                  " is neither a path nor an abstract name; nothing is reported to systemd");
        service_manager_destroy(manager);
        return -1;
    }
    if (manager_open_socket(manager, error) != 0) {
        service_manager_destroy(manager);
        return -1;
    }
    *out = manager;
    return 0;
}

int service_manager_find(struct service_manager **out, struct error *error)
{
    char *name;
    int64_t watchdog_ns = read_watchdog();
    *out = NULL;
    if (!variable_take(SOCKET_VARIABLE, &name)) {
        error_set(error, EXIT_CODE_INTERNAL, "no memory for " SOCKET_VARIABLE);
        return -1;
    }
    int result = name == NULL ? 0 : manager_make(out, name, watchdog_ns, error);
    free(name);
    return result;
}

void service_manager_destroy(struct service_manager *manager)
{
    if (manager == NULL)
        return;
    if (manager->fd >= 0)
        close(manager->fd);
    free(manager);
}

int64_t service_manager_patience(const struct service_manager *manager)
{
    return manager->watchdog_ns;
}

/* --- reports to the service manager ----------------------------------------------------------- */

static int notify_manager(struct service_manager *manager, const char *text, struct error *error)
{
    ssize_t sent;
    unsigned times = 0;
    do
        sent = sendto(manager->fd, text, strlen(text), MSG_NOSIGNAL,
                      (const struct sockaddr *)&manager->address, manager->size);
    while (sent < 0 && retry_interrupted(&times));
    if (sent >= 0)
        return 0;
    error_set(error, EXIT_CODE_IO, "cannot report to systemd: %s", strerror(errno));
    return -1;
}

int service_manager_ready(struct service_manager *manager, struct error *error)
{
    return notify_manager(manager, "READY=1", error);
}

int service_manager_reloading(struct service_manager *manager, struct error *error)
{
    char text[64];
    snprintf(text, sizeof text, "RELOADING=1\nMONOTONIC_USEC=%" PRId64,
             clock_monotonic_ns() / 1000);
    return notify_manager(manager, text, error);
}

int service_manager_stopping(struct service_manager *manager, int64_t most_ns, struct error *error)
{
    char text[64];
    snprintf(text, sizeof text, "STOPPING=1\nEXTEND_TIMEOUT_USEC=%" PRId64, most_ns / 1000);
    return notify_manager(manager, text, error);
}

int service_manager_status(struct service_manager *manager, const char *line, struct error *error)
{
    char text[256];
    snprintf(text, sizeof text, "STATUS=%s", line);
    return notify_manager(manager, text, error);
}

int service_manager_alive(struct service_manager *manager, struct error *error)
{
    return notify_manager(manager, "WATCHDOG=1", error);
}
