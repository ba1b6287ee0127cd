/* On Windows a named pipe is not in a folder, and the writer creates it. */
#include "tests/support/platform/written_pipe.h"

#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

#include "collector/platform/windows/text.h"

/* A pipe buffer larger than all data of a test. */
#define ROOM (1024 * 1024)

struct written_pipe {
    HANDLE handle; /* INVALID_HANDLE_VALUE after the writer has closed it */
    char path[80];
};

struct written_pipe *written_pipe_make(void)
{
    static unsigned count;
    wchar_t wide[80];
    struct written_pipe *made = malloc(sizeof *made);
    if (made == NULL)
        return NULL;
    snprintf(made->path, sizeof made->path, "//./pipe/sluice-test-%lu-%u", GetCurrentProcessId(),
             count++);
    made->handle = INVALID_HANDLE_VALUE;
    if (text_to_wide(made->path, wide, sizeof wide / sizeof wide[0]))
        made->handle = CreateNamedPipeW(wide, PIPE_ACCESS_OUTBOUND | FILE_FLAG_FIRST_PIPE_INSTANCE,
                                        PIPE_TYPE_BYTE | PIPE_WAIT, 1, ROOM, ROOM, 0, NULL);
    if (made->handle != INVALID_HANDLE_VALUE)
        return made;
    free(made);
    return NULL;
}

void written_pipe_remove(struct written_pipe *pipe)
{
    if (pipe == NULL)
        return;
    written_pipe_end(pipe);
    free(pipe);
}

const char *written_pipe_path(const struct written_pipe *pipe)
{
    return pipe->path;
}

bool written_pipe_begin(struct written_pipe *pipe)
{
    return ConnectNamedPipe(pipe->handle, NULL) || GetLastError() == ERROR_PIPE_CONNECTED;
}

bool written_pipe_write(struct written_pipe *pipe, const void *bytes, size_t size)
{
    DWORD written = 0;
    return WriteFile(pipe->handle, bytes, (DWORD)size, &written, NULL) && written == size;
}

void written_pipe_end(struct written_pipe *pipe)
{
    if (pipe->handle != INVALID_HANDLE_VALUE)
        CloseHandle(pipe->handle);
    pipe->handle = INVALID_HANDLE_VALUE;
}
