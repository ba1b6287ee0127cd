/*
 * Tests the name by which a command sink is reported: only the program, because arguments may be
 * secrets.
 */
#include <string.h>

#include "collector/config/command_name.h"
#include "tests/support/test.h"

static void assert_named(const char *line, const char *expected)
{
    char name[COMMAND_NAME_SIZE];
    command_name(line, strlen(line), name);
    assert_string_equal(name, expected);
}

TEST(it_is_the_last_part_of_the_program_s_path)
{
    assert_named("cat", "cat");
    assert_named("cat>/dev/null", "cat");
    assert_named("  /usr/bin/psql -c 'secret'", "psql");
    assert_named("C:\\tools\\send.exe /token secret", "send.exe");
    assert_named("g++-12|secret", "g++-12");
    assert_named("(cd /x && secret)", "cd");
}

TEST(what_precedes_the_program_is_left_out)
{
    assert_named("exec cat", "cat");
    assert_named(
        "TOKEN=secret exec env PASSWORD='a secret' B=\"x y\" C=a\\ b /opt/send --key secret",
        "send");
    assert_named("A=secret; curl -u secret", "curl");
}

TEST(a_line_that_begins_with_no_plain_program_is_the_shell_s)
{
    static const char *const lines[] = {
        "",         "exec",          "A=secret",  "\"$SECRET\"",
        "'secret'", "{ cat; }",      "$SECRET x", "env -u A secret:x",
        "/bin/",    "user:secret@x", "!x",        "`secret`"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char name[COMMAND_NAME_SIZE];
        command_name(lines[i], strlen(lines[i]), name);
        assert_null(strstr(name, "secret"));
        if (strncmp(lines[i], "env", 3) != 0)
            assert_string_equal(name, "shell");
    }
    /* Too long for a name. */
    assert_named("a234567890123456789012345678901234567890123456789", "shell");
}

TEST(the_line_may_end_anywhere)
{
    static const char line[] = "A='x y' exec \"/a\\\"b/c\" d";
    for (size_t length = 0; length < sizeof line; length++) {
        char name[COMMAND_NAME_SIZE];
        command_name(line, length, name);
        assert_true(strlen(name) < COMMAND_NAME_SIZE);
    }
}
