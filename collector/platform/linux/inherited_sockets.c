/*
 * Takes the inherited sockets (collector/platform/service_manager.h) from the descriptors from 3
 * on. LISTEN_PID, LISTEN_FDS and LISTEN_FDNAMES have the process, the number of sockets, and their
 * names separated by colons.
 */
#include "collector/platform/service_manager.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "collector/base/rule.h"
#include "collector/platform/linux/inherited_drops.h"
#include "collector/platform/linux/variables.h"

#define FIRST 3
#define MOST  1024

const bool inherited_sockets_exist = true;

static struct {
    struct inherited_socket *sockets;
    size_t count;
    uint32_t *drops;
    char *names; /* the memory of the sockets' names, or NULL */
    bool looked; /* inherited_find was called; `result` and `missing` have its outcome */
    int result;
    struct error missing;
} inherited;

static const char *next_name(char **names)
{
    char *name = *names;
    if (name == NULL || *name == '\0')
        return "unknown";
    size_t length = strcspn(name, ":");
    *names = name[length] == ':' ? name + length + 1 : NULL;
    name[length] = '\0';
    return length == 0 ? "unknown" : name;
}

static int inherited_take(size_t count, char *names, struct error *error)
{
    inherited.sockets = calloc(count, sizeof *inherited.sockets);
    inherited.drops = calloc(count, sizeof *inherited.drops);
    if (inherited.sockets == NULL || inherited.drops == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "no memory for the sockets of this process");
        return -1;
    }
    for (size_t i = 0; i < count; i++) {
        int fd = (int)(FIRST + i);
        if (fcntl(fd, F_SETFD, FD_CLOEXEC) != 0) {
            error_set(error, EXIT_CODE_CANNOT_BIND,
                      "LISTEN_FDS names %zu sockets, but descriptor %d is not open", count, fd);
            return -1;
        }
        inherited.sockets[inherited.count++] = (struct inherited_socket){fd, next_name(&names)};
    }
    return 0;
}

static int inherited_find(struct error *error)
{
    uint64_t process = 0;
    uint64_t count = 0;
    bool ours = variable_take_number("LISTEN_PID", &process) && process == (uint64_t)getpid();
    bool any = variable_take_number("LISTEN_FDS", &count) && count != 0;
    if (!variable_take("LISTEN_FDNAMES", &inherited.names)) {
        error_set(error, EXIT_CODE_INTERNAL, "no memory for the names of sockets");
        return -1;
    }
    return ours && any ? inherited_take(count < MOST ? (size_t)count : MOST, inherited.names, error)
                       : 0;
}

int inherited_sockets_take(struct error *error)
{
    if (!inherited.looked)
        inherited.result = inherited_find(&inherited.missing);
    inherited.looked = true;
    if (inherited.result != 0)
        *error = inherited.missing;
    return inherited.result;
}

void inherited_sockets_forget(void)
{
    for (size_t i = 0; i < inherited.count; i++)
        close((int)inherited.sockets[i].handle);
    free(inherited.sockets);
    free(inherited.drops);
    free(inherited.names);
    inherited.sockets = NULL;
    inherited.count = 0;
    inherited.drops = NULL;
    inherited.names = NULL;
}

static const struct inherited_socket *socket_at(size_t index)
{
    RULE(index < inherited.count, "an inherited socket has an index below their number");
    return &inherited.sockets[index];
}

size_t inherited_socket_count(void)
{
    return inherited.count;
}

struct inherited_socket inherited_socket_at(size_t index)
{
    return *socket_at(index);
}

bool inherited_socket_is(size_t index, const char *name)
{
    char number[24];
    bool is_number = name[0] != '\0' && name[strspn(name, "0123456789")] == '\0';
    snprintf(number, sizeof number, "%d", (int)socket_at(index)->handle);
    return strcmp(name, is_number ? number : socket_at(index)->name) == 0;
}

uint32_t *inherited_socket_drops(int handle)
{
    for (size_t i = 0; i < inherited.count; i++)
        if ((int)inherited.sockets[i].handle == handle)
            return &inherited.drops[i];
    return NULL;
}

size_t inherited_sockets_named(const char *name)
{
    size_t count = 0;
    for (size_t i = 0; i < inherited.count; i++)
        count += inherited_socket_is(i, name);
    return count;
}

bool inherited_socket_listens(size_t index)
{
    int listens = 0;
    socklen_t size = sizeof listens;
    return getsockopt((int)socket_at(index)->handle, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) ==
               0 &&
           listens != 0;
}
