/*
 * Implements tools/top/own_collectors.h on Linux with /proc. Finds this user's processes that are
 * named sluice, and the paths at which their sockets listen.
 */
#include "tools/top/own_collectors.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Only root can create a socket in /run/sluice, so its owner is not checked. */
const struct usual_address usual_service = {USUAL_SERVICE_ADDRESS, false};
const struct usual_address usual_last = {USUAL_EXAMPLE_ADDRESS, true};

#define NAME         "sluice\n"
#define PATH_SIZE    300
#define INODES_MOST  4096
#define LISTENS_FLAG 0x10000u /* the kernel's __SO_ACCEPTCON: the socket listens */
#define KIND_STREAM  1u

struct search {
    char (*addresses)[CONTROL_ADDRESS_SIZE];
    size_t count, most;
    uint64_t inodes[INODES_MOST]; /* the sockets of one process */
    size_t inode_count;
};

static bool is_collector(const char *process)
{
    char path[PATH_SIZE], name[sizeof NAME] = "";
    struct stat status;
    snprintf(path, sizeof path, "/proc/%s", process);
    if (stat(path, &status) != 0 || status.st_uid != geteuid())
        return false;
    snprintf(path, sizeof path, "/proc/%s/comm", process);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    bool is = fgets(name, sizeof name, file) != NULL && strcmp(name, NAME) == 0;
    fclose(file);
    return is;
}

static void find_sockets(struct search *search, const char *process)
{
    char path[PATH_SIZE], target[64];
    snprintf(path, sizeof path, "/proc/%s/fd", process);
    DIR *folder = opendir(path);
    search->inode_count = 0;
    for (const struct dirent *entry; folder != NULL && search->inode_count < INODES_MOST &&
                                     (entry = readdir(folder)) != NULL;) {
        ssize_t size = readlinkat(dirfd(folder), entry->d_name, target, sizeof target - 1);
        if (size <= 0)
            continue;
        target[size] = '\0';
        if (sscanf(target, "socket:[%" SCNu64 "]", &search->inodes[search->inode_count]) == 1)
            search->inode_count++;
    }
    if (folder != NULL)
        closedir(folder);
}

static bool has_socket(const struct search *search, uint64_t inode)
{
    for (size_t i = 0; i < search->inode_count; i++)
        if (search->inodes[i] == inode)
            return true;
    return false;
}

/* Adds the address of a socket. A relative path begins at the current folder of the process. */
static void add(struct search *search, const char *process, const char *socket)
{
    char *address = search->addresses[search->count];
    int size = socket[0] == '/' ? snprintf(address, CONTROL_ADDRESS_SIZE, "unix:%s", socket)
                                : snprintf(address, CONTROL_ADDRESS_SIZE, "unix:/proc/%s/cwd/%s",
                                           process, socket);
    if (size > 0 && size < CONTROL_ADDRESS_SIZE)
        search->count++;
}

/*
 * Reads a line of /proc/net/unix: address, references, protocol, flags, kind, state, inode, path.
 */
static void read_line(struct search *search, const char *process, const char *line)
{
    unsigned flags, kind;
    uint64_t inode;
    char path[PATH_SIZE];
    if (sscanf(line, "%*s %*x %*x %x %x %*x %" SCNu64 " %299[^\n]", &flags, &kind, &inode, path) ==
            4 &&
        (flags & LISTENS_FLAG) != 0 && kind == KIND_STREAM && path[0] != '@' &&
        has_socket(search, inode))
        add(search, process, path);
}

static void find_addresses(struct search *search, const char *process)
{
    char path[PATH_SIZE], line[1024];
    find_sockets(search, process);
    snprintf(path, sizeof path, "/proc/%s/net/unix", process);
    FILE *file = search->inode_count != 0 ? fopen(path, "re") : NULL;
    while (file != NULL && search->count < search->most && fgets(line, sizeof line, file) != NULL)
        read_line(search, process, line);
    if (file != NULL)
        fclose(file);
}

size_t own_collectors_find(char addresses[][CONTROL_ADDRESS_SIZE], size_t most)
{
    struct search *search = malloc(sizeof *search);
    DIR *processes = search != NULL ? opendir("/proc") : NULL;
    size_t count = 0;
    if (processes != NULL) {
        *search = (struct search){.addresses = addresses, .most = most};
        for (const struct dirent *entry;
             search->count < most && (entry = readdir(processes)) != NULL;)
            if (strspn(entry->d_name, "0123456789") == strlen(entry->d_name) &&
                is_collector(entry->d_name))
                find_addresses(search, entry->d_name);
        count = search->count;
        closedir(processes);
    }
    free(search);
    return count;
}
