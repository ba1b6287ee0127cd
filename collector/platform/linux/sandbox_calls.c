/*
 * The table of permitted system calls. It was made from the calls of this program and of its
 * libraries (glibc, musl, libcurl, librdkafka, nats.c, OpenSSL) under strace(1) and in all tests.
 * It does not contain calls that only old C libraries make. A call that is not in the table fails
 * with EPERM (sandbox_filter.c).
 */
#include "collector/platform/linux/sandbox_calls.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <linux/netlink.h>
#include <linux/sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <termios.h>

#define ALL  0xffffffffU
#define TYPE 0xfU /* mask of the type: SOCK_CLOEXEC and SOCK_NONBLOCK are above these bits */
#define EXACT(argument, value)                                                                     \
    {                                                                                              \
        argument, ALL, (uint32_t)(value)                                                           \
    }
#define CLEAR(argument, bits)                                                                      \
    {                                                                                              \
        argument, (uint32_t)(bits), 0                                                              \
    }
#define SET(argument, bits)                                                                        \
    {                                                                                              \
        argument, (uint32_t)(bits), (uint32_t)(bits)                                               \
    }

/* Flags of clone(2) that are refused: for new namespaces, and for a traced process. */
#define CLONE_APART                                                                                \
    (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID |  \
     CLONE_NEWNET | CLONE_PTRACE)

const struct sandbox_call sandbox_calls[] = {
    /* --- receiving and writing: each of these is made for every few records --- */
    {SYS_recvmmsg, "receive datagrams", 0, {{0}}},
    {SYS_futex, "locks, and threads that wait for each other", 0, {{0}}},
    {SYS_write, "write records and the log, wake threads", 0, {{0}}},
    {SYS_read, "read streams, captures, signals and configurations", 0, {{0}}},
#ifdef SYS_epoll_wait
    {SYS_epoll_wait, "wait for datagrams", 0, {{0}}},
    {SYS_poll, "wait for sinks", 0, {{0}}},
#endif
    {SYS_epoll_pwait, "wait for datagrams", 0, {{0}}},
    {SYS_epoll_pwait2, "wait for datagrams", 0, {{0}}},
    {SYS_ppoll, "wait for sinks", 0, {{0}}},
    {SYS_clock_nanosleep, "pause between drains", 0, {{0}}},
    {SYS_recvmsg, "receive datagrams", 0, {{0}}},
    {SYS_recvfrom, "read streams and connections", 0, {{0}}},
    {SYS_sendto, "answer clients, report to systemd, relay", 0, {{0}}},
    {SYS_sendmsg, "answer clients, send requests", 0, {{0}}},
    {SYS_sendmmsg, "relay datagrams, look up names", 0, {{0}}},
    {SYS_writev, "write records in several parts", 0, {{0}}},
    {SYS_pwritev, "write blocks of a spill", 0, {{0}}},
    {SYS_pwrite64, "repair the end of files", 0, {{0}}},
    {SYS_readv, "read streams", 0, {{0}}},
    {SYS_pread64, "read files and spills", 0, {{0}}},
    {SYS_getsockopt, "count what the kernel dropped", 0, {{0}}},
    {SYS_setsockopt, "set buffers and filters", 0, {{0}}},
    {SYS_clock_gettime, "where the vDSO has no clock", 0, {{0}}},
    {SYS_gettimeofday, "where the vDSO has no clock", 0, {{0}}},
    {SYS_getrandom, "keys of hashes, TLS", 0, {{0}}},
    {SYS_getcpu, "choose a memory arena", 0, {{0}}},

    /* --- files: rotation, spill, reload; Landlock decides which --- */
    {SYS_openat, "open files", 0, {{0}}},
    {SYS_close, "close files and connections", 0, {{0}}},
    {SYS_fstat, "recognise files", 0, {{0}}},
    {SYS_newfstatat, "recognise files", 0, {{0}}},
    {SYS_statx, "recognise files", 0, {{0}}},
    {SYS_lseek, "find the end of a file", 0, {{0}}},
    {SYS_getdents64, "list folders of files, spills and schemas", 0, {{0}}},
    {SYS_readlinkat, "resolve links", 0, {{0}}},
    {SYS_faccessat, "check before a reload", 0, {{0}}},
    {SYS_faccessat2, "check before a reload", 0, {{0}}},
    {SYS_getcwd, "make paths absolute", 0, {{0}}},
    {SYS_statfs, "free space on disks", 0, {{0}}},
    {SYS_fstatfs, "free space on disks", 0, {{0}}},
    {SYS_ftruncate, "cut torn ends off", 0, {{0}}},
    {SYS_fallocate, "free what a spill has sent", 0, {{0}}},
    {SYS_fsync, "fsync=", 0, {{0}}},
    {SYS_fdatasync, "fsync=", 0, {{0}}},
    {SYS_fadvise64, "read captures in order", 0, {{0}}},
    {SYS_flock, "one process for each file", 0, {{0}}},
    {SYS_fcntl, "flags and locks of files", 0, {{0}}},
    {SYS_renameat, "complete a file", 0, {{0}}},
    {SYS_renameat2, "complete a file", 0, {{0}}},
    {SYS_linkat, "complete a file where renameat2 fails", 0, {{0}}},
    {SYS_unlinkat, "keep=, spills, sockets", 0, {{0}}},
    {SYS_mkdirat, "folders of paths with fields", 0, {{0}}},
    {SYS_fchmod, "mode=", 0, {{0}}},
    {SYS_fchmodat, "mode= of sockets", 0, {{0}}},
    {SYS_fchown, "owner=", 0, {{0}}},
    {SYS_fchownat, "owner=", 0, {{0}}},
    {SYS_umask, "mode=", 0, {{0}}},
#ifdef SYS_open
    {SYS_open, "open files", 0, {{0}}},
    {SYS_stat, "recognise files", 0, {{0}}},
    {SYS_lstat, "recognise files", 0, {{0}}},
    {SYS_access, "check before a reload, load libraries", 0, {{0}}},
    {SYS_readlink, "resolve links", 0, {{0}}},
    {SYS_rename, "complete a file", 0, {{0}}},
    {SYS_link, "complete a file where renameat2 fails", 0, {{0}}},
    {SYS_unlink, "keep=, spills, sockets", 0, {{0}}},
    {SYS_mkdir, "folders of paths with fields", 0, {{0}}},
    {SYS_chmod, "mode=", 0, {{0}}},
#endif
    {SYS_ioctl, "unread bytes of pipes and sockets", 0, {EXACT(1, FIONREAD)}},
    {SYS_ioctl, "do not block", 0, {EXACT(1, FIONBIO)}},
    {SYS_ioctl, "recognise a terminal", 0, {EXACT(1, TCGETS)}},
    {SYS_ioctl, "see whether the terminal is there", 0, {EXACT(1, TIOCGSID)}},
    {SYS_ioctl, "width of a terminal", 0, {EXACT(1, TIOCGWINSZ)}},
    {SYS_ioctl, "names of interfaces", 0, {EXACT(1, 0x8910)}},   /* SIOCGIFNAME */
    {SYS_ioctl, "numbers of interfaces", 0, {EXACT(1, 0x8933)}}, /* SIOCGIFINDEX */

    /* --- sockets: listeners of a reload, clients; raw ones only for keep_source= --- */
    {SYS_socket, "listen, relay, report to systemd", 0, {EXACT(0, AF_INET), {1, TYPE, SOCK_DGRAM}}},
    {SYS_socket, "listen, relay", 0, {EXACT(0, AF_INET6), {1, TYPE, SOCK_DGRAM}}},
    {SYS_socket, "listen, deliver", 0, {EXACT(0, AF_INET), {1, TYPE, SOCK_STREAM}}},
    {SYS_socket, "listen, deliver", 0, {EXACT(0, AF_INET6), {1, TYPE, SOCK_STREAM}}},
    {SYS_socket, "listen, report to systemd", 0, {EXACT(0, AF_UNIX)}},
    {SYS_socket, "addresses of interfaces", 0, {EXACT(0, AF_NETLINK), EXACT(2, NETLINK_ROUTE)}},
    {SYS_socket, "keep_source=", SANDBOX_RAW, {EXACT(0, AF_INET), {1, TYPE, SOCK_RAW}}},
    {SYS_socket, "keep_source=", SANDBOX_RAW, {EXACT(0, AF_INET6), {1, TYPE, SOCK_RAW}}},
    {SYS_bind, "listen", 0, {{0}}},
    {SYS_listen, "listen", 0, {{0}}},
    {SYS_accept4, "serve connections", 0, {{0}}},
#ifdef SYS_accept
    {SYS_accept, "serve connections", 0, {{0}}},
#endif
    {SYS_getsockname, "ports that the kernel has chosen", 0, {{0}}},
    {SYS_getpeername, "addresses of senders", 0, {{0}}},
    {SYS_shutdown, "end a connection", 0, {{0}}},
    {SYS_connect, "deliver, look up names", SANDBOX_CONNECTS, {{0}}},
    {SYS_socketpair, "wake threads of libcurl", SANDBOX_CONNECTS, {{0}}},
    {SYS_epoll_create1, "listeners of a reload", 0, {{0}}},
    {SYS_epoll_ctl, "register sockets", 0, {{0}}},
    {SYS_eventfd2, "wake threads", 0, {{0}}},
    {SYS_pipe2, "wake threads, output of protoc", 0, {{0}}},
#ifdef SYS_pipe
    {SYS_pipe, "wake threads of librdkafka", SANDBOX_CONNECTS, {{0}}},
    {SYS_select, "wait for connections", SANDBOX_CONNECTS, {{0}}},
#endif
    {SYS_pselect6, "wait for connections", SANDBOX_CONNECTS, {{0}}},
    {SYS_dup, "standard output of several sinks", 0, {{0}}},
    {SYS_dup3, "standard output of several sinks", 0, {{0}}},
    {SYS_signalfd4, "signals", 0, {{0}}},

    /* --- memory: never writable and executable --- */
    {SYS_mmap, "memory, libraries", 0, {CLEAR(2, PROT_EXEC)}},
    {SYS_mmap,
     "code of libraries that are loaded later",
     0,
     {{2, PROT_EXEC | PROT_WRITE, PROT_EXEC}}},
    {SYS_munmap, "free memory", 0, {{0}}},
    {SYS_mremap, "grow memory", 0, {{0}}},
    {SYS_mprotect, "stacks of threads, libraries", 0, {CLEAR(2, PROT_EXEC)}},
    {SYS_madvise, "free memory", 0, {{0}}},
    {SYS_brk, "memory", 0, {{0}}},
    {SYS_mlock, "keys stay in memory", 0, {{0}}},
    {SYS_munlock, "keys stay in memory", 0, {{0}}},

    /* --- threads and this process --- */
    {SYS_clone, "start a thread", 0, {SET(0, CLONE_THREAD | CLONE_VM), CLEAR(0, CLONE_APART)}},
    {SYS_set_robust_list, "start a thread", 0, {{0}}},
    {SYS_rseq, "start a thread", 0, {{0}}},
    {SYS_exit, "end a thread", 0, {{0}}},
    {SYS_exit_group, "end", 0, {{0}}},
    {SYS_sched_setaffinity, "receiver-cpus", 0, {{0}}},
    {SYS_sched_getaffinity, "count processors", 0, {{0}}},
    {SYS_sched_yield, "give way", 0, {{0}}},
    {SYS_nanosleep, "pause", 0, {{0}}},
    {SYS_restart_syscall, "go on after a stop", 0, {{0}}},
    {SYS_rt_sigprocmask, "start a thread", 0, {{0}}},
    {SYS_rt_sigaction, "signals", 0, {{0}}},
    {SYS_rt_sigreturn, "signals", 0, {{0}}},
    {SYS_rt_sigtimedwait, "signals that libcurl awaits", SANDBOX_CONNECTS, {{0}}},
    {SYS_sigaltstack, "signals", 0, {{0}}},
    {SYS_prctl, "name a thread", 0, {EXACT(0, PR_SET_NAME)}},
    {SYS_prctl, "name of a thread", 0, {EXACT(0, PR_GET_NAME)}},
    {SYS_prctl, "exact pauses", 0, {EXACT(0, PR_SET_TIMERSLACK)}},
    {SYS_prctl, "shield secrets of a reload", 0, {EXACT(0, PR_SET_DUMPABLE), EXACT(1, 0)}},
    {SYS_prctl, "name memory", 0, {EXACT(0, 0x53564d41)}}, /* PR_SET_VMA */
    {SYS_prlimit64, "lend descriptors", 0, {{0}}},
    {SYS_getrusage, "usage for --metrics", 0, {{0}}},
    {SYS_sysinfo, "memory of the machine", 0, {{0}}},
    {SYS_uname, "host name", 0, {{0}}},
    {SYS_getpid, "log", 0, {{0}}},
    {SYS_getppid, "log", 0, {{0}}},
    {SYS_gettid, "locks", 0, {{0}}},
    {SYS_getuid, "rights", 0, {{0}}},
    {SYS_geteuid, "rights", 0, {{0}}},
    {SYS_getgid, "rights", 0, {{0}}},
    {SYS_getegid, "rights", 0, {{0}}},
    {SYS_getresuid, "rights", 0, {{0}}},
    {SYS_getresgid, "rights", 0, {{0}}},
    {SYS_getsid, "the session that a hang-up comes from", 0, {{0}}},
    {SYS_getgroups, "rights", 0, {{0}}},
    {SYS_membarrier, "threads of libraries", 0, {{0}}},

    /* --- other programs: protoc, which compiles .proto files of a reload --- */
    {SYS_execve, "start protoc", SANDBOX_PROGRAMS, {{0}}},
    {SYS_clone, "start protoc", SANDBOX_PROGRAMS, {CLEAR(0, CLONE_APART)}},
    {SYS_wait4, "see protoc's end", SANDBOX_PROGRAMS, {{0}}},
    {SYS_waitid, "see protoc's end", SANDBOX_PROGRAMS, {{0}}},
    {SYS_kill, "end protoc", SANDBOX_PROGRAMS, {{0}}},
    {SYS_setpgid, "end protoc and its children", SANDBOX_PROGRAMS, {{0}}},
    {SYS_set_tid_address, "protoc's start", SANDBOX_PROGRAMS, {{0}}},
#ifdef SYS_vfork
    {SYS_vfork, "start protoc", SANDBOX_PROGRAMS, {{0}}},
    {SYS_dup2, "protoc's output", SANDBOX_PROGRAMS, {{0}}},
#endif
#ifdef SYS_arch_prctl
    {SYS_arch_prctl, "protoc's start", SANDBOX_PROGRAMS, {{0}}},
#endif
};

const size_t sandbox_call_count = sizeof sandbox_calls / sizeof sandbox_calls[0];

const struct sandbox_call sandbox_new_processes[] = {
    {SYS_clone, "start a process", 0, {CLEAR(0, CLONE_APART)}},
#ifdef SYS_fork
    {SYS_fork, "start a process (musl)", 0, {{0}}},
#endif
};

const size_t sandbox_new_process_count =
    sizeof sandbox_new_processes / sizeof sandbox_new_processes[0];

/*
 * Names of system calls, for reports of refusals: those that the table above lacks, and those that
 * it permits only under conditions.
 */
static const struct {
    unsigned number;
    const char *name;
} names[] = {
#define NAME(call)                                                                                 \
    {                                                                                              \
        SYS_##call, #call                                                                          \
    }
    NAME(execve),
    NAME(execveat),
    NAME(ptrace),
    NAME(process_vm_readv),
    NAME(process_vm_writev),
    NAME(unshare),
    NAME(setns),
    NAME(mount),
    NAME(umount2),
    NAME(pivot_root),
    NAME(chroot),
    NAME(bpf),
    NAME(io_uring_setup),
    NAME(io_uring_enter),
    NAME(io_uring_register),
    NAME(memfd_create),
    NAME(userfaultfd),
    NAME(perf_event_open),
    NAME(keyctl),
    NAME(add_key),
    NAME(request_key),
    NAME(init_module),
    NAME(finit_module),
    NAME(delete_module),
    NAME(kexec_load),
    NAME(reboot),
    NAME(swapon),
    NAME(swapoff),
    NAME(kill),
    NAME(tkill),
    NAME(tgkill),
    NAME(pidfd_open),
    NAME(pidfd_getfd),
    NAME(pidfd_send_signal),
    NAME(connect),
    NAME(socket),
    NAME(socketpair),
    NAME(clone),
    NAME(wait4),
    NAME(waitid),
    NAME(setuid),
    NAME(setgid),
    NAME(setgroups),
    NAME(setresuid),
    NAME(setresgid),
    NAME(capset),
    NAME(prctl),
    NAME(ioctl),
    NAME(mmap),
    NAME(mprotect),
    NAME(pkey_mprotect),
    NAME(personality),
    NAME(symlinkat),
    NAME(mknodat),
    NAME(setxattr),
    NAME(utimensat),
    NAME(sethostname),
    NAME(settimeofday),
    NAME(clock_settime),
    NAME(adjtimex),
    NAME(setpriority),
    NAME(setrlimit),
    NAME(setsid),
    NAME(setpgid),
    NAME(inotify_init1),
    NAME(fanotify_init),
    NAME(open_by_handle_at),
    NAME(name_to_handle_at),
    NAME(splice),
    NAME(tee),
    NAME(sendfile),
    NAME(copy_file_range),
    NAME(timerfd_create),
    NAME(timer_create),
    NAME(shmget),
    NAME(shmat),
    NAME(msgget),
    NAME(semget),
    NAME(syslog),
    NAME(quotactl),
    NAME(acct),
    NAME(landlock_create_ruleset),
    NAME(seccomp),
    NAME(sched_setscheduler),
    NAME(openat2),
    NAME(preadv),
    NAME(truncate),
    NAME(msync),
    NAME(mincore),
    NAME(mlockall),
    NAME(getpriority),
    NAME(sched_getparam),
    NAME(sched_getscheduler),
    NAME(chdir),
    NAME(fchdir),
#ifdef SYS_fork
    NAME(fork),
    NAME(vfork),
    NAME(symlink),
    NAME(mknod),
    NAME(chown),
    NAME(creat),
    NAME(inotify_init),
#endif
#ifdef SYS_time
    NAME(time),
#endif
#undef NAME
};

const char *sandbox_call_name(unsigned number)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].number == number)
            return names[i].name;
    return NULL;
}
