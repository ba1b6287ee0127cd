/* Tests finding paths of files that two parts of a configuration would both use. */
#include <string.h>

#include "collector/contract/encoder.h"
#include "sinks/files/path_names.h"
#include "tests/support/test.h"

static const struct encoder_ops lines = {.name = "lines"};
static const struct sink_settings plain = {.encoder = &lines};
static const struct sink_settings rotated = {.encoder = &lines, .file = {.rotate_size = 1}};

static bool meet(const struct sink_settings *first, const char *a,
                 const struct sink_settings *second, const char *b)
{
    const struct used_names names[] = {{.text = a, .settings = first},
                                       {.text = b, .settings = second}};
    bool found = path_names_meet(&names[0], &names[1]);
    assert_int_equal(path_names_meet(&names[1], &names[0]), found);
    return found;
}

static void assert_meet(const char *template, const char *const *names, bool expected)
{
    for (; *names != NULL; names++)
        if (meet(&plain, template, NULL, *names) != expected)
            fail_msg("'%s' and '%s' %s", template, *names, expected ? "do not meet" : "meet");
}

TEST(a_file_meets_a_template_that_could_have_named_it)
{
    static const char *const of_values[] = {"all.x",    "192.0.2.1.x", "a.12.x", "a.x.3",
                                            "a.x.part", "a.1.x.part",  NULL};
    static const char *const not_of_values[] = {"all.y", ".x",          "all.x.y", "x",     "",
                                                "a/b.x", "all.x.parts", ".a.x",    "a b.x", NULL};
    static const char *const of_time[] = {"2026-11-30.x", "2026-11-30.4.x", NULL};
    static const char *const not_of_time[] = {"2026-11-3.x", "2026-11-301.x", "2026_11-30.x", NULL};
    assert_meet("%{source}.x", of_values, true);
    assert_meet("%{source}.x", not_of_values, false);
    assert_meet("%F.x", of_time, true);
    assert_meet("%F.x", not_of_time, false);
    assert_true(meet(&plain, "%{source}/%H.x", NULL, "a/23.x"));
    assert_false(meet(&plain, "%{source}/%H.x", NULL, "a/b/23.x"));
    assert_true(meet(&plain, "%s", NULL, "1795179845"));
}

TEST(a_file_that_rotates_has_other_names_too)
{
    static const char *const names[] = {"a.x", "a.7.x", "a.x.7", "a.x.part", "a.7.x.part", NULL};
    for (const char *const *name = names; *name != NULL; name++)
        assert_true(meet(&rotated, "a.x", NULL, *name));
    for (const char *const *name = names + 1; *name != NULL; name++)
        assert_false(meet(&plain, "a.x", NULL, *name));
    assert_true(meet(&plain, "a.x", NULL, "a.x"));
    assert_true(meet(&plain, "a%%.x", NULL, "a%.x"));
    assert_true(meet(&rotated, "a.x", &rotated, "a.5.x"));
    assert_false(meet(&rotated, "a.x", &rotated, "b.x"));
}

TEST(templates_meet_if_they_have_a_name_in_common)
{
    assert_true(meet(&plain, "%F.x", &plain, "%Y-%m-%d.x"));
    assert_true(meet(&plain, "%{schema}.x", &plain, "%{source}.x"));
    assert_true(meet(&plain, "%{source}-%F.x", &plain, "%{source}.x"));
    assert_true(meet(&plain, "%{source}b.x", &plain, "a%{source}.x"));
    assert_true(meet(&plain, "%{source}.gz", &plain, "%{schema}.x.gz"));
    assert_true(meet(&plain, "a/%{source}.x", &plain, "%{schema}/b.x"));
    assert_false(meet(&plain, "%Y.x", &plain, "%m.x"));
    assert_false(meet(&plain, "%{source}.x", &plain, "%{source}.y"));
    assert_false(meet(&plain, "a-%{source}.x", &plain, "b-%{source}.x"));
    assert_false(meet(&plain, "%{source}/a.x", &plain, "%{source}/b.x"));
    assert_false(meet(&plain, "%{source}/a.x", &plain, "%{source}.x"));
}

TEST(the_longest_names_are_compared)
{
    char name[2000];
    memset(name, 'a', sizeof name);
    for (size_t size = 1000; size < sizeof name; size += 10) {
        name[size] = '\0';
        assert_int_equal(meet(&plain, "%{source}x", NULL, name), false);
        name[size] = 'a';
    }
    name[1023] = '\0';
    assert_true(meet(&plain, name, NULL, name));
}
