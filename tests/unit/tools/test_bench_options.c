#include <string.h>

#include "tests/support/test.h"
#include "tools/bench/options.h"

static struct settings settings;
static struct error error;

#define WORDS_MAX 8

static enum command_wish parse(const char *const *words)
{
    static char copies[WORDS_MAX + 1][64] = {"sluice-bench"};
    char *argv[WORDS_MAX + 1] = {copies[0]};
    int argc = 1;
    for (; words[argc - 1] != NULL; argc++) {
        snprintf(copies[argc], sizeof copies[argc], "%s", words[argc - 1]);
        argv[argc] = copies[argc];
    }
    options_default(&settings);
    error = (struct error){0};
    return command_parse(&bench_command, argc, argv, &settings, &error);
}

#define PARSE(...) parse((const char *const[]){__VA_ARGS__, NULL})

static bool is_wanted(const char *part)
{
    for (size_t i = 0; bench_parts[i].name != NULL; i++)
        if (strcmp(bench_parts[i].name, part) == 0)
            return settings.wanted[i];
    return false;
}

static void assert_refused(enum command_wish wish, const char *text)
{
    assert_int_equal(wish, COMMAND_REFUSED);
    assert_string_equal(error.text, text);
}

TEST(without_a_part_all_are_measured)
{
    assert_int_equal(parse((const char *const[]){NULL}), COMMAND_RUN);
    assert_true(is_wanted("decode"));
    assert_true(is_wanted("encode"));
    assert_true(is_wanted("rates"));
    assert_int_equal(settings.rounds, 5);
    assert_int_equal(settings.round_ns, 1000000000);
}

TEST(a_part_that_is_named_is_measured_alone)
{
    assert_int_equal(PARSE("decode", "--quick"), COMMAND_RUN);
    assert_true(is_wanted("decode"));
    assert_false(is_wanted("encode"));
    assert_int_equal(settings.rounds, 2);
    assert_int_equal(settings.round_ns, 250000000);
}

TEST(what_is_given_is_kept)
{
    assert_int_equal(PARSE("--rounds", "7", "--round-time=50ms", "--receive-buffer", "8KiB"),
                     COMMAND_RUN);
    assert_int_equal(settings.rounds, 7);
    assert_int_equal(settings.round_ns, 50000000);
    assert_int_equal(settings.receive_buffer, 8192);
    assert_int_equal(PARSE("--collector=x", "--scratch=y"), COMMAND_RUN);
    assert_string_equal(settings.collector, "x");
    assert_string_equal(settings.scratch, "y");
}

TEST(what_cannot_be_is_refused)
{
    assert_refused(PARSE("nothing"), "'nothing' is not a part (see --help)");
    assert_refused(PARSE("--rounds", "0"), "--rounds: '0' is not between 1 and 100");
    assert_refused(PARSE("--round-time", "1ms"), "--round-time: '1ms' is not between 20ms and 1m");
    assert_refused(PARSE("--variant", "x"), "--variant: 'x' is not NAME=WORD WORD...");
}
