/*
 * Implements tools/top/terminal.h with Windows' console. It supports control sequences since
 * Windows 10, and reports keys and new sizes as records.
 */
#include "tools/platform/windows/terminal_console.h"

#include <stdlib.h>
#include <string.h>

#include "collector/platform/clock.h"
#include "collector/platform/windows/system_error.h"
#include "tools/top/screen.h"
#include "tools/top/terminal.h"

/* Older headers do not define these modes. */
#define OUTPUT_SEQUENCES 0x0004 /* ENABLE_VIRTUAL_TERMINAL_PROCESSING */
#define OUTPUT_STAYS     0x0008 /* DISABLE_NEWLINE_AUTO_RETURN */

/* The maximum number of characters in one write. */
#define PIECE 16384

static struct {
    HANDLE input, output;
    DWORD input_mode, output_mode; /* before terminal_open */
} console;

bool terminal_is_there(void)
{
    DWORD mode;
    return GetConsoleMode(GetStdHandle(STD_INPUT_HANDLE), &mode) != 0 &&
           GetConsoleMode(GetStdHandle(STD_OUTPUT_HANDLE), &mode) != 0;
}

/* Writes ASCII. Ignores errors, because the next wait reports that the console was closed. */
static void console_put(const char *text, size_t size)
{
    while (size != 0) {
        DWORD written;
        DWORD piece = (DWORD)(size < PIECE ? size : PIECE);
        if (!WriteConsoleA(console.output, text, piece, &written, NULL) || written == 0)
            return;
        text += written;
        size -= written;
    }
}

int terminal_open(struct error *error)
{
    console.input = GetStdHandle(STD_INPUT_HANDLE);
    console.output = GetStdHandle(STD_OUTPUT_HANDLE);
    /*
     * These modes of the input make Ctrl-C an ordinary key. ENABLE_EXTENDED_FLAGS also stops the
     * mouse from selecting text, which would pause the output.
     */
    if (!GetConsoleMode(console.input, &console.input_mode) ||
        !GetConsoleMode(console.output, &console.output_mode) ||
        !SetConsoleMode(console.output,
                        ENABLE_PROCESSED_OUTPUT | OUTPUT_SEQUENCES | OUTPUT_STAYS) ||
        !SetConsoleMode(console.input, ENABLE_WINDOW_INPUT | ENABLE_EXTENDED_FLAGS)) {
        error_set(error, EXIT_CODE_IO, "this console shows no pages: %s; try --once",
                  system_error(GetLastError()).text);
        return -1;
    }
    console_put(SCREEN_BEGIN, strlen(SCREEN_BEGIN));
    return 0;
}

void terminal_close(void)
{
    console_put(SCREEN_END, strlen(SCREEN_END));
    SetConsoleMode(console.input, console.input_mode);
    SetConsoleMode(console.output, console.output_mode);
}

void terminal_size(size_t *rows, size_t *columns)
{
    CONSOLE_SCREEN_BUFFER_INFO found = {.srWindow = {0, 0, 79, 23}};
    GetConsoleScreenBufferInfo(console.output, &found);
    int height = found.srWindow.Bottom - found.srWindow.Top + 1;
    int width = found.srWindow.Right - found.srWindow.Left + 1;
    *rows = height > 0 ? (size_t)height : 1;
    *columns = width > 0 ? (size_t)width : 1;
}

void terminal_show(const struct page *page)
{
    size_t rows, columns, size;
    terminal_size(&rows, &columns);
    char *text = screen_text(page, rows, columns, &size);
    if (text != NULL)
        console_put(text, size);
    free(text);
}

/* --- keys ------------------------------------------------------------------------------------- */

/* The keys that have no character, by their virtual key codes. */
static const struct {
    WORD code;
    enum view_key key;
} by_code[] = {
    {VK_UP, VIEW_UP},     {VK_DOWN, VIEW_DOWN}, {VK_PRIOR, VIEW_PAGE_UP}, {VK_NEXT, VIEW_PAGE_DOWN},
    {VK_HOME, VIEW_HOME}, {VK_END, VIEW_END},   {VK_LEFT, VIEW_PREVIOUS}, {VK_RIGHT, VIEW_NEXT},
};

static const struct {
    wchar_t character;
    enum view_key key;
} by_character[] = {
    {L'k', VIEW_UP},   {L'j', VIEW_DOWN},    {L' ', VIEW_PAGE_DOWN}, {L'\t', VIEW_NEXT},
    {L's', VIEW_SORT}, {L'r', VIEW_REVERSE}, {L'z', VIEW_ZOOM},      {L'\r', VIEW_ZOOM},
    {L'?', VIEW_HELP}, {L'h', VIEW_HELP},    {27, VIEW_LEAVE},
};

static enum terminal_key key_of(const KEY_EVENT_RECORD *record, enum view_key *key)
{
    const wchar_t end_of_text = 3; /* Ctrl-C */
    wchar_t character = record->uChar.UnicodeChar;
    if (!record->bKeyDown)
        return TERMINAL_NO_KEY;
    if (character == L'q' || character == L'Q' || character == end_of_text)
        return TERMINAL_QUIT;
    if (character == L'\t' && (record->dwControlKeyState & SHIFT_PRESSED) != 0) {
        *key = VIEW_PREVIOUS;
        return TERMINAL_VIEW;
    }
    for (size_t i = 0; i < sizeof by_code / sizeof by_code[0]; i++)
        if (by_code[i].code == record->wVirtualKeyCode) {
            *key = by_code[i].key;
            return TERMINAL_VIEW;
        }
    for (size_t i = 0; i < sizeof by_character / sizeof by_character[0]; i++)
        if (by_character[i].character == character) {
            *key = by_character[i].key;
            return TERMINAL_VIEW;
        }
    return TERMINAL_NO_KEY;
}

enum terminal_key console_key(const INPUT_RECORD *record, enum view_key *key)
{
    switch (record->EventType) {
    case KEY_EVENT:
        return key_of(&record->Event.KeyEvent, key);
    case WINDOW_BUFFER_SIZE_EVENT:
        return TERMINAL_RESIZED;
    default:
        return TERMINAL_NO_KEY;
    }
}

enum terminal_key terminal_wait(int timeout_ms, enum view_key *key)
{
    int64_t until = clock_monotonic_ns() + timeout_ms * INT64_C(1000000);
    for (;;) {
        INPUT_RECORD record;
        DWORD count;
        DWORD left = (DWORD)milliseconds_until(until, clock_monotonic_ns());
        DWORD waited = WaitForSingleObject(console.input, left);
        if (waited == WAIT_TIMEOUT)
            return TERMINAL_NO_KEY;
        if (waited != WAIT_OBJECT_0 || !ReadConsoleInputW(console.input, &record, 1, &count) ||
            count == 0)
            return TERMINAL_QUIT;
        enum terminal_key pressed = console_key(&record, key);
        if (pressed != TERMINAL_NO_KEY)
            return pressed;
    }
}
