#include <locale.h>
#include <wchar.h>

#include "collector/text/cell.h"
#include "collector/text/control_character.h"
#include "tests/support/test.h"

/* Some differences are allowed, because the C library may have another version of Unicode. */
TEST(no_character_is_wider_on_a_terminal_than_it_counts)
{
    if (setlocale(LC_CTYPE, "C.UTF-8") == NULL)
        skip();
    size_t wide = 0;
    for (uint32_t character = 0x20; character < 0x110000; character++) {
        if (control_character_is(character) || (character >= 0xd800 && character < 0xe000))
            continue;
        int columns = wcwidth((wchar_t)character);
        wide += columns == 2;
        if (columns > 0 && (size_t)columns > cell_columns(character))
            fail_msg("U+%04X has %d columns", (unsigned)character, columns);
    }
    assert_true(wide > 80000);
    setlocale(LC_CTYPE, "C");
}
