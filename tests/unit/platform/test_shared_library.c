/*
 * Tests a table of functions from a library, here the C library. On POSIX it is found by its file
 * name. On Windows it is linked in as usual.
 */
#include <stdlib.h>
#include <string.h>

#include "collector/platform/shared_library.h"
#include "tests/support/test.h"

/* The system has no file of the first name. */
#define TEXT_FILES "libtext-of-another-version.so.3", "libc.so.6"

#define TEXT_FUNCTIONS(FUNCTION, P)                                                                \
    FUNCTION(P, chr)                                                                               \
    FUNCTION(P, cmp)                                                                               \
    FUNCTION(P, tol)

SHARED_LIBRARY_DECLARE(text, str, TEXT_FUNCTIONS)
SHARED_LIBRARY_DEFINE(text, str, TEXT_FUNCTIONS, chr("a libtext/3.4.1 libother/2.0", 'l'),
                      "libtext", TEXT_FILES, "libc6", "text")

TEST(where_one_version_is_missing_another_one_is_loaded)
{
    struct error error = {.text = ""};
    assert_non_null(text_library(&error)); /* found by its second name, libc.so.6 */
}

TEST(a_table_has_each_function_of_its_list_in_its_place)
{
    struct error error = {.text = ""};
    const struct text_library *library = text_library(&error);
    assert_non_null(library);
    assert_string_equal(library->chr("ab=c", '='), "=c");
    assert_true(library->cmp("a", "b") < 0);
    assert_int_equal(library->tol("17", NULL, 10), 17);
}

TEST(a_table_is_the_same_at_each_call)
{
    struct error error;
    assert_ptr_equal(text_library(&error), text_library(&error));
}

TEST(a_library_is_named_with_the_first_number_that_it_reports)
{
    assert_string_equal(text_library_version(), "libtext 3.4.1");
}

TEST(a_library_that_is_not_there_is_named_as_such)
{
    char text[SHARED_LIBRARY_VERSION_SIZE];
    assert_string_equal(shared_library_version(text, "libtext", NULL),
                        "libtext (not on this system)");
}

TEST(a_version_that_is_too_long_is_cut)
{
    char text[SHARED_LIBRARY_VERSION_SIZE], long_one[2 * SHARED_LIBRARY_VERSION_SIZE];
    memset(long_one, '1', sizeof long_one - 1);
    long_one[sizeof long_one - 1] = '\0';
    assert_int_equal(strlen(shared_library_version(text, "x", long_one)), sizeof text - 1);
}
