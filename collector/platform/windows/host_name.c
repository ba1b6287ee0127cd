#include "collector/platform/machine.h"

#include <string.h>
#include <windows.h>

size_t host_name(char text[HOST_NAME_SIZE])
{
    WCHAR wide[HOST_NAME_SIZE];
    DWORD size = HOST_NAME_SIZE;
    if (!GetComputerNameExW(ComputerNameDnsHostname, wide, &size) || size == 0 ||
        WideCharToMultiByte(CP_UTF8, 0, wide, -1, text, HOST_NAME_SIZE, NULL, NULL) == 0)
        strcpy(text, "localhost");
    return strlen(text);
}
