/*
 * Simulates an attack in which a datagram takes over the receiving thread. The library is loaded
 * before the C library (LD_PRELOAD). After the first datagram it tries what an intruder would try.
 * For each attempt it writes a line to INTRUDER_LOG: the attempt's name, a tab, and "done" or the
 * error.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/sched.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int lines = -1;
static const char *secret, *target;
static int port;
static pid_t victim;

__attribute__((constructor)) static void prepare(void)
{
    lines = open(getenv("INTRUDER_LOG"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    secret = getenv("INTRUDER_SECRET");
    target = getenv("INTRUDER_TARGET");
    port = atoi(getenv("INTRUDER_PORT"));
    victim = (pid_t)atoi(getenv("INTRUDER_VICTIM"));
}

/* Closes the descriptor of an attempt. Returns true if the attempt has opened one. */
static bool opened(int fd)
{
    if (fd < 0)
        return false;
    close(fd);
    return true;
}

static bool read_a_file(void)
{
    return opened(open(secret, O_RDONLY));
}

static bool write_a_file(void)
{
    return opened(open(target, O_WRONLY | O_CREAT, 0600));
}

static bool write_own_memory(void)
{
    return opened(open("/proc/self/mem", O_RDWR));
}

static bool connect_elsewhere(void)
{
    const struct sockaddr_in to = {.sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)port),
                                   .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    bool connected = fd >= 0 && connect(fd, (const struct sockaddr *)&to, sizeof to) == 0;
    int why = errno;
    close(fd);
    errno = why;
    return connected;
}

static bool listen_elsewhere(void)
{
    const struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    bool bound = fd >= 0 && bind(fd, (const struct sockaddr *)&at, sizeof at) == 0;
    int why = errno;
    close(fd);
    errno = why;
    return bound;
}

static bool raw_socket(void)
{
    return opened(socket(AF_INET, SOCK_RAW, IPPROTO_UDP));
}

static bool packet_socket(void)
{
    return opened(socket(AF_PACKET, SOCK_DGRAM, 0));
}

static bool ended_well(pid_t child)
{
    int status = 1;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static bool new_process(void)
{
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    return ended_well(child);
}

/* Runs a program in a new process, or in this one if fork fails. */
static bool run_a_program(void)
{
    char program[] = "/bin/true";
    char *const arguments[] = {program, NULL};
    char *const none[] = {NULL};
    pid_t child = fork();
    if (child > 0)
        return ended_well(child);
    execve(program, arguments, none);
    if (child == 0)
        _exit(1);
    return false;
}

static bool user_namespace(void)
{
    long child = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
    if (child == 0)
        _exit(0);
    return ended_well((pid_t)child);
}

static bool trace_a_process(void)
{
    if (ptrace(PTRACE_SEIZE, victim, 0, 0) != 0)
        return false;
    /* The end of this thread detaches the process. PTRACE_DETACH would require it to be stopped. */
    return true;
}

static bool read_a_process(void)
{
    char byte;
    const struct {
        void *base;
        size_t size;
    } here = {&byte, 1}, there = {&lines, 1};
    return syscall(SYS_process_vm_readv, getpid(), &here, 1, &there, 1, 0) == 1;
}

static bool signal_a_process(void)
{
    return kill(victim, SIGCONT) == 0;
}

static bool io_uring(void)
{
    struct io_uring_params parameters = {0};
    return opened((int)syscall(SYS_io_uring_setup, 2, &parameters));
}

static bool file_in_memory(void)
{
    return opened((int)syscall(SYS_memfd_create, "program", 0));
}

static bool writable_code(void)
{
    void *made =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED)
        return false;
    munmap(made, 4096);
    return true;
}

static bool data_to_code(void)
{
    void *made = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    bool changed = made != MAP_FAILED && mprotect(made, 4096, PROT_READ | PROT_EXEC) == 0;
    int why = errno;
    munmap(made, 4096);
    errno = why;
    return changed;
}

static bool change_root(void)
{
    return syscall(SYS_chroot, "/") == 0;
}

static const struct {
    const char *name;
    bool (*run)(void);
} attempts[] = {
    {"read another file", read_a_file},
    {"create a file elsewhere", write_a_file},
    {"write to /proc/self/mem", write_own_memory},
    {"connect to another port", connect_elsewhere},
    {"listen on another TCP port", listen_elsewhere},
    {"a raw socket", raw_socket},
    {"a packet socket", packet_socket},
    {"a new process", new_process},
    {"run a program", run_a_program},
    {"a user namespace", user_namespace},
    {"signal another process", signal_a_process},
    {"trace another process", trace_a_process},
    {"process_vm_readv", read_a_process},
    {"io_uring_setup", io_uring},
    {"memfd_create", file_in_memory},
    {"writable and executable memory", writable_code},
    {"make data executable", data_to_code},
    {"chroot", change_root},
};

static void intrude(void)
{
    for (size_t i = 0; i < sizeof attempts / sizeof attempts[0]; i++) {
        char line[128];
        errno = 0;
        bool done = attempts[i].run();
        int size = snprintf(line, sizeof line, "%s\t%s\n", attempts[i].name,
                            done ? "done" : strerrorname_np(errno));
        if (write(lines, line, (size_t)size) != size)
            abort();
    }
}

/* The program receives datagrams through this function. */
long syscall(long number, ...)
{
    static long (*real)(long, ...);
    static atomic_bool begun;
    long a[6];
    va_list list;
    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "syscall");
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(list, long);
    va_end(list);
    long result = real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    int why = errno;
    if (number == SYS_recvmmsg && result > 0 && !atomic_exchange(&begun, true))
        intrude();
    errno = why;
    return result;
}
