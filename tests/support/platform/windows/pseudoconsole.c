#include "tests/support/platform/windows/pseudoconsole.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/platform/patience.h"
#include "tests/support/platform/standard_stream.h"
#include "tests/support/test.h"

typedef HRESULT WINAPI create_function(COORD size, HANDLE input, HANDLE output, DWORD flags,
                                       void **console);
typedef void WINAPI close_function(void *console);

static FARPROC pseudoconsole_look_up(const char *name)
{
    return GetProcAddress(GetModuleHandleW(L"kernel32.dll"), name);
}

bool pseudoconsole_open(struct pseudoconsole *made)
{
    FARPROC found = pseudoconsole_look_up("CreatePseudoConsole");
    create_function *create;
    memcpy(&create, &found, sizeof create);
    if (create == NULL)
        return false;
    struct test_pipe keys = test_pipe_open();
    struct test_pipe screen = test_pipe_open();
    const COORD size = {.X = 80, .Y = 25};
    HRESULT result = create(size, (HANDLE)keys.reader, (HANDLE)screen.writer, 0, &made->console);
    assert_true(SUCCEEDED(result));
    test_stream_close(&keys.reader);
    test_stream_close(&screen.writer);
    made->screen = (HANDLE)screen.reader;
    made->keys = (HANDLE)keys.writer;
    made->size = 0;
    made->shown[0] = '\0';
    return true;
}

void pseudoconsole_close(struct pseudoconsole *console)
{
    FARPROC found = pseudoconsole_look_up("ClosePseudoConsole");
    close_function *close;
    memcpy(&close, &found, sizeof close);
    CloseHandle(console->screen);
    CloseHandle(console->keys);
    close(console->console);
}

HANDLE pseudoconsole_start(const struct pseudoconsole *console, wchar_t *line)
{
    const DWORD_PTR pseudoconsole = 0x00020016; /* PROC_THREAD_ATTRIBUTE_PSEUDOCONSOLE */
    SIZE_T size = 0;
    STARTUPINFOEXW start = {.StartupInfo = {.cb = sizeof start, .dwFlags = STARTF_USESTDHANDLES}};
    PROCESS_INFORMATION made;
    InitializeProcThreadAttributeList(NULL, 1, 0, &size);
    start.lpAttributeList = malloc(size);
    assert_non_null(start.lpAttributeList);
    assert_true(InitializeProcThreadAttributeList(start.lpAttributeList, 1, 0, &size));
    assert_true(UpdateProcThreadAttribute(start.lpAttributeList, 0, pseudoconsole, console->console,
                                          sizeof console->console, NULL, NULL));
    assert_true(CreateProcessW(NULL, line, NULL, NULL, FALSE, EXTENDED_STARTUPINFO_PRESENT, NULL,
                               NULL, &start.StartupInfo, &made));
    DeleteProcThreadAttributeList(start.lpAttributeList);
    free(start.lpAttributeList);
    CloseHandle(made.hThread);
    return made.hProcess;
}

void pseudoconsole_type(const struct pseudoconsole *console, const char *keys)
{
    DWORD written;
    assert_true(WriteFile(console->keys, keys, (DWORD)strlen(keys), &written, NULL));
    assert_int_equal(written, strlen(keys));
}

void pseudoconsole_assert_shows(struct pseudoconsole *console, const char *text)
{
    int64_t until = patience_until();
    while (strstr(console->shown, text) == NULL) {
        DWORD there = 0;
        DWORD got;
        assert_true(PeekNamedPipe(console->screen, NULL, 0, NULL, &there, NULL));
        if (there != 0 && console->size + there < sizeof console->shown - 1) {
            assert_true(
                ReadFile(console->screen, console->shown + console->size, there, &got, NULL));
            console->size += got;
            console->shown[console->size] = '\0';
        } else if (!patience(until)) {
            fail_msg("it shows \"%s\"", console->shown);
        }
    }
}
