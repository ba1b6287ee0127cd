#include <string.h>

#include "collector/platform/file_system.h"
#include "tests/support/test.h"

TEST(the_folder_is_what_stands_before_the_last_separator)
{
    assert_int_equal(file_path_folder("x"), 0);
    assert_int_equal(file_path_folder(""), 0);
    assert_int_equal(file_path_folder("a/x"), strlen("a"));
    assert_int_equal(file_path_folder("a/b/x"), strlen("a/b"));
    assert_int_equal(file_path_folder("a/"), strlen("a"));
    assert_int_equal(file_path_folder("../x"), strlen(".."));
    assert_int_equal(file_path_folder("/a/x"), strlen("/a"));
    assert_int_equal(file_path_folder("/x"), strlen("/"));
}

TEST(what_begins_a_path_is_compared_to_its_end)
{
    assert_true(file_path_same("a/b", "a/b"));
    assert_false(file_path_same("a/b", "a/c"));
    assert_false(file_path_same("a/b", "a/bc"));
    assert_false(file_path_same("a/bc", "a/b"));
    assert_true(file_path_same("", ""));
    assert_true(file_path_begins("abc", "ab", 2));
    assert_true(file_path_begins("abc", "", 0));
    assert_false(file_path_begins("a", "ab", 2));
    assert_false(file_path_begins("", "ab", 2));
}

/* file_path_fold must change only capital letters, also where `char` is signed. */
TEST(other_bytes_than_letters_are_themselves)
{
    for (unsigned byte = 0; byte < 256; byte++) {
        bool capital = byte >= 'A' && byte <= 'Z';
        unsigned folded = file_path_fold[byte];
        assert_true(folded == byte || (capital && folded == byte - 'A' + 'a'));
    }
}

static bool is_device(const char *name)
{
    return file_path_is_device(name, strlen(name));
}

TEST(names_of_devices_are_known_whatever_follows_their_dot)
{
    static const char *const devices[] = {"con",      "CON",     "Prn",       "aux",
                                          "NUL",      "com0",    "COM1",      "lpt9",
                                          "nul.json", "aux.a.b", "com7.part", "con."};
    static const char *const others[] = {"",     "co",   "cons",  "com",  "com10",  "comx",
                                         "lpt",  "_aux", "a.nul", "nul_", ".con",   "xcon",
                                         "com-", "COM/", "com:",  "null", "prn-1.x"};
    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++)
        if (!is_device(devices[i]))
            fail_msg("%s is a device", devices[i]);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (is_device(others[i]))
            fail_msg("%s is none", others[i]);
    assert_true(file_path_is_device("nully", 3)); /* the given size ends the name */
    assert_false(file_path_is_device("com1", 3));
}
