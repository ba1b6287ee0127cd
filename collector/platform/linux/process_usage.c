/* Implements process_usage_read() with proc(5). */
#include "collector/platform/process.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "collector/platform/posix/lending.h"

static bool read_text(const char *path, char *text, size_t size)
{
    int fd = lending_open(path, O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0)
        return false;
    ssize_t length = read(fd, text, size - 1);
    close(fd);
    text[length > 0 ? length : 0] = '\0';
    return length > 0;
}

static double seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/*
 * Fields of /proc/self/stat (proc(5)): 14 and 15 (processor time), 22 (start, since boot), 23 and
 * 24 (memory). The name in field 2 may contain blanks and brackets, so fields are counted after its
 * last bracket.
 */
static bool read_stat(struct process_usage *usage)
{
    char text[1024];
    unsigned long user, kernel, virtual_bytes;
    unsigned long long started;
    long resident;
    if (!read_text("/proc/self/stat", text, sizeof text))
        return false;
    const char *rest = strrchr(text, ')');
    if (rest == NULL || sscanf(rest + 1,
                               " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %*d %*d %*d "
                               "%*d %*d %*d %llu %lu %ld",
                               &user, &kernel, &started, &virtual_bytes, &resident) != 5)
        return false;
    double ticks = (double)sysconf(_SC_CLK_TCK);
    usage->processor_seconds = (double)(user + kernel) / ticks;
    usage->started_seconds =
        seconds_of(CLOCK_REALTIME) - seconds_of(CLOCK_BOOTTIME) + (double)started / ticks;
    usage->virtual_bytes = virtual_bytes;
    usage->resident_bytes = (uint64_t)resident * (uint64_t)sysconf(_SC_PAGESIZE);
    return true;
}

/* Counts the open descriptors, without that of the folder that it opens. */
static bool count_files(uint64_t *count)
{
    DIR *folder = lending_opendir("/proc/self/fd");
    if (folder == NULL)
        return false;
    *count = 0;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
        *count += entry->d_name[0] != '.';
    *count -= *count != 0;
    closedir(folder);
    return true;
}

static uint64_t limit_of(int resource)
{
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return USAGE_UNLIMITED;
    return limit.rlim_cur;
}

bool process_usage_read(struct process_usage *usage)
{
    usage->virtual_bytes_most = limit_of(RLIMIT_AS);
    usage->open_files_most = limit_of(RLIMIT_NOFILE);
    return read_stat(usage) && count_files(&usage->open_files);
}
