#include "tests/support/platform/failing_memory_share.h"

#include <stdlib.h>
#include <windows.h>

void *failing_memory_share(size_t size)
{
    wchar_t path[MAX_PATH];
    DWORD length = GetEnvironmentVariableW(L"FAILING_MEMORY", path, MAX_PATH);
    HANDLE file = length == 0 || length >= MAX_PATH
                      ? INVALID_HANDLE_VALUE
                      : CreateFileW(path, GENERIC_READ | GENERIC_WRITE,
                                    FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                                    OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, NULL);
    if (file == INVALID_HANDLE_VALUE)
        return NULL;
    HANDLE mapping = CreateFileMappingW(file, NULL, PAGE_READWRITE, 0, 0, NULL);
    void *mapped = mapping == NULL ? NULL : MapViewOfFile(mapping, FILE_MAP_ALL_ACCESS, 0, 0, size);
    CloseHandle(file);
    if (mapped == NULL)
        abort();
    CloseHandle(mapping);
    return mapped;
}
