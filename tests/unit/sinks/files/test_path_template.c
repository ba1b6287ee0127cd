/* Tests paths with fields: the paths that result, and templates that are refused. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/sinks/path_parsing.h"
#include "tests/support/test.h"

static void assert_expands(const char *template, const struct path_values *values,
                           const char *expected)
{
    struct path_template *path = parsed(template);
    char out[PATH_TEMPLATE_SIZE];
    size_t size = path_template_expand(path, values, out, sizeof out);
    assert_string_equal(out, expected);
    assert_int_equal(size, strlen(expected));
    path_template_free(path);
}

static void assert_time(const char *template, int64_t seconds, const char *expected)
{
    struct path_values values = {.time_ns = seconds * NS_PER_S};
    assert_expands(template, &values, expected);
}

/* --- time ------------------------------------------------------------------------------------- */

TEST(fields_of_time_are_digits_in_utc)
{
    assert_time("%Y%m%d-%H%M%S", 1795179845, "20261120-130405");
    assert_time("%F/%H.ndjson", 1795179845, "2026-11-20/13.ndjson");
    assert_time("%y-%j", 1795179845, "26-324");
    assert_time("%s.log", 1795179845, "1795179845.log");
    assert_time("%%Y%%%Y%%", 0, "%Y%1970%");
    assert_time("plain", 1795179845, "plain");
}

TEST(leap_days_are_counted)
{
    assert_time("%F %j", 951782400, "2000-02-29 060");
    assert_time("%F %j", 951782400 + 86400, "2000-03-01 061");
    assert_time("%F %j", 1709164800, "2024-02-29 060");
    assert_time("%F %j", 1735603200, "2024-12-31 366");
    assert_time("%F %j", -2203891200, "1900-03-01 060");
}

TEST(a_time_before_1970_rounds_down_and_has_no_seconds)
{
    assert_time("%F-%H%M%S", -1, "1969-12-31-235959");
    assert_time("%s", -1, "0");
    struct path_values values = {.time_ns = -1};
    assert_expands("%F-%H%M%S", &values, "1969-12-31-235959");
}

TEST(years_have_four_digits_as_far_as_a_time_reaches)
{
    struct path_values values = {.time_ns = INT64_MIN};
    assert_expands("%F-%H%M%S-%s", &values, "1677-09-21-001243-0");
    values.time_ns = INT64_MAX;
    assert_expands("%F-%H%M%S-%s", &values, "2262-04-11-234716-9223372036");
}

static int days_of_month(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && leap);
}

TEST(every_day_follows_the_one_before)
{
    struct path_template *path = parsed("%Y %m %d %j %y");
    int year = 1678, month = 1, day = 1, of_year = 1;
    for (int64_t days = -106650; days < 106751; days++) {
        struct path_values values = {.time_ns = days * 86400 * NS_PER_S};
        char expected[64], out[64];
        snprintf(expected, sizeof expected, "%04d %02d %02d %03d %02d", year, month, day, of_year,
                 year % 100);
        assert_int_not_equal(path_template_expand(path, &values, out, sizeof out), 0);
        assert_string_equal(out, expected);
        of_year++;
        if (++day > days_of_month(year, month)) {
            day = 1;
            month++;
        }
        if (month > 12) {
            month = 1;
            of_year = 1;
            year++;
        }
    }
    assert_int_equal(year, 2262);
    path_template_free(path);
}

static void assert_step(const char *template, int64_t seconds)
{
    struct path_template *path = parsed(template);
    assert_int_equal(path_template_has_time(path), seconds != 0);
    assert_int_equal(path_template_step(path, seconds * NS_PER_S), seconds != 0);
    if (seconds != 0)
        assert_int_equal(path_template_step(path, seconds * NS_PER_S - 1), 0);
    path_template_free(path);
}

TEST(the_finest_field_says_how_long_a_path_stays_the_same)
{
    assert_step("x", 0);
    assert_step("%{schema}.x", 0);
    assert_step("%Y", 86400);
    assert_step("%y%m", 86400);
    assert_step("%F", 86400);
    assert_step("%j", 86400);
    assert_step("%F-%H", 3600);
    assert_step("%H%M", 60);
    assert_step("%S%H", 1);
    assert_step("%Y/%s", 1);
}

TEST(steps_are_counted_from_1970_and_round_down)
{
    struct path_template *path = parsed("%H");
    assert_int_equal(path_template_step(path, 0), 0);
    assert_int_equal(path_template_step(path, 3600 * NS_PER_S - 1), 0);
    assert_int_equal(path_template_step(path, 3600 * NS_PER_S), 1);
    assert_int_equal(path_template_step(path, -1), -1);
    assert_int_equal(path_template_step(path, -3600 * NS_PER_S), -1);
    assert_int_equal(path_template_step(path, -3600 * NS_PER_S - 1), -2);
    path_template_free(path);
    path = parsed("x");
    assert_int_equal(path_template_step(path, INT64_MIN), 0);
    path_template_free(path);
}

/* --- values ----------------------------------------------------------------------------------- */

static void assert_listener(const char *template, const char *listener, const char *expected)
{
    struct path_values values = {.listener = listener};
    assert_expands(template, &values, expected);
}

TEST(values_stand_where_their_fields_are)
{
    struct address source = address_of("192.0.2.1");
    struct path_values values = {.source = &source, .listener = "udp", .schema = "otlp-logs"};
    assert_expands("a/%{source}/%{listener}_%{schema}.json", &values,
                   "a/192.0.2.1/udp_otlp-logs.json");
}

TEST(what_a_name_may_not_hold_becomes_an_underscore)
{
    assert_listener("%{listener}.x", "udp://[::1]:5555", "udp______1__5555.x");
    assert_listener("%{listener}.x", "pcap:../../etc/passwd", "pcap_.._.._etc_passwd.x");
    assert_listener("%{listener}.x", "a\nb\x01\\\x7f%Y*\xc3\xa9", "a_b____Y___.x");
}

TEST(an_ipv6_address_has_no_colons_and_no_zone_sign)
{
    struct address source = address_of("fe80::1%3");
    struct path_values values = {.source = &source};
    assert_expands("%{source}.x", &values, "fe80__1_3.x");
}

TEST(a_value_that_is_empty_or_missing_is_an_underscore)
{
    struct path_values values = {.listener = ""};
    assert_expands("%{source}-%{listener}-%{schema}.x", &values, "_-_-_.x");
    struct address none = {0};
    values.source = &none;
    assert_expands("%{source}/x", &values, "_/x");
}

TEST(a_value_never_hides_a_file_and_never_leads_upwards)
{
    assert_listener("%{listener}/x", "..", "__/x");
    assert_listener("%{listener}/x", ".", "_/x");
    assert_listener("a/%{listener}.x", ".hidden", "a/_hidden.x");
    assert_listener("a/.%{listener}/x", ".", "a/._/x");
    assert_listener("a/..%{listener}/x", "...", "a/.._._/x");
    assert_listener("a/b%{listener}/x", "..", "a/b._/x");
    assert_listener("%Y%{listener}/x", "..", "1970._/x");
}

TEST(what_windows_leaves_out_of_a_name_is_not_in_it)
{
    assert_listener("%{listener}/x", "a.", "a_/x");
    assert_listener("%{listener}/x", "a.b..", "a.b._/x");
    assert_listener("%{listener}.x", "a.", "a..x");
    assert_listener("%{listener}%Y/x", "a.", "a.1970/x");
    assert_listener("%{listener}-%{listener}/x", "a.", "a.-a_/x");
}

static void assert_schema(const char *template, const char *schema, const char *expected)
{
    struct path_values values = {.listener = "udp", .schema = schema};
    assert_expands(template, &values, expected);
}

TEST(a_value_makes_no_device_of_a_name)
{
    assert_schema("%{schema}.ndjson", "aux", "_ux.ndjson");
    assert_schema("%{schema}.ndjson", "NUL", "_UL.ndjson");
    assert_schema("logs/%{schema}/%F.ndjson", "con", "logs/_on/1970-01-01.ndjson");
    assert_schema("%{schema}/%{schema}.x", "com1.part", "_om1.part/_om1.part.x");
    assert_schema("com%{schema}.x", "1", "com_.x");
    assert_schema("%{schema}%{listener}.x", "nul", "nuludp.x");
    /* The folder "nul" is not changed, because the user wrote it in the template. */
    assert_schema("nul/%{schema}-.x", "nul", "nul/nul-.x");
    assert_schema("a/%{schema}1.x", "com", "a/_om1.x");
    assert_schema("%{listener}.%{schema}.x", "con", "udp.con.x");
}

TEST(a_long_value_is_cut)
{
    char value[2 * PATH_VALUE_MAX + 1], expected[PATH_VALUE_MAX + 8];
    memset(value, 'a', sizeof value - 1);
    value[sizeof value - 1] = '\0';
    snprintf(expected, sizeof expected, "%.*s.x", PATH_VALUE_MAX, value);
    assert_listener("%{listener}.x", value, expected);
}

TEST(values_of_others_are_the_word_other)
{
    struct path_template *path = parsed("%F/%{source}-%{schema}.x");
    char out[PATH_TEMPLATE_SIZE];
    size_t size = path_template_expand_other(path, 86400 * NS_PER_S, out, sizeof out);
    assert_string_equal(out, "1970-01-02/other-other.x");
    assert_int_equal(size, strlen(out));
    path_template_free(path);
}

TEST(what_does_not_fit_is_reported_and_nothing_is_written_after_the_end)
{
    struct path_template *path = parsed("logs/%F/%{listener}-%s.ndjson");
    struct path_values values = {.listener = "udp"};
    static const char expected[] = "logs/1970-01-01/udp-0.ndjson";
    for (size_t size = 0; size <= sizeof expected + 1; size++) {
        char *out = malloc(size + 8);
        assert_non_null(out);
        memset(out, '#', size + 8);
        size_t length = path_template_expand(path, &values, out, size);
        assert_int_equal(length, size < sizeof expected ? 0 : sizeof expected - 1);
        if (length != 0)
            assert_string_equal(out, expected);
        assert_memory_equal(out + size, "########", 8);
        free(out);
    }
    path_template_free(path);
}

/* --- refused templates ------------------------------------------------------------------------ */

static void assert_refused(const char *text, size_t at, const char *part)
{
    struct path_template *path = NULL;
    size_t wrong_at = SIZE_MAX;
    const char *why = NULL;
    if (path_template_parse(text, &path, &wrong_at, &why))
        fail_msg("'%s' is taken for a path", text);
    assert_null(path);
    if (wrong_at != at || strstr(why, part) == NULL)
        fail_msg("'%s' is refused at %zu, not at %zu for '%s': %s", text, wrong_at, at, part, why);
}

TEST(a_percent_sign_begins_a_field_that_there_is)
{
    assert_refused("logs/%Q", 5, "%Y %m %d %H %M %S %y %j %F %s");
    assert_refused("logs/%Q", 5, "%{source}, %{listener}, %{schema} and %{sender}");
    assert_refused("x%", 1, "no such field");
    assert_refused("x%/y", 1, "no such field");
    assert_refused("%%%", 2, "no such field");
    assert_refused("%B", 0, "no such field");
    assert_refused("x-%{sendr}.y", 2, "%{source}, %{listener}, %{schema} and %{sender}");
    assert_refused("%{source", 0, "no such value");
    assert_refused("%{}", 0, "no such value");
}

TEST(the_end_of_the_last_value_is_distinct_from_a_number)
{
    assert_refused("logs/%{source}", 5, "digits and dots");
    assert_refused("%{schema}-%{source}.%Y.1", 10, "digits and dots");
    path_template_free(parsed("%{source}.%Y.n"));
    path_template_free(parsed("%{source}/%Y"));
    path_template_free(parsed("%{source}%F"));
}

TEST(names_after_a_field_are_names)
{
    assert_refused("", 0, "missing");
    assert_refused("%Y/", 3, "only dots");
    assert_refused("a/%Y//x", 5, "only dots");
    assert_refused("a/%Y/../x", 5, "only dots");
    assert_refused("a/%Y/.", 5, "only dots");
    assert_refused("a/%{source}x/./b", 13, "only dots");
    path_template_free(parsed("..//./a%Y"));
    path_template_free(parsed("folder/"));
}

TEST(a_path_that_may_not_fit_is_refused)
{
    char text[PATH_TEMPLATE_SIZE + 16];
    memset(text, 'a', sizeof text);
    text[PATH_TEMPLATE_SIZE - 1] = '\0';
    path_template_free(parsed(text));
    text[PATH_TEMPLATE_SIZE - 1] = 'a';
    text[PATH_TEMPLATE_SIZE] = '\0';
    assert_refused(text, PATH_TEMPLATE_SIZE - 1, "longer than 1023 bytes");
    snprintf(text + PATH_TEMPLATE_SIZE - PATH_VALUE_MAX - 1, 32, "%%{schema}x");
    assert_refused(text, PATH_TEMPLATE_SIZE - PATH_VALUE_MAX - 1 + strlen("%{schema}"),
                   "longer than 1023 bytes");
    strcpy(text + PATH_TEMPLATE_SIZE - PATH_VALUE_MAX - 2, "%{schema}x");
    path_template_free(parsed(text));
    for (size_t i = 0; i < 65; i++)
        memcpy(text + 2 * i, "%S", 3);
    assert_refused(text, 128, "too many fields");
}

/* --- folders ---------------------------------------------------------------------------------- */

static void assert_folders(const char *template, const char *base, const char *prefix, size_t depth)
{
    struct path_template *path = parsed(template);
    assert_string_equal(path_template_base(path), base);
    assert_string_equal(path_template_prefix(path), prefix);
    assert_int_equal(path_template_depth(path), depth);
    path_template_free(path);
}

TEST(the_base_folder_is_what_no_field_changes)
{
    assert_folders("x", ".", "", 0);
    assert_folders("%Y", ".", "", 0);
    assert_folders("%Y/%m/x", ".", "", 2);
    assert_folders("logs/%Y", "logs", "logs/", 0);
    assert_folders("logs/a%Y/b/%m", "logs", "logs/", 2);
    assert_folders("/var/log//%Y/x", "/var/log", "/var/log//", 1);
    assert_folders("/%Y", "/", "/", 0);
    assert_folders("/x", "/", "/", 0);
    assert_folders("a%%b/%%/%Y", "a%b/%", "a%b/%/", 0);
    assert_folders("a/b/c", "a/b", "a/b/", 0);
}

static void assert_kind(const char *template, bool fields, bool time, bool values)
{
    struct path_template *path = parsed(template);
    struct path_fields read;
    size_t wrong_at;
    const char *why;
    assert_true(path_template_read(template, &read, &wrong_at, &why));
    assert_int_equal(read.time, time);
    assert_int_equal(read.values, values);
    assert_int_equal(path_template_has_fields(path), fields);
    assert_int_equal(path_template_has_time(path), time);
    assert_int_equal(path_template_has_values(path), values);
    path_template_free(path);
}

TEST(a_path_knows_what_is_in_it)
{
    assert_kind("a%%Y", false, false, false);
    assert_kind("%M", true, true, false);
    assert_kind("%{schema}x", true, false, true);
    assert_kind("%{schema}/%s", true, true, true);
}

/* --- numbers ---------------------------------------------------------------------------------- */

static void assert_numbered(const char *text, const char *expected)
{
    struct path_template *path = parsed(text);
    char bare[PATH_TEMPLATE_SIZE], name[PATH_TEMPLATE_SIZE + 16];
    struct path_values values = {.listener = "udp", .schema = "otlp"};
    path_template_expand(path, &values, bare, sizeof bare);
    assert_true(path_template_numbered(path, bare, 7, name, sizeof name));
    assert_string_equal(name, expected);
    assert_true(path_template_numbered(path, bare, 0, name, sizeof name));
    assert_string_equal(name, bare);
    assert_int_equal(path_template_number_of(path, bare, expected), 7);
    path_template_free(path);
}

TEST(a_number_stands_before_the_extension)
{
    assert_numbered("metrics.ndjson", "metrics.7.ndjson");
    assert_numbered("a.b/metrics.ndjson.zst", "a.b/metrics.7.ndjson.zst");
    assert_numbered("metrics.om.gz", "metrics.7.om.gz");
    assert_numbered("metrics.gz", "metrics.7.gz");
    assert_numbered("2026.11.23T10.ndjson", "2026.11.23T10.7.ndjson");
    assert_numbered("dump.pcap", "dump.7.pcap");
    assert_numbered("a.b.c", "a.b.7.c");
    assert_numbered("%F.csv", "1970-01-01.7.csv");
    assert_numbered("%{schema}.csv.gz", "otlp.7.csv.gz");
    assert_numbered(".metrics.ndjson", ".metrics.7.ndjson");
    assert_numbered("%Y/.gz.x", "1970/.gz.7.x");
}

TEST(a_name_without_an_extension_has_it_at_its_end)
{
    assert_numbered("metrics", "metrics.7");
    assert_numbered("a.b/metrics", "a.b/metrics.7");
    assert_numbered("metrics-2026.11.23T10", "metrics-2026.11.23T10.7");
    assert_numbered("metrics.v2", "metrics.v2.7");
    assert_numbered(".metrics", ".metrics.7");
    assert_numbered("a/.gz", "a/.gz.7");
    assert_numbered(".ndjson.gz", ".ndjson.7.gz");
    assert_numbered("%F", "1970-01-01.7");
    assert_numbered("a.%Y", "a.1970.7");
    assert_numbered("%{schema}/%Y", "otlp/1970.7");
}

TEST(what_is_no_number_of_a_name_is_reported)
{
    static const char *const others[] = {"a.x.0", "a.0.x", "a.01.x",  "a.1.1.x",       "a.1.x.1",
                                         "a.1",   "a.1.y", "a.1.x.y", "b.1.x",         "a..x",
                                         "a.",    "",      "a.x.",    "a.1000000000.x"};
    struct path_template *path = parsed("a.x");
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (path_template_number_of(path, "a.x", others[i]) != -1)
            fail_msg("%s", others[i]);
    assert_int_equal(path_template_number_of(path, "a.x", "a.x"), 0);
    assert_int_equal(path_template_number_of(path, "a.x", "a.5.x"), 5);
    assert_int_equal(path_template_number_of(path, "a.x", "a.x.5"), 5);
    path_template_free(path);
}

TEST(a_value_before_the_number_ends_in_no_number)
{
    struct address source = address_of("192.0.2.1");
    struct path_values values = {.source = &source};
    assert_expands("%{source}.x", &values, "192.0.2.1.x");
    assert_expands("%{source}.%H.x", &values, "192.0.2.1.00.x");
    assert_listener("%{listener}.x", "fd:a.1", "fd_a_1.x");
    assert_listener("%{listener}.x", "fd:1.2.3", "fd_1.2_3.x");
    assert_listener("%{listener}.%H.x", "fd:a.1", "fd_a_1.00.x");
    assert_listener("%{listener}.x", "fd:a.", "fd_a..x");
    assert_listener("%{listener}-a.x", "fd:a.1", "fd_a.1-a.x");
    assert_listener("%{listener}/a.x", "fd:a.1", "fd_a.1/a.x");
}
