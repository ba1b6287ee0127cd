/* Tests that files are found by the template that named them, for any values and times. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/sinks/path_parsing.h"
#include "tests/support/test.h"

/* --- matching paths --------------------------------------------------------------------------- */

static void assert_matches(const char *template, const char *path, uint32_t number, const char *key)
{
    struct path_template *parts = parsed(template);
    struct path_match match;
    if (!path_template_match(parts, path, &match))
        fail_msg("'%s' is not of '%s'", path, template);
    assert_int_equal(match.number, number);
    assert_string_equal(match.key, key);
    path_template_free(parts);
}

static void assert_matches_not(const char *template, const char *path)
{
    struct path_template *parts = parsed(template);
    struct path_match match;
    if (path_template_match(parts, path, &match))
        fail_msg("'%s' is taken for one of '%s', key '%s'", path, template, match.key);
    path_template_free(parts);
}

TEST(a_name_of_a_template_has_its_number_and_its_values)
{
    assert_matches("a/b.x", "a/b.x", 0, "a/b.x");
    assert_matches("a/b.x", "a/b.1.x", 1, "a/b.x");
    assert_matches("a/b.x", "a/b.999999999.x", 999999999, "a/b.x");
    assert_matches("%F.x", "2026-11-20.x", 0, "*-*-*.x");
    assert_matches("%F.x", "2026-11-20.12.x", 12, "*-*-*.x");
    assert_matches("%F", "2026-11-20.3", 3, "*-*-*");
    assert_matches("%s", "1795179845.3", 3, "*");
    assert_matches("%{source}/%H.x", "192.0.2.1/23.4.x", 4, "192.0.2.1/*.x");
    assert_matches("%{source}-%{schema}.x", "192.0.2.1-otlp-logs.x", 0, "192.0.2.1-otlp-logs.x");
    assert_matches("%{source}.x", "a.x.1.x", 1, "a.x.x");
    assert_matches("%{source}%s.x", "192.0.2.11795179845.x", 0, "192.0.2.1*.x");
    assert_matches("a%%%Y", "a%2026", 0, "a%*");
}

static void assert_bare(const char *template, const char *path, const char *bare)
{
    struct path_template *parts = parsed(template);
    struct path_match match;
    assert_true(path_template_match(parts, path, &match));
    assert_string_equal(match.bare, bare);
    path_template_free(parts);
}

TEST(a_name_of_a_template_has_its_path_without_the_number)
{
    assert_bare("a/%F.ndjson.zst", "a/2026-11-20.ndjson.zst", "a/2026-11-20.ndjson.zst");
    assert_bare("a/%F.ndjson.zst", "a/2026-11-20.17.ndjson.zst", "a/2026-11-20.ndjson.zst");
    assert_bare("a/%F.ndjson.zst", "a/2026-11-20.ndjson.zst.17", "a/2026-11-20.ndjson.zst");
    assert_bare("%F", "2026-11-20.17", "2026-11-20");
}

/* Earlier versions wrote the number at the end of the name. Such names must be found too. */
TEST(a_number_at_the_end_is_one_too)
{
    assert_matches("a/b.x", "a/b.x.1", 1, "a/b.x");
    assert_matches("%F.x", "2026-11-20.x.12", 12, "*-*-*.x");
    assert_matches("%{source}/%H.x", "192.0.2.1/23.x.4", 4, "192.0.2.1/*.x");
    assert_matches("%{source}.x", "a.x.1.x.2", 2, "a.x.1.x");
}

TEST(an_address_is_distinct_from_the_number_after_it)
{
    assert_matches("%{source}.x", "10.0.0.1.x", 0, "10.0.0.1.x");
    assert_matches("%{source}.x", "10.0.0.1.7.x", 7, "10.0.0.1.x");
    assert_matches("%{source}.x", "10.0.0.1.x.7", 7, "10.0.0.1.x");
    assert_matches("%{source}.x", "2001_db8__7.3.x", 3, "2001_db8__7.x");
    assert_matches("%{source}.x", "other.2.x", 2, "other.x");
    assert_matches("%{source}.%H.x", "10.0.0.11.13.x", 0, "10.0.0.11.*.x");
    assert_matches("%{source}.%H.x", "10.0.0.11.13.17.x", 17, "10.0.0.11.*.x");
    assert_matches("a%{source}%H.x", "a10.0.0.113.17.x", 17, "a10.0.0.1*.x");
}

TEST(a_stranger_is_no_file_of_a_template)
{
    static const char *const plain[] = {"",
                                        "a/b",
                                        "a/b.",
                                        "a/b.x.",
                                        "a/b.x.0",
                                        "a/b.x.01",
                                        "a/b.x.1.1",
                                        "a/b.1.1.x",
                                        "a/b.1.x.1",
                                        "a/b..x",
                                        "a/b.0.x",
                                        "a/b.01.x",
                                        "a/b.-1.x",
                                        "a/b.1000000000.x",
                                        "a/b.1",
                                        "a/b1.x",
                                        "a/b.x.-1",
                                        "a/b.x.1000000000",
                                        "a/b.x1",
                                        "a/b.x.1x",
                                        "a/b.xx",
                                        "xa/b.x",
                                        "a/b.x.zst",
                                        "a/b.x/1",
                                        "a/b.x.\xd9\xa1"};
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        assert_matches_not("a/b.x", plain[i]);
}

TEST(a_field_of_time_is_in_its_range)
{
    static const char *const wrong[][2] = {
        {"%Y", "202"},      {"%Y", "20261"}, {"%Y", "202a"},        {"%m", "00"},
        {"%m", "13"},       {"%m", "1"},     {"%d", "00"},          {"%d", "32"},
        {"%H", "24"},       {"%M", "60"},    {"%S", "60"},          {"%j", "000"},
        {"%j", "367"},      {"%y", "1"},     {"%y", "+1"},          {"%s", ""},
        {"%s", "01"},       {"%s", "-1"},    {"%s", "12345678901"}, {"%F", "2026-1-20"},
        {"%F", "20261120"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_matches_not(wrong[i][0], wrong[i][1]);
    assert_matches("%m%d%H%M%S%j",
                   "12312359"
                   "59366",
                   0, "******");
    assert_matches("%m%d%H%M%S%j",
                   "01010000"
                   "00001",
                   0, "******");
}

TEST(a_value_is_one_that_expand_writes)
{
    assert_matches_not("%{source}.x", ".x");
    assert_matches_not("%{source}.x", ".a.x");
    assert_matches_not("l/%{source}.x", "l/.a.x");
    assert_matches_not("l/.%{source}/x", "l/../x");
    assert_matches_not("%{source}.x", "a/b.x");
    assert_matches_not("%{source}.x", "a b.x");
    assert_matches_not("%{source}.x", "a:b.x");
    char path[256];
    memset(path, 'a', sizeof path);
    strcpy(path + PATH_VALUE_MAX, ".x");
    assert_matches("%{source}.x", path, 0, path);
    strcpy(path + PATH_VALUE_MAX, "a.x");
    assert_matches_not("%{source}.x", path);
}

TEST(a_hostile_name_takes_no_time)
{
    struct path_template *parts =
        parsed("%{source}-%{source}-%{source}-%{source}-%{source}-%{source}-%{source}-%{source}-x");
    char path[PATH_TEMPLATE_SIZE + 64];
    struct path_match match;
    for (size_t size = 0; size < sizeof path; size += 50) {
        memset(path, '-', size);
        path[size] = '\0';
        assert_false(path_template_match(parts, path, &match));
    }
    path_template_free(parts);
}

/* --- random templates and values -------------------------------------------------------------- */

static uint64_t random_state = 0x9e3779b97f4a7c15;

static uint64_t random_number(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static void random_text(char *text, size_t size)
{
    static const char often[] = "..-_/:19a";
    size_t length = random_number() % size;
    for (size_t i = 0; i < length; i++) {
        char any = (char)(1 + random_number() % 255);
        text[i] = random_number() % 4 == 0 ? any : often[random_number() % (sizeof often - 1)];
    }
    text[length] = '\0';
}

static const char *const templates[] = {
    "%{source}/%{listener}/%F/%H%M.ndjson",
    "logs/%{listener}%Y%m%d%H%M%S%j%y.x",
    "/a/.%{listener}/..%{schema}-%s.json",
    "%s%{schema}%s%{listener}%Sx",
    "b/%{listener}/%s",
    "%{listener}.1.%s.%{schema}%F",
    "%{schema}.ndjson",
    "%{source}-%{listener}.ndjson.zst",
    "%{listener}.%H.gz",
    "%F/%{schema}.%s.x",
    "%Y/%j",
};

static void assert_names_are_safe(const char *path)
{
    for (const char *name = path; name != NULL;) {
        const char *end = strchr(name, '/');
        size_t size = end != NULL ? (size_t)(end - name) : strlen(name);
        if (name != path || size != 0)
            assert_true(strspn(name, ".") < size);
        name = end != NULL ? end + 1 : NULL;
    }
}

static void assert_matches_itself(const struct path_template *parts,
                                  const struct path_values *values)
{
    char path[PATH_TEMPLATE_SIZE + 16];
    struct path_match bare, numbered;
    size_t size = path_template_expand(parts, values, path, PATH_TEMPLATE_SIZE);
    assert_int_equal(size, strlen(path));
    assert_int_not_equal(size, 0);
    assert_names_are_safe(path);
    if (!path_template_match(parts, path, &bare) || bare.number != 0)
        fail_msg("'%s' is not matched", path);
    uint32_t number = 1 + (uint32_t)(random_number() % PATH_NUMBER_MAX);
    char with_number[sizeof path];
    assert_true(path_template_numbered(parts, path, number, with_number, sizeof with_number));
    if (!path_template_match(parts, with_number, &numbered) || numbered.number != number)
        fail_msg("'%s' is not matched", with_number);
    assert_string_equal(numbered.key, bare.key);
    assert_string_equal(numbered.bare, path);
    assert_int_equal(path_template_number_of(parts, path, with_number), number);
    assert_int_equal(path_template_number_of(parts, path, path), 0);
}

TEST(what_was_expanded_matches_with_any_number)
{
    for (size_t i = 0; i < sizeof templates / sizeof templates[0]; i++) {
        struct path_template *parts = parsed(templates[i]);
        for (size_t round = 0; round < 4000; round++) {
            char listener[150], schema[20];
            random_text(listener, sizeof listener);
            random_text(schema, sizeof schema);
            uint64_t bytes[2] = {random_number(), random_number()};
            struct address source = random_number() % 2 == 0
                                        ? address_from_ipv4((const uint8_t *)bytes, 1)
                                        : address_from_ipv6((const uint8_t *)bytes, 0, 1);
            struct path_values values = {.time_ns = (int64_t)random_number(),
                                         .source = &source,
                                         .listener = listener,
                                         .schema = schema};
            assert_matches_itself(parts, &values);
        }
        path_template_free(parts);
    }
}

TEST(a_step_has_one_path)
{
    static const struct {
        const char *template;
        int64_t seconds;
    } steps[] = {
        {"%Y%m%d%j%y", 86400}, {"%F-%H", 3600}, {"%F-%H%M", 60}, {"%F-%H%M%S", 1}, {"%s", 1}};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        struct path_template *parts = parsed(steps[i].template);
        int64_t step = steps[i].seconds * 1000000000;
        for (size_t round = 0; round < 4000; round++) {
            int64_t time = (int64_t)random_number() / 2;
            int64_t begin = path_template_step(parts, time) * step;
            char here[64], first[64], last[64], before[64];
            assert_in_range(time - begin, 0, step - 1);
            path_template_expand(parts, &(struct path_values){.time_ns = time}, here, 64);
            path_template_expand(parts, &(struct path_values){.time_ns = begin}, first, 64);
            path_template_expand(parts, &(struct path_values){.time_ns = begin + step - 1}, last,
                                 64);
            path_template_expand(parts, &(struct path_values){.time_ns = begin - 1}, before, 64);
            assert_string_equal(here, first);
            assert_string_equal(here, last);
            if (time > 0)
                assert_string_not_equal(here, before);
        }
        path_template_free(parts);
    }
}

TEST(files_of_the_same_values_have_one_key_at_any_time)
{
    struct path_template *parts = parsed("%{source}/%F/%{schema}-%H%M%S-%s.json");
    struct address source = address_of("2001:db8::7");
    char key[PATH_TEMPLATE_SIZE] = "2001_db8__7/*-*-*/junos.1-***-*.json";
    for (size_t round = 0; round < 4000; round++) {
        struct path_values values = {
            .time_ns = (int64_t)random_number(), .source = &source, .schema = "junos.1"};
        char path[PATH_TEMPLATE_SIZE];
        struct path_match match;
        path_template_expand(parts, &values, path, sizeof path);
        assert_true(path_template_match(parts, path, &match));
        assert_string_equal(match.key, key);
    }
    path_template_free(parts);
}
