/*
 * Mutates configuration files, 1,000 times for each kind of mutation and always in the same way.
 * Each result is refused with line and column, or is valid by chance. No mutation causes a crash or
 * a leak, which the sanitizers detect.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/config/file.h"
#include "collector/config/options.h"
#include "tests/support/base/random_number.h"
#include "tests/support/config/config_tables.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/test.h"

#define MUTATIONS TEST_TRIES(1000)
#define ROOM      4096

static const char good[] = "# everything at once\n"
                           "memory: 32MiB\n"
                           "stop-timeout: 500ms\n"
                           "ledger: json\n"
                           "duration: 10s\n"
                           "listeners:\n"
                           "  - address: udp://[::]:5555\n"
                           "    receive_buffer: 64MiB\n"
                           "    max_decoded: 256KiB\n"
                           "    allow: 10.0.0.0/8,192.0.2.7\n"
                           "    schemas:\n"
                           "      - schema: riemann\n"
                           "        match: \"source:10.0.0.0/8\"\n"
                           "      - schema: a.desc\n"
                           "        message: p.M\n"
                           "        value: x.y\n"
                           "  - address: pcap:file.pcap\n"
                           "    schema: telemetry\n"
                           "    framing: delimited\n"
                           "sinks:\n"
                           "  - to: file:/var/log/%F/m.ndjson\n"
                           "    format: json\n"
                           "    rotate_size: 100MiB\n"
                           "    keep: 5\n"
                           "    include: 'cpu.*;host=web*'\n"
                           "  - to: stdout\n"
                           "    flush_interval: 10ms\n"
                           "dead-letter:\n"
                           "  to: file:dead.pcapng\n"
                           "  max_size: 1MiB\n";

static uint64_t random_state;

static size_t random_below(size_t limit)
{
    return (size_t)next_below(&random_state, limit);
}

/* --- kinds of mutation ------------------------------------------------------------------------ */

struct file {
    char text[ROOM];
    size_t length;
};

static void replace(struct file *file, size_t at, size_t size, const char *with)
{
    size_t length = strlen(with);
    memmove(file->text + at + length, file->text + at + size, file->length - at - size + 1);
    memcpy(file->text + at, with, length);
    file->length += length - size;
}

/*
 * Chooses a key at random. Returns the offset of its name and stores the length of the name in
 * `size`.
 */
static size_t any_key(const struct file *file, size_t *size)
{
    for (;;) {
        size_t at = random_below(file->length);
        while (at != 0 && file->text[at - 1] != '\n')
            at--;
        at += strspn(file->text + at, " -");
        *size = strcspn(file->text + at, ":\n");
        if (file->text[at] != '#' && file->text[at + *size] == ':')
            return at;
    }
}

static size_t any_value(const struct file *file, size_t *size)
{
    for (;;) {
        size_t name;
        size_t at = any_key(file, &name);
        at += name + 1;
        *size = strcspn(file->text + at, "\n");
        if (*size > 1)
            return ++at;
    }
}

static void misspell(struct file *file)
{
    size_t size;
    size_t at = any_key(file, &size);
    char letter[] = {(char)('a' + random_below(26)), '\0'};
    at += random_below(size);
    if (random_below(2) == 0)
        replace(file, at, 1, "");
    else
        replace(file, at, 0, letter);
}

static void take_unit(struct file *file)
{
    for (;;) {
        size_t size;
        size_t at = any_value(file, &size);
        size_t digits = strspn(file->text + at, "0123456789");
        size_t unit = strspn(file->text + at + digits, "KMGiBsmu");
        if (digits == 0 || unit == 0 || file->text[at + digits + unit] != '\n')
            continue;
        replace(file, at + digits, unit, "");
        return;
    }
}

static void change_kind(struct file *file)
{
    static const char *const others[] = {"[[a], b]", "{a: b}", "[]", "{}", "", "~:", "&a b", "*a"};
    size_t size;
    size_t at = any_value(file, &size);
    replace(file, at, strcspn(file->text + at, "\n"),
            others[random_below(sizeof others / sizeof others[0])]);
}

static void indent(struct file *file)
{
    size_t at = random_below(file->length);
    while (at != 0 && file->text[at - 1] != '\n')
        at--;
    if (file->text[at] == ' ' && random_below(2) == 0)
        replace(file, at, 1 + random_below(strspn(file->text + at, " ")), "");
    else
        replace(file, at, 0, random_below(4) == 0 ? "\t" : &"   "[random_below(3)]);
}

static void flip_byte(struct file *file)
{
    for (size_t i = 0; i <= random_below(3); i++)
        file->text[random_below(file->length)] = (char)(1 + random_below(255));
}

static void cut(struct file *file)
{
    file->length = random_below(file->length);
    file->text[file->length] = '\0';
}

/* --- checking the results --------------------------------------------------------------------- */

static void check_place(const struct file *file, const char *path, const char *error)
{
    unsigned long line = 0, column = 0;
    size_t lines = 1, longest = 0, length = 0;
    int end = 0;
    for (size_t i = 0; i < file->length; i++) {
        bool ends = file->text[i] == '\n' || file->text[i] == '\r';
        lines += ends;
        length = ends ? 0 : length + 1;
        longest = length > longest ? length : longest;
    }
    if (strncmp(error, path, strlen(path)) != 0 ||
        sscanf(error + strlen(path), ":%lu:%lu: %n", &line, &column, &end) != 2 || end == 0)
        fail_msg("no place in: %s\n%s", error, file->text);
    /*
     * The bounds have a reserve of 2, because libyaml counts some control characters as line
     * breaks.
     */
    if (line < 1 || line > lines + 2 || column < 1 || column > longest + 2)
        fail_msg("this place is not in the file: %s\n%s", error, file->text);
}

static bool is_accepted(const struct file *file)
{
    static char program[] = "sluice", option[] = "--config";
    char path[512];
    struct config config;
    struct error error = {0};
    char *argv[] = {program, option, path, NULL};
    snprintf(path, sizeof path, "%s", scratch_path("c.yaml"));
    scratch_put("c.yaml", file->text, file->length);
    enum options_result result = options_parse(3, argv, &test_registry, &config, &error);
    if (result != OPTIONS_RUN) {
        assert_int_equal(result, OPTIONS_WRONG);
        assert_int_equal(error.code, EXIT_CODE_CONFIG);
        check_place(file, path, error.text);
        for (const char *c = error.text; *c != '\0'; c++)
            assert_false((unsigned char)*c < ' ' || *c == 0x7f);
    }
    config_free(&config);
    return result == OPTIONS_RUN;
}

static size_t try_all(void (*mutate)(struct file *file))
{
    size_t count = 0;
    random_state = UINT64_C(0x9e3779b97f4a7c15);
    for (size_t i = 0; i < MUTATIONS; i++) {
        struct file file = {.length = sizeof good - 1};
        memcpy(file.text, good, sizeof good);
        mutate(&file);
        count += is_accepted(&file);
    }
    return count;
}

static void no_change(struct file *file)
{
    (void)file;
}

TEST_WITH(the_file_itself_is_right, scratch_make, scratch_remove)
{
    (void)state;
    assert_int_equal(try_all(no_change), MUTATIONS);
}

TEST_WITH(every_misspelt_key_is_refused, scratch_make, scratch_remove)
{
    (void)state;
    assert_int_equal(try_all(misspell), 0);
}

TEST_WITH(every_value_without_its_unit_is_refused, scratch_make, scratch_remove)
{
    (void)state;
    assert_int_equal(try_all(take_unit), 0);
}

TEST_WITH(every_value_of_the_wrong_kind_is_refused, scratch_make, scratch_remove)
{
    (void)state;
    assert_int_equal(try_all(change_kind), 0);
}

TEST_WITH(broken_indentation_is_refused_or_means_the_same, scratch_make, scratch_remove)
{
    (void)state;
    assert_in_range(try_all(indent), 1, MUTATIONS / 3);
}

TEST_WITH(flipped_bytes_are_refused_or_mean_something, scratch_make, scratch_remove)
{
    (void)state;
    assert_in_range(try_all(flip_byte), 1, MUTATIONS / 2);
}

TEST_WITH(a_cut_file_is_refused_or_a_shorter_one, scratch_make, scratch_remove)
{
    (void)state;
    assert_in_range(try_all(cut), 1, MUTATIONS * 3 / 4);
}
