#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/config/url.h"
#include "collector/platform/file_system.h"
#include "tests/support/config/config_tables.h"
#include "tests/support/sinks/path_parsing.h"
#include "tests/support/test.h"

/* --- the normal form of a path ---------------------------------------------------------------- */

static void assert_normal(const char *text, const char *expected)
{
    char path[100];
    snprintf(path, sizeof path, "%s", text);
    file_path_normalise(path);
    assert_string_equal(path, expected);
}

TEST(both_separators_become_one)
{
    assert_normal("C:\\logs\\x.json", "C:/logs/x.json");
    assert_normal("C:/logs\\x.json", "C:/logs/x.json");
    assert_normal("\\\\server\\share\\x", "//server/share/x");
    assert_normal("\\\\.\\pipe\\name", "//./pipe/name");
    assert_normal("..\\x", "../x");
    assert_normal("", "");
}

static void assert_root(const char *path, const char *root)
{
    if (file_path_root(path) != strlen(root))
        fail_msg("the root of %s is %zu bytes long", path, file_path_root(path));
}

TEST(a_root_is_no_folder_that_could_be_made)
{
    assert_root("C:/a/b", "C:/");
    assert_root("c:/", "c:/");
    assert_root("C:a", "C:");
    assert_root("/a", "/");
    assert_root("a/b", "");
    assert_root("1:/a", "");
    assert_root("//server/share/a/b", "//server/share/");
    assert_root("//server/share", "//server/share");
    assert_root("//./pipe/name", "//./");
    assert_root("//?/C:/a", "//?/C:/");
    assert_root("", "");
    assert_int_equal(file_path_folder("C:/x"), strlen("C:/"));
    assert_int_equal(file_path_folder("C:/a/x"), strlen("C:/a"));
    assert_int_equal(file_path_folder("//server/share/x"), strlen("//server/share/"));
}

TEST(names_that_differ_in_case_alone_are_the_same)
{
    assert_true(file_path_same("Logs/ABCXYZ.n", "lOGS/abcxyz.N"));
    assert_false(file_path_same("@", "`"));
    assert_false(file_path_same("[", "{"));
    for (unsigned byte = 0; byte < 256; byte++)
        if (byte < 'A' || byte > 'Z')
            assert_int_equal(file_path_fold[byte], byte);
}

/* --- names that are not allowed --------------------------------------------------------------- */

static void assert_fault(const char *path, size_t expected, const char *words)
{
    size_t at;
    const char *why = file_path_fault(path, &at);
    if (why == NULL || strstr(why, words) == NULL || at != expected)
        fail_msg("%s: %s", path, why == NULL ? "is taken" : why);
}

TEST(what_no_name_may_hold_is_refused_where_it_stands)
{
    static const char forbidden[] = "<>:\"|?*\x01\x1f\n";
    for (const char *byte = forbidden; *byte != '\0'; byte++) {
        char path[] = "C:/logs/a.b";
        path[9] = *byte;
        assert_fault(path, 9, "in names");
    }
    assert_fault("ab:c", 2, "in names"); /* an alternate data stream of the file "ab" */
    assert_fault("logs/C:/a", 6, "in names");
}

TEST(what_would_be_cut_off_a_name_is_refused)
{
    assert_fault("a/b.", 3, "removes");
    assert_fault("a /b", 1, "removes");
    assert_fault("C:/a./b", 4, "removes");
    assert_fault("a/.../b", 4, "removes");
    assert_fault("%{source}./b", 9, "removes");
}

TEST(a_drive_s_own_folder_is_refused)
{
    assert_fault("C:", 2, "separator");
    assert_fault("C:a/b", 2, "separator");
}

TEST(every_other_name_is_taken)
{
    static const char *const paths[] = {"C:/logs/%{source}/%F.ndjson",
                                        "x",
                                        "./x",
                                        "../../x",
                                        "//server/share/x",
                                        "//./pipe/name",
                                        "//?/C:/x",
                                        "/x",
                                        "a//b",
                                        "a b/c.d",
                                        "\xc3\xa4/\xe2\x82\xac",
                                        "nul",
                                        "-~#%%'(){}[]!&^=+,;"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        size_t at;
        const char *why = file_path_fault(paths[i], &at);
        if (why != NULL)
            fail_msg("%s: %s", paths[i], why);
    }
}

/* --- paths in templates and settings ---------------------------------------------------------- */

TEST(a_template_is_split_after_its_root)
{
    static const struct {
        const char *text, *base, *prefix;
    } paths[] = {
        {"C:/%F.n", "C:/", "C:/"},
        {"C:/logs//%F.n", "C:/logs", "C:/logs//"},
        {"//server/share/%F.n", "//server/share/", "//server/share/"},
        {"/%F/x", "/", "/"},
        {"logs/x", "logs", "logs/"},
    };
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        struct path_template *path = parsed(paths[i].text);
        assert_string_equal(path_template_base(path), paths[i].base);
        assert_string_equal(path_template_prefix(path), paths[i].prefix);
        path_template_free(path);
    }
}

TEST(a_path_matches_in_any_case)
{
    struct path_template *path = parsed("C:/Logs/%{schema}-%F.N");
    struct path_match match;
    assert_true(path_template_match(path, "c:/logs/Riemann-2026-11-20.n.7", &match));
    assert_int_equal(match.number, 7);
    assert_false(path_template_match(path, "c:/logs/Riemann_2026-11-20.n", &match));
    path_template_free(path);
}

TEST(users_may_write_either_separator)
{
    static const char capture[] =
        "pcap:C:\\Users\\me\\x.pcap?schema=types\\own&message=own.Message";
    struct config config = {.listeners = calloc(1, sizeof *config.listeners),
                            .listener_count = 1,
                            .sinks = calloc(1, sizeof *config.sinks),
                            .sink_count = 1};
    struct dead_letter_config *letters = &config.dead_letter;
    struct parse_error fault;
    if (!url_parse_listener(capture, &test_registry, config.listeners, &fault) ||
        !url_parse_sink("file:C:\\logs\\x.json?format=json", &test_registry, config.sinks,
                        &fault) ||
        !url_parse_dead_letter("file:..\\dead", &test_registry, letters, &fault))
        fail_msg("%s", fault.text);
    assert_string_equal(config.listeners->place, "C:/Users/me/x.pcap");
    assert_string_equal(config.listeners->name, "pcap:C:\\Users\\me\\x.pcap");
    assert_true(config.listeners->schemas[0].from_file);
    assert_string_equal(config.listeners->schemas[0].source, "types/own");
    assert_string_equal(config.sinks->path, "C:/logs/x.json");
    assert_string_equal(letters->path, "../dead");
    config_free(&config);
}

TEST(a_path_that_no_file_has_is_refused_where_it_is_wrong)
{
    struct config config = {.sinks = calloc(1, sizeof *config.sinks), .sink_count = 1};
    struct parse_error fault;
    assert_false(url_parse_sink("file:C:\\logs\\a|b", &test_registry, config.sinks, &fault));
    assert_int_equal(fault.at, strlen("file:C:\\logs\\a"));
    config_free(&config);
    config = (struct config){0};
    assert_false(url_parse_dead_letter("file:dead.", &test_registry, &config.dead_letter, &fault));
    assert_int_equal(fault.at, strlen("file:dead"));
    config_free(&config);
}
