/*
 * `in_console COMMAND-LINE` starts a program with the console of this process as its standard
 * streams, and ends with that program's exit code. It is needed because a process in a
 * pseudoconsole does not get the console as its standard streams automatically.
 */
#include <stdlib.h>
#include <windows.h>

#include "collector/platform/process.h"
#include "collector/platform/windows/text.h"

static HANDLE open_inherited(const wchar_t *name)
{
    SECURITY_ATTRIBUTES inherited = {.nLength = sizeof inherited, .bInheritHandle = TRUE};
    return CreateFileW(name, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE,
                       &inherited, OPEN_EXISTING, 0, NULL);
}

int program_main(int argc, char **argv)
{
    PROCESS_INFORMATION made;
    DWORD code = 3;
    STARTUPINFOW start = {.cb = sizeof start,
                          .dwFlags = STARTF_USESTDHANDLES,
                          .hStdInput = open_inherited(L"CONIN$"),
                          .hStdOutput = open_inherited(L"CONOUT$"),
                          .hStdError = open_inherited(L"CONOUT$")};
    wchar_t *line = argc == 2 ? text_wide_copy(argv[1]) : NULL;
    if (line == NULL || start.hStdInput == INVALID_HANDLE_VALUE ||
        start.hStdOutput == INVALID_HANDLE_VALUE ||
        !CreateProcessW(NULL, line, NULL, NULL, TRUE, 0, NULL, NULL, &start, &made))
        return 2;
    free(line);
    WaitForSingleObject(made.hProcess, INFINITE);
    GetExitCodeProcess(made.hProcess, &code);
    return (int)code;
}
