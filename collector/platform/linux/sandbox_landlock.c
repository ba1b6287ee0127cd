/*
 * Restricts the process with Landlock. The structures and bits are those of <linux/landlock.h> of
 * Linux 7.0. They are defined here because the system's headers may be older than its kernel. They
 * never change.
 */
#include "collector/platform/linux/sandbox_landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/platform/linux/sandbox_threads.h"
#include "collector/platform/posix/lending.h"

#define FILE_EXECUTE  (UINT64_C(1) << 0)
#define FILE_WRITE    (UINT64_C(1) << 1)
#define FILE_READ     (UINT64_C(1) << 2)
#define FOLDER_READ   (UINT64_C(1) << 3)
#define REMOVE_FOLDER (UINT64_C(1) << 4)
#define REMOVE_FILE   (UINT64_C(1) << 5)
#define MAKE_FOLDER   (UINT64_C(1) << 7)
#define MAKE_FILE     (UINT64_C(1) << 8)
#define MAKE_SOCKET   (UINT64_C(1) << 9)
#define ALL_OF_1      ((UINT64_C(1) << 13) - 1)
#define REFER         (UINT64_C(1) << 13) /* from version 2 */
#define TRUNCATE      (UINT64_C(1) << 14) /* from version 3 */
#define DEVICE_IOCTL  (UINT64_C(1) << 15) /* from version 5 */
#define OF_FILES      (FILE_EXECUTE | FILE_WRITE | FILE_READ | TRUNCATE | DEVICE_IOCTL)

#define PORT_BIND    (UINT64_C(1) << 0) /* both from version 4 */
#define PORT_CONNECT (UINT64_C(1) << 1)

#define SCOPE_ABSTRACT_SOCKETS (UINT64_C(1) << 0) /* both from version 6 */
#define SCOPE_SIGNALS          (UINT64_C(1) << 1)

#define CREATE_VERSION   1U
#define ALL_THREADS      (1U << 3) /* from version 8 */
#define ALL_THREADS_FROM 8
#define RULE_PATH        1
#define RULE_PORT        2

struct ruleset_attributes {
    uint64_t files, ports, scopes;
};

struct path_rule {
    uint64_t uses;
    int32_t fd;
} __attribute__((packed));

struct port_rule {
    uint64_t uses, port;
};

/*
 * Returns the rights that a ruleset of this version restricts. Rights for ports are among them only
 * if the plan limits the ports.
 */
static struct ruleset_attributes attributes_of(const struct sandbox_plan *plan, int version)
{
    struct ruleset_attributes all = {.files = ALL_OF_1};
    if (version >= 2)
        all.files |= REFER;
    if (version >= 3)
        all.files |= TRUNCATE;
    if (version >= 5)
        all.files |= DEVICE_IOCTL;
    if (version >= 4 && !plan->listen.any)
        all.ports |= PORT_BIND;
    if (version >= 4 && !plan->connect.any)
        all.ports |= PORT_CONNECT;
    if (version >= 6)
        all.scopes = SCOPE_ABSTRACT_SOCKETS | SCOPE_SIGNALS;
    return all;
}

static size_t attributes_size(int version)
{
    if (version >= 6)
        return sizeof(struct ruleset_attributes);
    return version >= 4 ? offsetof(struct ruleset_attributes, scopes)
                        : offsetof(struct ruleset_attributes, ports);
}

static uint64_t uses_of(unsigned uses)
{
    uint64_t bits = 0;
    if ((uses & SANDBOX_READ) != 0)
        bits |= FILE_READ | FOLDER_READ;
    if ((uses & SANDBOX_WRITE) != 0)
        bits |= FILE_READ | FOLDER_READ | FILE_WRITE | TRUNCATE | REMOVE_FILE | REMOVE_FOLDER |
                MAKE_FOLDER | MAKE_FILE | MAKE_SOCKET | REFER | DEVICE_IOCTL;
    if ((uses & SANDBOX_RUN) != 0)
        bits |= FILE_READ | FILE_EXECUTE;
    return bits;
}

/*
 * Adds a rule for an open file or folder. EBADFD is reported for a pipe or a socket, which Landlock
 * does not restrict.
 */
static int add_open(int ruleset, int fd, uint64_t uses, const struct ruleset_attributes *all)
{
    struct stat status;
    if (fstat(fd, &status) != 0)
        return -1;
    if (!S_ISDIR(status.st_mode))
        uses &= OF_FILES;
    const struct path_rule rule = {.uses = uses & all->files, .fd = fd};
    if (rule.uses == 0 || syscall(SYS_landlock_add_rule, ruleset, RULE_PATH, &rule, 0) == 0)
        return 0;
    return errno == EBADFD ? 0 : -1;
}

/* A path that no longer exists, or that cannot be reached, needs no rule. */
static int add_path(int ruleset, const struct sandbox_path *path,
                    const struct ruleset_attributes *all)
{
    int fd = lending_open(path->path, O_PATH | O_CLOEXEC, 0);
    if (fd < 0)
        return errno == ENOENT || errno == EACCES || errno == ENOTDIR ? 0 : -1;
    int result = add_open(ruleset, fd, uses_of(path->uses), all);
    int failure = errno;
    close(fd);
    errno = failure;
    return result;
}

/* Adds rules for the standard streams, because posix/stream.c opens them again by /proc/self/fd. */
static void add_streams(int ruleset, const struct ruleset_attributes *all)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        struct stat status;
        if (fstat(fd, &status) == 0 && !S_ISDIR(status.st_mode))
            add_open(ruleset, fd, OF_FILES & ~FILE_EXECUTE, all);
    }
}

static int add_ports(int ruleset, const struct sandbox_ports *ports, uint64_t use)
{
    for (size_t i = 0; !ports->any && i < ports->count; i++) {
        const struct port_rule rule = {.uses = use, .port = ports->list[i]};
        if (syscall(SYS_landlock_add_rule, ruleset, RULE_PORT, &rule, 0) != 0)
            return -1;
    }
    return 0;
}

static int add_rules(int ruleset, const struct sandbox_plan *plan,
                     const struct ruleset_attributes *all, const char **what)
{
    for (size_t i = 0; i < plan->count; i++) {
        *what = plan->paths[i].path;
        if (add_path(ruleset, &plan->paths[i], all) != 0)
            return -1;
    }
    *what = "the ports";
    add_streams(ruleset, all);
    if ((all->ports & PORT_BIND) != 0 && add_ports(ruleset, &plan->listen, PORT_BIND) != 0)
        return -1;
    if ((all->ports & PORT_CONNECT) != 0 && add_ports(ruleset, &plan->connect, PORT_CONNECT) != 0)
        return -1;
    return 0;
}

static int restrict_thread(void *context)
{
    const int *ruleset = context;
    return prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) != 0
               ? -1
               : (int)syscall(SYS_landlock_restrict_self, *ruleset, 0);
}

/*
 * Restricts all threads by one call, if the kernel supports that. Otherwise restricts the other
 * threads first, because after its own restriction this thread could not send them signals.
 */
static int restrict_all(int ruleset, int version, size_t *outside)
{
    *outside = 0;
    if (version >= ALL_THREADS_FROM &&
        syscall(SYS_landlock_restrict_self, ruleset, ALL_THREADS) == 0)
        return 0;
    *outside = sandbox_threads_run(restrict_thread, &ruleset);
    return restrict_thread(&ruleset);
}

int sandbox_landlock_version(void)
{
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, CREATE_VERSION);
    return version > 0 ? (int)version : 0;
}

static int create_ruleset(const struct ruleset_attributes *all, int version)
{
    const size_t size = attributes_size(version);
    unsigned times = 0;
    int ruleset = (int)syscall(SYS_landlock_create_ruleset, all, size, 0);
    while (ruleset < 0 && lending_begin(1, &times)) {
        ruleset = (int)syscall(SYS_landlock_create_ruleset, all, size, 0);
        lending_end(1);
    }
    return ruleset;
}

int sandbox_landlock_restrict(const struct sandbox_plan *plan, int version, size_t *outside,
                              struct error *error)
{
    const struct ruleset_attributes all = attributes_of(plan, version);
    const char *what = "a ruleset";
    int result = -1;
    int ruleset = create_ruleset(&all, version);
    if (ruleset >= 0)
        result = add_rules(ruleset, plan, &all, &what);
    if (result == 0) {
        what = "the threads";
        result = restrict_all(ruleset, version, outside);
    }
    if (result != 0)
        error_set(error, EXIT_CODE_INTERNAL, "landlock: %s: %s", what, strerror(errno));
    if (ruleset >= 0)
        close(ruleset);
    return result;
}
