/*
 * Implements the user functions of collector/platform/process.h with setresuid(2) and similar
 * calls, and checks the result of each call.
 *
 * All capabilities are cleared explicitly: root loses them with its user id only if no secure bit
 * prevents it, and another user keeps ambient capabilities (capabilities(7)).
 */
#include "collector/platform/process.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/platform/posix/guarded_open.h"
#include "collector/platform/posix/lending.h"
#include "collector/platform/posix/retry.h"

#define NAME_MAX_SIZE 256 /* LOGIN_NAME_MAX, and more than the name of any group */

struct target {
    char name[NAME_MAX_SIZE];
    uid_t user;
    gid_t group;
    bool group_was_named;
};

static int user_cannot(struct error *error, const char *user, const char *why)
{
    error_set(error, EXIT_CODE_CONFIG, "--user %s: %s", user, why);
    return -1;
}

static int user_failed(struct error *error, const char *user, const char *call)
{
    error_set(error, EXIT_CODE_CONFIG, "--user %s: %s: %s", user, call, strerror(errno));
    return -1;
}

/* --- names ------------------------------------------------------------------------------------ */

/* getpwnam(3) and getgrnam(3) use static buffers; there is only one thread yet. */
static int find_user(const char *user, struct target *target, struct error *error)
{
    errno = 0;
    const struct passwd *entry = getpwnam(target->name);
    if (entry == NULL)
        return errno == 0 || errno == ENOENT
                   ? user_cannot(error, user, "there is no such user")
                   : user_failed(error, user, "the user cannot be looked up");
    target->user = entry->pw_uid;
    target->group = entry->pw_gid;
    target->group_was_named = false;
    return target->user != 0 ? 0
                             : user_cannot(error, user, "root cannot give up its rights to root");
}

static int find_group(const char *user, const char *name, struct target *target,
                      struct error *error)
{
    errno = 0;
    const struct group *entry = getgrnam(name);
    if (entry == NULL)
        return errno == 0 || errno == ENOENT
                   ? user_cannot(error, user, "there is no such group")
                   : user_failed(error, user, "the group cannot be looked up");
    target->group = entry->gr_gid;
    target->group_was_named = true;
    return 0;
}

static int user_find_target(const char *user, struct target *target, struct error *error)
{
    size_t length = strcspn(user, ":");
    if (length >= sizeof target->name)
        return user_cannot(error, user, "there is no such user");
    memcpy(target->name, user, length);
    target->name[length] = '\0';
    if (find_user(user, target, error) != 0)
        return -1;
    return user[length] == '\0' ? 0 : find_group(user, user + length + 1, target, error);
}

/* --- the present user ------------------------------------------------------------------------- */

/*
 * Checks the real, effective and saved user id, so that the process cannot return to another one.
 */
static bool has_user(const struct target *target)
{
    uid_t real, effective, saved;
    return getresuid(&real, &effective, &saved) == 0 && real == target->user &&
           effective == target->user && saved == target->user;
}

static bool has_group(const struct target *target)
{
    gid_t real, effective, saved;
    return getresgid(&real, &effective, &saved) == 0 && real == target->group &&
           effective == target->group && saved == target->group;
}

/*
 * Returns true if the process already runs as this user. Its groups matter only if --user names a
 * group; otherwise the program that started this process has chosen them.
 */
static bool is_already(const struct target *target)
{
    return has_user(target) && (!target->group_was_named || has_group(target));
}

static int user_check_target(const char *user, const struct target *target, struct error *error)
{
    if (is_already(target) || geteuid() == 0)
        return 0;
    error_set(error, EXIT_CODE_CONFIG,
              "--user %s: only root can become another user, and this process runs as user %lu and "
              "group %lu",
              user, (unsigned long)geteuid(), (unsigned long)getegid());
    return -1;
}

int user_check(const char *user, struct error *error)
{
    struct target target;
    return user_find_target(user, &target, error) == 0 ? user_check_target(user, &target, error)
                                                       : -1;
}

/* --- becoming another ------------------------------------------------------------------------- */

/* Changes the groups first: only root can change them. */
static int change(const char *user, const struct target *target, struct error *error)
{
    if (initgroups(target->name, target->group) != 0)
        return user_failed(error, user, "cannot take the user's groups");
    if (setresgid(target->group, target->group, target->group) != 0)
        return user_failed(error, user, "cannot take the group");
    if (setresuid(target->user, target->user, target->user) != 0)
        return user_failed(error, user, "cannot become the user");
    if (!has_user(target) || !has_group(target))
        return user_cannot(error, user, "root's rights are not given up");
    return 0;
}

static int clear_capabilities(const char *user, struct error *error)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};
    if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0L, 0L, 0L) != 0 && errno != EINVAL)
        return user_failed(error, user,
                           "cannot give up ambient capabilities"); /* EINVAL: an old kernel */
    if (syscall(SYS_capset, &header, none) != 0)
        return user_failed(error, user, "cannot give up capabilities");
    return 0;
}

static bool can_be_regained(void)
{
    return setresuid((uid_t)-1, 0, (uid_t)-1) == 0 || setuid(0) == 0;
}

void user_expect(void)
{
    guarded_open_set(geteuid() == 0);
}

int user_become(const char *user, struct error *error)
{
    struct target target;
    if (user_find_target(user, &target, error) != 0 || user_check_target(user, &target, error) != 0)
        return -1;
    if (!is_already(&target) && change(user, &target, error) != 0)
        return -1;
    if (clear_capabilities(user, error) != 0)
        return -1;
    if (can_be_regained())
        return user_cannot(error, user, "root's rights are not given up for good");
    guarded_open_set(false);
    /*
     * The change of the user has set the process's dumpable flag as fs.suid_dumpable says, by
     * default to off. It stays off, because the memory contains keys and passwords that root has
     * read, and this user must not trace the process.
     */
    return 0;
}

int user_give(const char *user, int file, struct error *error)
{
    struct target target;
    if (user_find_target(user, &target, error) != 0 || user_check_target(user, &target, error) != 0)
        return -1;
    if (!is_already(&target) &&
        fchownat(file, "", target.user, target.group, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW) != 0)
        return user_failed(error, user, "the socket of --control cannot be given to the user");
    return 0;
}

/* --- checks in the name of another user ------------------------------------------------------- */

/*
 * The result of a check in another process. Shorter than PIPE_BUF, so that one write sends it
 * whole.
 */
struct answer {
    int result;
    struct error error;
};

static struct answer answer_as(const char *user,
                               int (*question)(const void *context, struct error *error),
                               const void *context)
{
    struct answer answer = {.result = -1};
    if (user_become(user, &answer.error) == 0)
        answer.result = question(context, &answer.error);
    return answer;
}

static bool read_answer(int from, struct answer *answer)
{
    size_t got = 0;
    unsigned times = 0;
    while (got < sizeof *answer) {
        ssize_t more = read(from, (char *)answer + got, sizeof *answer - got);
        if (more == 0 || (more < 0 && !retry_interrupted(&times)))
            return false;
        got += more > 0 ? (size_t)more : 0;
    }
    return true;
}

static void await_end(pid_t child)
{
    unsigned times = 0;
    while (waitpid(child, NULL, 0) < 0 && retry_interrupted(&times))
        continue;
}

int user_ask(const char *user, int (*question)(const void *context, struct error *error),
             const void *context, struct error *error)
{
    int ends[2];
    struct answer answer = {0};
    if (lending_pipe2(ends, O_CLOEXEC) != 0) {
        error_set(error, EXIT_CODE_INTERNAL, "--user %s: pipe: %s", user, strerror(errno));
        return -1;
    }
    pid_t child = fork();
    if (child == 0) {
        answer = answer_as(user, question, context);
        _exit(write(ends[1], &answer, sizeof answer) == (ssize_t)sizeof answer ? 0 : 1);
    }
    close(ends[1]);
    bool answered = child > 0 && read_answer(ends[0], &answer);
    close(ends[0]);
    if (child > 0)
        await_end(child);
    if (!answered) {
        error_set(error, EXIT_CODE_INTERNAL, "--user %s: the process of this user did not answer",
                  user);
        return -1;
    }
    if (answer.result != 0)
        *error = answer.error;
    return answer.result;
}
