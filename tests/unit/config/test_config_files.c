#include <stdlib.h>
#include <string.h>

#include "collector/config/url.h"
#include "collector/contract/compression.h"
#include "tests/support/config/config_tables.h"
#include "tests/support/test.h"

#define SECOND UINT64_C(1000000000)

static bool read_sink(const char *url, struct config *config, struct parse_error *fault)
{
    *config = (struct config){.sinks = calloc(1, sizeof *config->sinks)};
    assert_non_null(config->sinks);
    config->sink_count = 1;
    return url_parse_sink(url, &test_registry, config->sinks, fault);
}

static struct config accept(const char *url)
{
    struct config config;
    struct parse_error fault;
    if (!read_sink(url, &config, &fault))
        fail_msg("'%s': %s", url, fault.text);
    return config;
}

static void assert_refused(const char *url, size_t column, const char *why)
{
    struct config config;
    struct parse_error fault;
    if (read_sink(url, &config, &fault))
        fail_msg("'%s' was accepted", url);
    config_free(&config);
    if (strstr(fault.text, why) == NULL)
        fail_msg("'%s': %s\nshould say: %s", url, fault.text, why);
    if (fault.at + 1 != column)
        fail_msg("'%s': %s: column %zu, not %zu", url, fault.text, fault.at + 1, column);
}

/* --- values ----------------------------------------------------------------------------------- */

TEST(without_keys_a_file_does_not_rotate)
{
    struct config config = accept("file:a");
    const struct file_options *file = &config.sinks[0].settings.file;
    assert_int_equal(file->rotate_size, 0);
    assert_int_equal(file->rotate_interval, 0);
    assert_int_equal(file->keep, 0);
    assert_int_equal(file->keep_time, 0);
    assert_int_equal(file->keep_size, 0);
    assert_int_equal(file->max_files, 1000);
    assert_int_equal(file->sync, SYNC_NEVER);
    assert_null(file->compression);
    assert_int_equal(config.sinks[0].settings.flush_interval, 0);
    config_free(&config);
}

TEST(each_key_has_its_value)
{
    struct config config = accept("file:a-%{source}.n?rotate_size=10MiB&rotate_interval=1h&keep=7&"
                                  "keep_time=30d&keep_size=1GiB&max_files=3&"
                                  "compress=squeeze&fsync=interval&flush_interval=5ms");
    assert_string_equal(config.sinks[0].path, "a-%{source}.n");
    const struct file_options *file = &config.sinks[0].settings.file;
    assert_int_equal(file->rotate_size, 10 * 1024 * 1024);
    assert_int_equal(file->rotate_interval, 3600 * SECOND);
    assert_int_equal(file->keep, 7);
    assert_int_equal(file->keep_time, 30 * 24 * 3600 * SECOND);
    assert_int_equal(file->keep_size, UINT64_C(1) << 30);
    assert_int_equal(file->max_files, 3);
    assert_int_equal(file->sync, SYNC_INTERVAL);
    assert_string_equal(file->compression->name, "squeeze");
    assert_int_equal(config.sinks[0].settings.flush_interval, 5000000);
    config_free(&config);
}

TEST(what_is_compressed_is_collected_for_a_second)
{
    struct config config = accept("file:a?compress=squeeze&fsync=close");
    assert_int_equal(config.sinks[0].settings.flush_interval, SECOND);
    assert_int_equal(config.sinks[0].settings.file.sync, SYNC_CLOSE);
    config_free(&config);
}

TEST(a_value_out_of_its_range_is_refused)
{
    assert_refused("file:a?rotate_size=4095B", 20, "is less than the minimum 4KiB");
    assert_refused("file:a?rotate_interval=999ms", 24, "is less than the minimum 1s");
    assert_refused("file:a?rotate_interval=1", 24, "has no unit");
    assert_refused("file:a?rotate_size=1s&keep=0", 20, "has an unknown unit");
    assert_refused("file:a?rotate_size=1MiB&keep=0", 30, "is less than the minimum 1");
    assert_refused("file:%{source}.n?max_files=0", 28, "is less than the minimum 1");
    assert_refused("file:%{source}.n?max_files=100001", 28, "is more than the maximum 100000");
    assert_refused("file:a?compress=lzma", 17, "squeeze");
    assert_refused("file:a?compress=", 17, "squeeze");
    assert_refused("file:a?fsync=always", 14, "never");
}

/* --- keys that require another key ------------------------------------------------------------ */

TEST(what_is_about_files_is_for_files_alone)
{
    assert_refused("stdout:?rotate_size=1MiB", 9, "is for a file: sink");
    assert_refused("stdout:?compress=squeeze", 9, "is for a file: sink");
    assert_refused("stdout:?fsync=close", 9, "is for a file: sink");
}

TEST(keep_is_for_files_that_rotate)
{
    assert_refused("file:a?keep=3", 8, "keep requires rotation");
    assert_refused("file:%{source}.n?keep=3", 18, "keep requires rotation");
    assert_refused("file:a?keep_time=3d", 8, "keep_time requires rotation");
    assert_refused("file:a?keep_size=1GiB", 8, "keep_size requires rotation");
    assert_refused("file:a?keep_size=1MiB&rotate_size=2MiB", 8,
                   "keep_size is less than rotate_size");
    static const char *const right[] = {"file:a?keep=3&rotate_size=1MiB",
                                        "file:a?rotate_interval=1h&keep=3", "file:%F?keep=3"};
    for (size_t i = 0; i < 3; i++) {
        struct config config = accept(right[i]);
        assert_int_equal(config.sinks[0].settings.file.keep, 3);
        config_free(&config);
    }
}

TEST(max_files_is_for_paths_with_values)
{
    assert_refused("file:a?max_files=3", 8, "max_files requires a path with a field of values");
    assert_refused("file:%F?max_files=3", 9, "max_files requires a path with a field of values");
}

TEST(a_path_is_refused_where_it_goes_wrong)
{
    assert_refused("file:logs/%q", 11, "there is no such field");
    assert_refused("file:logs/%{sorce}.n", 11, "there is no such value");
    assert_refused("file:100%", 9, "there is no such field");
    assert_refused("file:%{source}", 6, "a value at the end must be followed by more");
    assert_refused("file:%F/", 9, "only dots");
    assert_refused("file:%F/../a", 9, "only dots");
    struct config config = accept("file:../100%%/%F?compress=squeeze");
    config_free(&config);
}
