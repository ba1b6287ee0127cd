#include "collector/platform/windows/pipe_state.h"

#include <stdint.h>
#include <string.h>

/*
 * FilePipeLocalInformation of NtQueryInformationFile, and the structure that it fills (MS-FSCC
 * 2.4.36).
 */
#define PIPE_LOCAL_INFORMATION 24

struct pipe_local_information {
    uint32_t type;
    uint32_t configuration;
    uint32_t maximum_instances;
    uint32_t current_instances;
    uint32_t inbound_quota;
    uint32_t read_data_available;
    uint32_t outbound_quota;
    uint32_t write_quota_available;
    uint32_t state;
    uint32_t end;
};

enum { STATE_DISCONNECTED = 1, STATE_LISTENING = 2, STATE_CONNECTED = 3, STATE_CLOSING = 4 };

struct io_status {
    void *status;
    ULONG_PTR information;
};

typedef LONG WINAPI query_function(HANDLE file, struct io_status *io, void *found, ULONG size,
                                   int kind);

/*
 * Looks the function up at run time, so that the program is not linked to another system library.
 * Returns NULL if it is missing.
 */
static query_function *pipe_state_look_up(void)
{
    query_function *query = NULL;
    HMODULE library = GetModuleHandleW(L"ntdll.dll");
    FARPROC found = library == NULL ? NULL : GetProcAddress(library, "NtQueryInformationFile");
    memcpy(&query, &found, sizeof query);
    return query;
}

enum pipe_state pipe_state(HANDLE pipe)
{
    struct io_status io = {0};
    struct pipe_local_information found = {0};
    query_function *query = pipe_state_look_up();
    if (query == NULL || query(pipe, &io, &found, sizeof found, PIPE_LOCAL_INFORMATION) < 0)
        return PIPE_UNKNOWN;
    return found.state == STATE_CONNECTED || found.state == STATE_LISTENING ? PIPE_READ : PIPE_LEFT;
}
