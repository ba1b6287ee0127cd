#include <string.h>

#include "tests/support/test.h"
#include "tools/command/command.h"
#include "tools/command/value.h"

struct settings {
    const char *name;
    const char *operand;
    unsigned flags;
    uint64_t size;
    bool checked;
};

static int set_flag(void *settings, const char *value, struct error *error)
{
    (void)error;
    assert_null(value);
    ((struct settings *)settings)->flags++;
    return 0;
}

static int set_operand(void *settings, const char *value, struct error *error)
{
    (void)error;
    ((struct settings *)settings)->operand = value;
    return 0;
}

static int check(void *settings, struct error *error)
{
    struct settings *given = settings;
    given->checked = true;
    if (given->name == NULL || strcmp(given->name, "wrong") != 0)
        return 0;
    error_set(error, EXIT_CODE_USAGE, "all is wrong");
    return -1;
}

static const struct command_option options[] = {
    {"name", "TEXT", "a name", COMMAND_KEEP(TEXT, struct settings, name)},
    {"flag", NULL, "a flag", .set = set_flag},
    {"size", "SIZE", "a size", COMMAND_KEEP(SIZE, struct settings, size), .least = 1, .most = 1024},
    {0},
};
static const struct command with_operand = {
    .name = "tool", .options = options, .set_operand = set_operand, .check = check};
static const struct command without_operand = {.name = "tool", .options = options};

#define WORDS_MAX 8
#define WORD_SIZE 32

/*
 * Parses copies of the words, because argv must not be constant. The next call overwrites the
 * copies.
 */
static enum command_wish parse(const struct command *command, const char *const *words,
                               struct settings *settings, struct error *error)
{
    static char copies[WORDS_MAX + 1][WORD_SIZE] = {"tool"};
    char *argv[WORDS_MAX + 1] = {copies[0]};
    int argc = 1;
    for (; words[argc - 1] != NULL; argc++) {
        snprintf(copies[argc], WORD_SIZE, "%s", words[argc - 1]);
        argv[argc] = copies[argc];
    }
    *settings = (struct settings){0};
    *error = (struct error){0};
    return command_parse(command, argc, argv, settings, error);
}

#define PARSE(command, ...)                                                                        \
    parse(&(command), (const char *const[]){__VA_ARGS__, NULL}, &settings, &error)

TEST(a_value_follows_a_space_or_an_equals_sign)
{
    struct settings settings;
    struct error error;
    assert_int_equal(PARSE(with_operand, "--name", "a", "--size=1KiB"), COMMAND_RUN);
    assert_string_equal(settings.name, "a");
    assert_int_equal(settings.size, 1024);
    assert_true(settings.checked);
    assert_int_equal(PARSE(with_operand, "--name=a=b", "--size", "7B"), COMMAND_RUN);
    assert_string_equal(settings.name, "a=b");
    assert_int_equal(settings.size, 7);
    assert_int_equal(PARSE(with_operand, "--name="), COMMAND_RUN);
    assert_string_equal(settings.name, "");
}

TEST(a_value_may_look_like_an_option_and_the_last_one_wins)
{
    struct settings settings;
    struct error error;
    assert_int_equal(PARSE(with_operand, "--name", "x", "--name", "--flag"), COMMAND_RUN);
    assert_string_equal(settings.name, "--flag");
    assert_int_equal(settings.flags, 0);
}

TEST(operands_stand_anywhere)
{
    struct settings settings;
    struct error error;
    assert_int_equal(PARSE(with_operand, "file", "--flag"), COMMAND_RUN);
    assert_string_equal(settings.operand, "file");
    assert_int_equal(settings.flags, 1);
    assert_int_equal(PARSE(with_operand, "--flag", "--", "--flag"), COMMAND_RUN);
    assert_string_equal(settings.operand, "--flag");
    assert_int_equal(settings.flags, 1);
    assert_int_equal(PARSE(with_operand, "-"), COMMAND_RUN);
    assert_string_equal(settings.operand, "-");
}

TEST(help_and_version_win_over_what_follows)
{
    struct settings settings;
    struct error error;
    assert_int_equal(PARSE(with_operand, "--help", "--nonsense"), COMMAND_HELP);
    assert_int_equal(PARSE(with_operand, "--flag", "--version", "--name"), COMMAND_VERSION);
    assert_int_equal(PARSE(with_operand, "-h", "--nonsense"), COMMAND_HELP);
    assert_int_equal(PARSE(with_operand, "--flag", "-V", "--name"), COMMAND_VERSION);
}

static void assert_refused(enum command_wish wish, const struct error *error, const char *text)
{
    assert_int_equal(wish, COMMAND_REFUSED);
    assert_int_equal(error->code, EXIT_CODE_USAGE);
    assert_string_equal(error->text, text);
}

TEST(mistakes_are_named)
{
    struct settings settings;
    struct error error;
    assert_refused(PARSE(with_operand, "--other"), &error, "--other is not an option (see --help)");
    assert_refused(PARSE(with_operand, "--nam=3"), &error,
                   "--nam is not an option; did you mean --name?");
    assert_refused(PARSE(with_operand, "-n"), &error, "-n is not an option (see --help)");
    assert_refused(PARSE(with_operand, "--name"), &error, "--name needs a value (see --help)");
    assert_refused(PARSE(with_operand, "--flag=1"), &error, "--flag takes no value (see --help)");
    assert_refused(PARSE(with_operand, "--size", "2KiB"), &error,
                   "--size: '2KiB' is not between 1B and 1KiB");
    assert_refused(PARSE(without_operand, "x"), &error, "unexpected argument 'x' (see --help)");
    assert_refused(PARSE(with_operand, "--name=wrong"), &error, "all is wrong");
}

static void assert_destination(const char *text, const char *expected)
{
    struct address address;
    struct error error;
    char formatted[ADDRESS_TEXT_SIZE];
    if (value_destination(text, &address, &error) != 0)
        fail_msg("'%s' was refused: %s", text, error.text);
    address_format(&address, formatted);
    assert_string_equal(formatted, expected);
}

TEST(a_destination_is_a_numeric_host_and_a_port)
{
    assert_destination("udp://127.0.0.1:5555", "127.0.0.1:5555");
    assert_destination("udp://[::1]:1", "[::1]:1");
    assert_destination("udp://[fe80::1%2]:65535", "[fe80::1%2]:65535");
    static const char *const wrong[] = {
        "",
        "127.0.0.1:5555",
        "udp:",
        "udp://",
        "udp://:5",
        "udp://127.0.0.1",
        "udp://127.0.0.1:",
        "udp://127.0.0.1:0",
        "udp://127.0.0.1:65536",
        "udp://127.0.0.1:5s",
        "udp://::1:5555",
        "udp://[::1]",
        "udp://[127.0.0.1]:5",
        "udp://[]:5",
        "udp://]:5",
        "udp://localhost:5",
        "udp://127.0.0.1:5/",
        "udp://[fe80::1]:5",
        "udp://[fe80::1%none9]:5",
        "tcp://127.0.0.1:5",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct address address;
        struct error error;
        if (value_destination(wrong[i], &address, &error) == 0)
            fail_msg("'%s' was taken for a destination", wrong[i]);
        assert_int_equal(error.code, EXIT_CODE_USAGE);
    }
}

TEST(a_choice_is_one_of_its_names)
{
    static const char *const names[] = {"json", "protobuf", NULL};
    struct error error;
    size_t index = 9;
    assert_int_equal(value_choice("protobuf", names, &index, &error), 0);
    assert_int_equal(index, 1);
    assert_int_equal(value_choice("proto", names, &index, &error), -1);
    assert_string_equal(error.text, "'proto' is not one of json, protobuf");
}

static const char *colour(const char *option, size_t at)
{
    static const char *const names[] = {"red", "green", NULL};
    return strcmp(option, "name") == 0 ? names[at] : NULL;
}

TEST(a_value_is_described_by_its_choices_where_there_are_any)
{
    const struct command with_choice = {.name = "tool", .options = options, .choice = colour};
    char form[COMMAND_SYNTAX_SIZE];
    command_syntax(&with_choice, &options[0], form);
    assert_string_equal(form, "red|green");
    command_syntax(&with_choice, &options[1], form);
    assert_string_equal(form, "");
    command_syntax(&with_choice, &options[2], form);
    assert_string_equal(form, "SIZE");
    command_syntax(&without_operand, &options[0], form);
    assert_string_equal(form, "TEXT");
}
