/*
 * Uses named pipes with one instance instead of anonymous pipes. An anonymous pipe has no
 * overlapped end, and only the end that created a pipe can wait until its data is read
 * (FlushFileBuffers).
 */
#include "collector/platform/windows/child_pipe.h"

#include <wchar.h>

#include "collector/platform/windows/own_access.h"

#define NAME_SIZE 64

static void make_name(wchar_t name[NAME_SIZE])
{
    static volatile LONG last;
    LARGE_INTEGER now;
    QueryPerformanceCounter(&now);
    swprintf(name, NAME_SIZE, L"\\\\.\\pipe\\sluice-child-%lu-%ld-%llx", GetCurrentProcessId(),
             InterlockedIncrement(&last), (unsigned long long)now.QuadPart);
}

static bool child_pipe_make(DWORD our_access, DWORD their_access, HANDLE *ours, HANDLE *theirs)
{
    wchar_t name[NAME_SIZE];
    SECURITY_ATTRIBUTES access;
    make_name(name);
    if (!own_access_make(&access))
        return false;
    *ours = CreateNamedPipeW(name, our_access | FILE_FLAG_FIRST_PIPE_INSTANCE,
                             PIPE_TYPE_BYTE | PIPE_READMODE_BYTE | PIPE_WAIT |
                                 PIPE_REJECT_REMOTE_CLIENTS,
                             1, CHILD_PIPE_SIZE, CHILD_PIPE_SIZE, 0, &access);
    own_access_free(&access);
    if (*ours == INVALID_HANDLE_VALUE)
        return false;
    *theirs = CreateFileW(name, their_access, 0, NULL, OPEN_EXISTING, 0, NULL);
    if (*theirs != INVALID_HANDLE_VALUE)
        return true;
    DWORD reason = GetLastError();
    CloseHandle(*ours);
    SetLastError(reason);
    return false;
}

bool child_pipe_to(HANDLE *ours, HANDLE *theirs)
{
    return child_pipe_make(PIPE_ACCESS_OUTBOUND, GENERIC_READ | FILE_WRITE_ATTRIBUTES, ours,
                           theirs);
}

bool child_pipe_from(HANDLE *ours, HANDLE *theirs)
{
    return child_pipe_make(PIPE_ACCESS_INBOUND | FILE_FLAG_OVERLAPPED,
                           GENERIC_WRITE | FILE_READ_ATTRIBUTES, ours, theirs);
}
