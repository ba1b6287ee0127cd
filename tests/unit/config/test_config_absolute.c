/*
 * Copies of a command line whose relative paths are made absolute, for a program that starts in
 * another folder.
 */
#include <stdio.h>
#include <string.h>

#include "collector/config/absolute.h"
#include "collector/config/options.h"
#include "collector/platform/file_system.h"
#include "tests/support/config/config_tables.h"
#include "tests/support/test.h"

#define WORDS 8

static const char *drive(void)
{
    return file_path_root("D:/") == 3 ? "D:" : "";
}

static char **again_in(const char *folder, struct error *error, const char *const *words)
{
    char copies[WORDS][200] = {"bin=x/sluice"};
    char *argv[WORDS + 1] = {copies[0]};
    int argc = 1;
    for (; words[argc - 1] != NULL; argc++) {
        assert_true(argc < WORDS);
        snprintf(copies[argc], sizeof copies[argc], "%s", words[argc - 1]);
        argv[argc] = copies[argc];
    }
    struct config config;
    if (options_parse(argc, argv, &test_registry, &config, error) != OPTIONS_RUN)
        fail_msg("%s", error->text);
    config_free(&config);
    return absolute_arguments(argc, argv, &test_registry, folder, error);
}

/* Asserts that the word is equal to `expected`, in which "@" means the drive of the folder. */
static void assert_word(const char *word, const char *expected)
{
    char text[300] = "";
    for (size_t used = 0; *expected != '\0'; expected++) {
        if (*expected == '@')
            used += (size_t)snprintf(text + used, sizeof text - used, "%s", drive());
        else
            text[used++] = *expected;
    }
    assert_string_equal(word, text);
}

/*
 * Asserts what again_in makes of the arguments. `words` has the arguments, a NULL, the expected
 * arguments, and another NULL.
 */
static void becomes(const char *folder_on_drive, const char *const *words)
{
    char folder[200];
    struct error error;
    snprintf(folder, sizeof folder, "%s%s", drive(), folder_on_drive);
    char **made = again_in(folder, &error, words);
    if (made == NULL)
        fail_msg("%s", error.text);
    while (*words++ != NULL)
        continue;
    size_t at = 0;
    assert_string_equal(made[0], "bin=x/sluice");
    for (; words[at] != NULL; at++) {
        assert_non_null(made[at + 1]);
        assert_word(made[at + 1], words[at]);
    }
    assert_null(made[at + 1]);
    absolute_arguments_free(made);
}

#define BECOMES(folder, ...) becomes((folder), (const char *const[]){__VA_ARGS__, NULL})

TEST(sinks_captures_and_dead_letters_begin_in_the_folder)
{
    BECOMES("/base/of all", "--sink", "file:logs/x.ndjson", "--listen", "pcap:day.pcap",
            "--dead-letter", "file:../bad.pcapng", NULL, "--sink",
            "file:@/base/of all/logs/x.ndjson", "--listen", "pcap:@/base/of all/day.pcap",
            "--dead-letter", "file:@/base/of all/../bad.pcapng");
}

TEST(an_absolute_path_stays)
{
    char sink[100], expected[100];
    snprintf(sink, sizeof sink, "file:%s/logs/x?format=json", drive());
    snprintf(expected, sizeof expected, "file:@/logs/x?format=json");
    BECOMES("/base", "--sink", sink, NULL, "--sink", expected);
    BECOMES("/base", "--sink", "file://server/share/x", NULL, "--sink", "file://server/share/x");
}

TEST(a_path_from_the_root_is_on_the_folders_drive)
{
    BECOMES("/base", "--sink", "file:/logs/x", NULL, "--sink", "file:@/logs/x");
}

TEST(separators_become_those_that_the_program_has)
{
    bool drives = drive()[0] != '\0';
    BECOMES("/base", "--sink", "file:logs\\x", NULL, "--sink",
            drives ? "file:@/base/logs/x" : "file:/base/logs\\x");
}

TEST(a_folder_on_a_share_has_a_root_of_its_own)
{
    bool shares = drive()[0] != '\0';
    struct error error;
    static const char *const folders[] = {"//server/share", "//server/share/", "//server/share/a"};
    static const char *const words[] = {"--sink=file:/x", NULL};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char **made = again_in(folders[i], &error, words);
        assert_non_null(made);
        assert_string_equal(made[1], shares ? "--sink=file://server/share/x" : "--sink=file:/x");
        absolute_arguments_free(made);
    }
}

TEST(a_folder_that_is_the_root_gets_no_second_separator)
{
    BECOMES("/", "--sink", "file:logs/x", NULL, "--sink", "file:@/logs/x");
}

TEST(keys_stay_but_for_a_schema_from_a_file)
{
    BECOMES("/base", "--listen",
            "udp://127.0.0.1:5555?receivers=2&schema=own/a.desc&message=a.B&value=x.y&"
            "receive_buffer=1MiB",
            NULL, "--listen",
            "udp://127.0.0.1:5555?receivers=2&schema=@/base/own/a.desc&message=a.B&value=x.y&"
            "receive_buffer=1MiB");
    BECOMES("/base", "--listen", "udp://[::1]:0?schema=riemann&match=magic:0a&schema=telemetry",
            NULL, "--listen", "udp://[::1]:0?schema=riemann&match=magic:0a&schema=telemetry");
    BECOMES("/base", "--listen", "pcap:a.pcap?schema=b.desc&message=c.D&port=1", NULL, "--listen",
            "pcap:@/base/a.pcap?schema=@/base/b.desc&message=c.D&port=1");
}

TEST(what_is_no_path_stays)
{
    BECOMES("/base", "--sink", "stdout:?format=json", "--duration", "10s", "--ledger=json", NULL,
            "--sink", "stdout:?format=json", "--duration", "10s", "--ledger=json");
}

TEST(a_value_may_stand_in_the_same_argument)
{
    BECOMES("/base", "--sink=file:a=b.ndjson?view=sample", "--check", "--listen=pcap:c.pcap", NULL,
            "--sink=file:@/base/a=b.ndjson?view=sample", "--check", "--listen=pcap:@/base/c.pcap");
}

TEST(a_local_address_that_is_a_path_begins_in_the_folder)
{
    BECOMES("/base", "--control", "unix:run/sluice", NULL, "--control", "unix:@/base/run/sluice");
}

TEST(fields_stay_and_a_percent_sign_of_the_folder_is_none)
{
    BECOMES("/50%/of", "--sink", "file:%F/100%%", "--listen", "pcap:x", NULL, "--sink",
            "file:@/50%%/of/%F/100%%", "--listen", "pcap:@/50%/of/x");
}

TEST(a_folder_that_a_key_cannot_name_is_refused)
{
    struct error error;
    static const char *const words[] = {"--listen", "udp://[::1]:0?schema=a.desc&message=b.C",
                                        NULL};
    assert_null(again_in("/this & that", &error, words));
    assert_int_equal(error.code, EXIT_CODE_USAGE);
    assert_string_equal(error.text,
                        "a.desc is in the folder /this & that, whose \"&\" would end the path");
    BECOMES("/this & that", "--sink", "file:x", NULL, "--sink", "file:@/this & that/x");
}

TEST(a_folder_that_a_url_cannot_name_is_refused)
{
    struct error error;
    static const char *const words[] = {"--sink", "file:x", NULL};
    assert_null(again_in("/where?", &error, words));
    assert_string_equal(error.text, "x is in the folder /where?, whose \"?\" would end the path");
}

TEST(no_arguments_are_none)
{
    struct error error;
    static const char *const words[] = {NULL};
    char **made = again_in("/base", &error, words);
    assert_non_null(made);
    assert_null(made[1]);
    absolute_arguments_free(made);
    absolute_arguments_free(NULL);
}
