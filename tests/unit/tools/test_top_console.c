/*
 * Tests the terminal of sluice-top on a Windows console: keys, sizes, and the state that it
 * restores.
 */
#include <string.h>

#include "tests/support/platform/windows/pseudoconsole.h"
#include "tests/support/test.h"
#include "tools/platform/windows/terminal_console.h"

/* --- input records ---------------------------------------------------------------------------- */

static INPUT_RECORD pressed(WORD code, wchar_t character, DWORD with)
{
    INPUT_RECORD record = {.EventType = KEY_EVENT};
    record.Event.KeyEvent = (KEY_EVENT_RECORD){.bKeyDown = TRUE,
                                               .wRepeatCount = 1,
                                               .wVirtualKeyCode = code,
                                               .uChar.UnicodeChar = character,
                                               .dwControlKeyState = with};
    return record;
}

static void assert_view(WORD code, wchar_t character, DWORD with, enum view_key expected)
{
    enum view_key key = VIEW_LEAVE;
    INPUT_RECORD record = pressed(code, character, with);
    assert_int_equal(console_key(&record, &key), TERMINAL_VIEW);
    assert_int_equal(key, expected);
}

static void assert_effect(INPUT_RECORD record, enum terminal_key expected)
{
    enum view_key key;
    assert_int_equal(console_key(&record, &key), expected);
}

TEST(keys_have_the_effects_that_the_help_names)
{
    static const struct {
        WORD code;
        wchar_t character;
        enum view_key key;
    } expected[] = {
        {VK_UP, 0, VIEW_UP},
        {'K', L'k', VIEW_UP},
        {VK_DOWN, 0, VIEW_DOWN},
        {'J', L'j', VIEW_DOWN},
        {VK_PRIOR, 0, VIEW_PAGE_UP},
        {VK_NEXT, 0, VIEW_PAGE_DOWN},
        {VK_SPACE, L' ', VIEW_PAGE_DOWN},
        {VK_HOME, 0, VIEW_HOME},
        {VK_END, 0, VIEW_END},
        {VK_TAB, L'\t', VIEW_NEXT},
        {VK_RIGHT, 0, VIEW_NEXT},
        {VK_LEFT, 0, VIEW_PREVIOUS},
        {'S', L's', VIEW_SORT},
        {'R', L'r', VIEW_REVERSE},
        {'Z', L'z', VIEW_ZOOM},
        {VK_RETURN, L'\r', VIEW_ZOOM},
        {VK_OEM_2, L'?', VIEW_HELP},
        {'H', L'h', VIEW_HELP},
        {VK_ESCAPE, 27, VIEW_LEAVE},
    };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        assert_view(expected[i].code, expected[i].character, 0, expected[i].key);
    assert_view(VK_TAB, L'\t', SHIFT_PRESSED, VIEW_PREVIOUS);
}

TEST(q_and_ctrl_c_end_it)
{
    assert_effect(pressed('Q', L'q', 0), TERMINAL_QUIT);
    assert_effect(pressed('Q', L'Q', SHIFT_PRESSED), TERMINAL_QUIT);
    assert_effect(pressed('C', 3, LEFT_CTRL_PRESSED), TERMINAL_QUIT);
}

TEST(a_new_size_is_told_and_other_events_have_no_effect)
{
    INPUT_RECORD released = pressed('Q', L'q', 0);
    released.Event.KeyEvent.bKeyDown = FALSE;
    assert_effect((INPUT_RECORD){.EventType = WINDOW_BUFFER_SIZE_EVENT}, TERMINAL_RESIZED);
    assert_effect(released, TERMINAL_NO_KEY);
    assert_effect(pressed('X', L'x', 0), TERMINAL_NO_KEY);
    assert_effect(pressed(VK_SHIFT, 0, SHIFT_PRESSED), TERMINAL_NO_KEY);
    assert_effect((INPUT_RECORD){.EventType = FOCUS_EVENT}, TERMINAL_NO_KEY);
    assert_effect((INPUT_RECORD){.EventType = MOUSE_EVENT}, TERMINAL_NO_KEY);
}

/* --- the program in a console ----------------------------------------------------------------- */

TEST(in_a_console_it_shows_its_page_and_ends_by_q)
{
    static struct pseudoconsole console;
    wchar_t line[] = L"\"" TEST_IN_CONSOLE L"\" \"" TEST_TOP L" pipe:of-no-collector\"";
    DWORD code;
    if (!pseudoconsole_open(&console))
        skip();
    HANDLE process = pseudoconsole_start(&console, line);
    /*
     * This is only the end of the title. Wine shows control sequences as text, which overwrites the
     * rest.
     */
    pseudoconsole_assert_shows(&console, "rol?)");
    pseudoconsole_type(&console, "jq");
    assert_int_equal(WaitForSingleObject(process, 20000), WAIT_OBJECT_0);
    assert_true(GetExitCodeProcess(process, &code));
    assert_int_equal(code, 0);
    CloseHandle(process);
    pseudoconsole_close(&console);
}
