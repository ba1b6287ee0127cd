#include "collector/platform/windows/console.h"

bool console_is(HANDLE handle)
{
    DWORD mode;
    return GetConsoleMode(handle, &mode) != 0;
}

static size_t character_size(unsigned char first)
{
    if (first >= 0xf0)
        return 4;
    if (first >= 0xe0)
        return 3;
    return first >= 0xc0 ? 2 : 1;
}

size_t console_whole(const char *bytes, size_t size)
{
    for (size_t back = 1; back <= 3 && back < size; back++) {
        unsigned char byte = (unsigned char)bytes[size - back];
        if ((byte & 0xc0) != 0x80) /* the first byte of a character */
            return character_size(byte) > back ? size - back : size;
    }
    return size;
}

DWORD console_write(HANDLE console, const char *bytes, size_t size)
{
    wchar_t wide[CONSOLE_PIECE];
    int count = MultiByteToWideChar(CP_UTF8, 0, bytes, (int)size, wide, CONSOLE_PIECE);
    if (count == 0)
        return GetLastError();
    for (DWORD done = 0; done < (DWORD)count;) {
        DWORD written = 0;
        if (!WriteConsoleW(console, wide + done, (DWORD)count - done, &written, NULL))
            return GetLastError();
        done += written;
    }
    return 0;
}
