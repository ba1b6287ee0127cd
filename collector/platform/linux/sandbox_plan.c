/*
 * Implements struct sandbox_plan: resolves paths with realpath(3), and adds the files that Linux's
 * libraries read.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/platform/file_system.h"
#include "collector/platform/sandbox.h"

#if defined(__aarch64__)
#define LOADER "/lib/ld-linux-aarch64.so.1"
#else
#define LOADER "/lib64/ld-linux-x86-64.so.2"
#endif

/* --- paths ------------------------------------------------------------------------------------ */

/*
 * Writes the resolved path or, if it does not exist, that of the nearest folder above it. Returns
 * false with errno if memory is short (ENOMEM), or if the path is too long (ENAMETOOLONG).
 */
static bool resolve(const char *path, char resolved[PATH_MAX])
{
    char part[PATH_MAX];
    size_t length = strlen(path);
    errno = ENAMETOOLONG;
    if (length >= sizeof part)
        return false;
    memcpy(part, path, length + 1);
    while (realpath(part[0] == '\0' ? "." : part, resolved) == NULL) {
        if (errno == ENOMEM)
            return false;
        char *slash = strrchr(part, '/');
        if (strcmp(part, "/") == 0 || part[0] == '\0')
            return false;
        if (slash == NULL)
            part[0] = '\0';
        else
            slash[slash == part] = '\0';
    }
    return true;
}

static bool is_within(const char *path, const char *folder)
{
    size_t length = strlen(folder);
    if (length == 1) /* the root */
        return true;
    return strncmp(path, folder, length) == 0 && (path[length] == '\0' || path[length] == '/');
}

static bool grow(struct sandbox_plan *plan)
{
    size_t capacity = plan->capacity == 0 ? 32 : plan->capacity * 2;
    struct sandbox_path *paths = realloc(plan->paths, capacity * sizeof *paths);
    if (paths == NULL)
        return false;
    plan->paths = paths;
    plan->capacity = capacity;
    return true;
}

bool sandbox_plan_add(struct sandbox_plan *plan, const char *path, unsigned uses)
{
    char resolved[PATH_MAX];
    if (!resolve(path, resolved))
        return errno != ENOMEM;
    for (size_t i = 0; i < plan->count; i++)
        if (strcmp(plan->paths[i].path, resolved) == 0) {
            plan->paths[i].uses |= uses;
            return true;
        }
    if (plan->count == plan->capacity && !grow(plan))
        return false;
    char *copy = strdup(resolved);
    if (copy == NULL)
        return false;
    plan->paths[plan->count++] = (struct sandbox_path){copy, uses};
    return true;
}

static bool add_folder(struct sandbox_plan *plan, const char *path, unsigned uses)
{
    char folder[PATH_MAX];
    return !file_path_copy_folder(path, folder, sizeof folder) ||
           sandbox_plan_add(plan, folder, uses);
}

/*
 * Adds the folder of a file, and the folder that a symbolic link leads to. A rule for the file
 * itself would keep the file: its space on the disk would not be freed after it was deleted.
 */
static bool add_file(struct sandbox_plan *plan, const char *path, unsigned uses)
{
    char resolved[PATH_MAX];
    if (realpath(path, resolved) != NULL && !add_folder(plan, resolved, uses))
        return false;
    return add_folder(plan, path, uses);
}

bool sandbox_plan_add_input(struct sandbox_plan *plan, const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0) /* the later open fails with a better error */
        return true;
    if (S_ISDIR(status.st_mode) && !sandbox_plan_add(plan, path, SANDBOX_READ))
        return false;
    return add_file(plan, path, SANDBOX_READ);
}

bool sandbox_plan_add_output(struct sandbox_plan *plan, const char *path)
{
    struct stat status;
    bool is_special = stat(path, &status) == 0 && !S_ISREG(status.st_mode) &&
                      !S_ISDIR(status.st_mode) && !S_ISSOCK(status.st_mode);
    return is_special ? sandbox_plan_add(plan, path, SANDBOX_WRITE)
                      : add_file(plan, path, SANDBOX_WRITE);
}

static bool has_path(const struct sandbox_plan *plan, const char *path, unsigned uses)
{
    unsigned found = 0;
    for (size_t i = 0; i < plan->count; i++)
        if (is_within(path, plan->paths[i].path))
            found |= plan->paths[i].uses;
    if ((found & SANDBOX_WRITE) != 0)
        found |= SANDBOX_READ;
    return (found & uses) == uses;
}

static bool has_port(const struct sandbox_ports *ports, uint16_t port)
{
    for (size_t i = 0; i < ports->count; i++)
        if (ports->list[i] == port)
            return true;
    return ports->any;
}

static bool covers_ports(const struct sandbox_ports *ports, const struct sandbox_ports *wanted,
                         const char *kind, char *missing)
{
    snprintf(missing, SANDBOX_MISSING_SIZE, "any TCP port to %s", kind);
    if (wanted->any)
        return ports->any;
    for (size_t i = 0; i < wanted->count; i++)
        if (!has_port(ports, wanted->list[i])) {
            snprintf(missing, SANDBOX_MISSING_SIZE, "TCP port %u to %s", wanted->list[i], kind);
            return false;
        }
    return true;
}

bool sandbox_plan_covers(const struct sandbox_plan *plan, const struct sandbox_plan *wanted,
                         char missing[SANDBOX_MISSING_SIZE])
{
    snprintf(missing, SANDBOX_MISSING_SIZE, "connections");
    if (wanted->connects && !plan->connects)
        return false;
    snprintf(missing, SANDBOX_MISSING_SIZE, "raw sockets");
    if (wanted->raw_sockets && !plan->raw_sockets)
        return false;
    snprintf(missing, SANDBOX_MISSING_SIZE, "other programs");
    if (wanted->runs_programs && !plan->runs_programs)
        return false;
    for (size_t i = 0; i < wanted->count; i++)
        if (!has_path(plan, wanted->paths[i].path, wanted->paths[i].uses)) {
            snprintf(missing, SANDBOX_MISSING_SIZE, "%s", wanted->paths[i].path);
            return false;
        }
    return covers_ports(&plan->listen, &wanted->listen, "listen", missing) &&
           covers_ports(&plan->connect, &wanted->connect, "connect", missing);
}

void sandbox_plan_free(struct sandbox_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++)
        free(plan->paths[i].path);
    free(plan->paths);
    *plan = (struct sandbox_plan){0};
}

/* --- programs --------------------------------------------------------------------------------- */

static bool find_program(const char *name, char found[PATH_MAX])
{
    const char *folders = getenv("PATH");
    for (const char *at = folders != NULL ? folders : "/bin:/usr/bin"; *at != '\0';) {
        size_t length = strcspn(at, ":");
        if (length + strlen(name) + 2 < PATH_MAX) {
            memcpy(found, at, length);
            found[length] = '/';
            strcpy(found + length + 1, name);
            if (access(found, X_OK) == 0)
                return true;
        }
        at += length + (at[length] == ':');
    }
    return false;
}

/* Adds the folder ../include next to the program's folder, which protoc reads. */
static bool add_included(struct sandbox_plan *plan, const char *program)
{
    char path[PATH_MAX];
    const char *slash = strrchr(program, '/');
    size_t length = slash == NULL ? 0 : (size_t)(slash - program);
    int size = snprintf(path, sizeof path, "%.*s/../include", (int)length, program);
    return size < 0 || (size_t)size >= sizeof path || access(path, F_OK) != 0 ||
           sandbox_plan_add(plan, path, SANDBOX_READ);
}

bool sandbox_plan_add_program(struct sandbox_plan *plan, const char *name)
{
    char found[PATH_MAX];
    if (!find_program(name, found))
        return true;
    plan->runs_programs = true;
    return add_included(plan, found) && sandbox_plan_add(plan, found, SANDBOX_READ | SANDBOX_RUN) &&
           sandbox_plan_add(plan, LOADER, SANDBOX_READ | SANDBOX_RUN);
}

/* --- the system ------------------------------------------------------------------------------- */

/*
 * Files that every process reads: libraries that are loaded later, data of the C library, and files
 * of the kernel.
 */
static const char *const read_by_all[] = {"/usr/lib",
                                          "/usr/lib32",
                                          "/usr/lib64",
                                          "/usr/libexec",
                                          "/usr/local/lib",
                                          "/usr/share",
                                          "/lib",
                                          "/lib64",
                                          "/etc/ld.so.cache",
                                          "/etc/localtime",
                                          "/etc/passwd",
                                          "/etc/group",
                                          "/etc/nsswitch.conf",
                                          "/proc/self",
                                          "/proc/sys",
                                          "/proc/meminfo",
                                          "/proc/cpuinfo",
                                          "/proc/stat",
                                          "/proc/uptime",
                                          "/proc/loadavg",
                                          "/sys/devices/system",
                                          "/sys/fs/cgroup",
                                          "/dev/urandom",
                                          "/dev/random",
                                          "/dev/zero",
                                          "/proc/version",
                                          "/proc/net",
                                          NULL};

/*
 * For name lookups and TLS. All of /etc is permitted, because a file such as resolv.conf is
 * replaced by a new one while the program runs, and a rule for the old file would not permit the
 * new one.
 */
static const char *const read_to_connect[] = {
    "/etc",      "/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager",
    "/run/nscd", "/var/run/nscd",        "/var/lib/sss",    "/var/lib/ca-certificates",
    NULL};

static bool add_existing(struct sandbox_plan *plan, const char *const *paths, unsigned uses)
{
    for (; *paths != NULL; paths++)
        if (access(*paths, F_OK) == 0 && !sandbox_plan_add(plan, *paths, uses))
            return false;
    return true;
}

bool sandbox_plan_add_system(struct sandbox_plan *plan)
{
    static const char *const written[] = {"/dev/null", NULL};
    return add_existing(plan, read_by_all, SANDBOX_READ) &&
           add_existing(plan, written, SANDBOX_WRITE) &&
           (!plan->connects || add_existing(plan, read_to_connect, SANDBOX_READ));
}
