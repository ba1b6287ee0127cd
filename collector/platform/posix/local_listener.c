/* Implements collector/platform/local_listener.h with local sockets (unix(7)). */
#include "collector/platform/local_listener.h"

#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/platform/output_file.h"
#include "collector/platform/posix/local_bind.h"

/* Most connections that wait to be accepted; the system may have a lower limit (listen(2)). */
#define BACKLOG 1024

#define NAME_SIZE 256 /* LOGIN_NAME_MAX; longer than the name of any group */

_Static_assert(LOCAL_NAME_MOST == sizeof((struct sockaddr_un *)NULL)->sun_path - 1,
               "a path has a NUL");

const bool local_listeners_exist = true;

struct local_listener {
    struct local_bind bound;
    struct local_permissions permissions; /* those that were set last */
    uid_t user; /* the user and the group that the file had when it was made */
    gid_t group;
};

bool local_name_is_abstract(const char *path)
{
    return path[0] == '@';
}

/* --- owners ----------------------------------------------------------------------------------- */

static int owner_cannot(struct error *error, const char *owner, const char *why)
{
    error_set(error, EXIT_CODE_CONFIG, "owner=%s: %s", owner, why);
    return -1;
}

/* Parses a decimal id; (uid_t)-1 is not an id. */
static bool parse_id(const char *text, unsigned *id)
{
    char *end;
    errno = 0;
    unsigned long value = strtoul(text, &end, 10);
    *id = (unsigned)value;
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && value < UINT_MAX;
}

/* getpwnam(3) uses a static buffer; only the main thread looks up users. */
static int find_user(const char *owner, const char *name, struct local_permissions *found,
                     struct error *error)
{
    errno = 0;
    const struct passwd *entry = getpwnam(name);
    if (entry != NULL) {
        found->user = entry->pw_uid;
        found->group = entry->pw_gid;
        return 0;
    }
    return parse_id(name, &found->user) ? 0 : owner_cannot(error, owner, "there is no such user");
}

static int find_group(const char *owner, const char *name, struct local_permissions *found,
                      struct error *error)
{
    errno = 0;
    const struct group *entry = getgrnam(name);
    if (entry != NULL) {
        found->group = entry->gr_gid;
        return 0;
    }
    return parse_id(name, &found->group) ? 0 : owner_cannot(error, owner, "there is no such group");
}

/*
 * Looks up USER[:GROUP]. Without GROUP, a user's name selects the user's own group, and a user's
 * number leaves the group as it is.
 */
static int find_owner(const char *owner, struct local_permissions *found, struct error *error)
{
    char name[NAME_SIZE];
    size_t length = strcspn(owner, ":");
    if (length >= sizeof name)
        return owner_cannot(error, owner, "there is no such user");
    memcpy(name, owner, length);
    name[length] = '\0';
    if (find_user(owner, name, found, error) != 0)
        return -1;
    return owner[length] == '\0' ? 0 : find_group(owner, owner + length + 1, found, error);
}

static int find_permissions(const struct local_access *access, struct local_permissions *found,
                            struct error *error)
{
    *found = (struct local_permissions){access->mode != 0 ? access->mode : LOCAL_MODE_DEFAULT,
                                        (uid_t)-1, (gid_t)-1};
    return access->owner == NULL ? 0 : find_owner(access->owner, found, error);
}

/* --- sockets ---------------------------------------------------------------------------------- */

static int listener_cannot(struct error *error, const char *path, const char *why)
{
    error_set(error, EXIT_CODE_CANNOT_BIND, "cannot listen on unix:%s: %s", path, why);
    return -1;
}

int local_listener_check(const char *path, const struct local_access *access, struct error *error)
{
    struct error why;
    struct local_permissions ignored;
    if (local_name_is_abstract(path))
        return 0;
    if (find_permissions(access, &ignored, &why) != 0) {
        error_set(error, why.code, "unix:%s: %s", path, why.text);
        return -1;
    }
    if (local_bind_is_foreign(path))
        return listener_cannot(error, path, local_bind_not_a_socket);
    return output_check_beside(path, &why) == 0 ? 0 : listener_cannot(error, path, why.text);
}

static int open_at(struct local_listener *made, const char *path, const struct local_access *access,
                   struct error *why)
{
    if (local_name_is_abstract(path))
        return local_bind_open_abstract(&made->bound, path, BACKLOG, why);
    if (find_permissions(access, &made->permissions, why) != 0 ||
        local_bind_open(&made->bound, path, &made->permissions, BACKLOG, why) != 0)
        return -1;
    made->user = made->bound.made.st_uid;
    made->group = made->bound.made.st_gid;
    return 0;
}

int local_listener_open(struct local_listener **out, const char *path,
                        const struct local_access *access, struct error *error)
{
    struct error why, ignored;
    struct local_listener *made = calloc(1, sizeof *made);
    if (made == NULL)
        return error_no_memory(error);
    made->bound.fd = -1;
    if (open_at(made, path, access, &why) == 0) {
        *out = made;
        return 0;
    }
    local_listener_close(made, &ignored);
    return listener_cannot(error, path, why.text);
}

wait_handle local_listener_handle(const struct local_listener *listener)
{
    return listener->bound.fd;
}

static bool same_permissions(const struct local_permissions *a, const struct local_permissions *b)
{
    return a->mode == b->mode && a->user == b->user && a->group == b->group;
}

/*
 * If an owner was set and none is wanted any more, the file gets back the owner that it had when it
 * was made.
 */
static int permit(const struct local_listener *listener, struct local_permissions to)
{
    if (to.user == (uid_t)-1 && listener->permissions.user != (uid_t)-1)
        to.user = listener->user;
    if (to.group == (gid_t)-1 && listener->permissions.group != (gid_t)-1)
        to.group = listener->group;
    int file = local_bind_open_file(&listener->bound, (uid_t)-1);
    int result = file < 0 ? -1 : local_bind_permit(file, &to);
    int reason = errno;
    if (file >= 0)
        close(file);
    errno = reason;
    return result;
}

int local_listener_set_access(struct local_listener *listener, const struct local_access *access,
                              struct error *error)
{
    struct error why;
    struct local_permissions to;
    const char *path = listener->bound.address.sun_path;
    if (listener->bound.made.st_ino == 0) /* an abstract name */
        return 0;
    if (find_permissions(access, &to, &why) != 0) {
        error_set(error, why.code, "unix:%s: %s", path, why.text);
        return -1;
    }
    if (same_permissions(&to, &listener->permissions))
        return 0;
    if (permit(listener, to) == 0) {
        listener->permissions = to;
        return 0;
    }
    error_set(error, EXIT_CODE_CANNOT_BIND, "unix:%s: cannot change its mode or owner: %s", path,
              errno == ENOENT ? "the socket's file was removed or replaced" : strerror(errno));
    return -1;
}

int local_listener_close(struct local_listener *listener, struct error *error)
{
    int result = local_bind_close(&listener->bound);
    if (result != 0)
        error_set(error, EXIT_CODE_IO, "unix:%s: cannot remove the socket's file: %s",
                  listener->bound.address.sun_path, strerror(errno));
    free(listener);
    return result;
}

void local_listener_name(wait_handle socket, char *text)
{
    struct sockaddr_un name = {0};
    socklen_t size = sizeof name;
    size_t before = offsetof(struct sockaddr_un, sun_path);
    size_t length = 0;
    char path[LOCAL_NAME_MOST + 1] = "";
    if (getsockname((int)socket, (struct sockaddr *)&name, &size) == 0 && size > before)
        length = size - before;
    length = length > LOCAL_NAME_MOST ? LOCAL_NAME_MOST : length;
    memcpy(path, name.sun_path, length);
    if (length != 0 && path[0] == '\0')
        path[0] = '@';
    snprintf(text, LOCAL_NAME_TEXT_SIZE, "unix:%s", path);
}
