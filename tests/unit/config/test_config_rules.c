#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/config/url.h"
#include "tests/support/config/config_tables.h"
#include "tests/support/test.h"

#define URL "stdout:?"

static bool read_keys(const char *keys, struct config *config, struct parse_error *fault)
{
    char url[2048];
    snprintf(url, sizeof url, URL "%s", keys);
    *config = (struct config){.sinks = calloc(1, sizeof *config->sinks)};
    assert_non_null(config->sinks);
    config->sink_count = 1;
    return url_parse_sink(url, &test_registry, config->sinks, fault);
}

static struct config accepted(const char *keys)
{
    struct config config;
    struct parse_error fault;
    if (!read_keys(keys, &config, &fault))
        fail_msg("'%s': %s", keys, fault.text);
    return config;
}

/*
 * Asserts that the keys are refused with an error that contains `why`. `at` is the expected offset
 * of the error in the keys.
 */
static void refused(const char *keys, size_t at, const char *why)
{
    struct config config;
    struct parse_error fault;
    if (read_keys(keys, &config, &fault))
        fail_msg("'%s' was accepted", keys);
    config_free(&config);
    if (strstr(fault.text, why) == NULL)
        fail_msg("'%s': %s\nshould say: %s", keys, fault.text, why);
    if (fault.at != strlen(URL) + at)
        fail_msg("'%s': %s: at %zu, not %zu", keys, fault.text, fault.at - strlen(URL), at);
}

static const struct sample_rules *rules_of(const struct config *config)
{
    return &config->sinks[0].settings.encoding.rules;
}

static void assert_text(const struct text *text, const char *expected)
{
    assert_int_equal(text->size, strlen(expected));
    assert_memory_equal(text->data, expected, text->size);
}

/* --- valid rules ------------------------------------------------------------------------------ */

TEST(without_these_keys_there_are_no_rules)
{
    struct config config = accepted("format=json");
    assert_null(sample_rules_given(rules_of(&config)));
    config_free(&config);
}

TEST(each_key_makes_a_rule)
{
    static const char *const keys[][2] = {
        {"include", "a"},        {"exclude", "a"},     {"sample", "1/2"},   {"rename", "a:b"},
        {"rename_label", "a:b"}, {"add_label", "a=b"}, {"drop_label", "a"}, {"keep_label", "a"},
    };
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        char text[64];
        snprintf(text, sizeof text, "%s=%s", keys[i][0], keys[i][1]);
        struct config config = accepted(text);
        assert_string_equal(sample_rules_given(rules_of(&config)), keys[i][0]);
        config_free(&config);
        snprintf(text, sizeof text, "%s=%s&%s=%s", keys[i][0], keys[i][1], keys[i][0], keys[i][1]);
        refused(text, strlen(keys[i][0]) + strlen(keys[i][1]) + 2, "is given twice");
        snprintf(text, sizeof text, "%s=", keys[i][0]);
        refused(text, strlen(text), keys[i][0]);
    }
}

TEST(commas_part_alternatives_and_semicolons_what_holds_together)
{
    struct config config = accepted("include=cpu.*;host=web*;zone=eu=1,mem?,host=");
    const struct sample_conditions *include = rules_of(&config)->include;
    assert_int_equal(include->term_count, 5);
    assert_text(&include->terms[0].key, "");
    assert_text(&include->terms[0].glob, "cpu.*");
    assert_text(&include->terms[1].key, "host");
    assert_text(&include->terms[1].glob, "web*");
    assert_text(&include->terms[2].key, "zone");
    assert_text(&include->terms[2].glob, "eu=1");
    assert_text(&include->terms[3].glob, "mem?");
    assert_text(&include->terms[4].key, "host");
    assert_text(&include->terms[4].glob, "");
    assert_int_equal(include->alternative_count, 3);
    assert_int_equal(include->alternatives[0], 7);
    assert_int_equal(include->alternatives[1], 8);
    assert_int_equal(include->alternatives[2], 16);
    assert_int_equal(include->of_labels, 2 | 4 | 16);
    config_free(&config);
}

TEST(names_and_labels_come_in_pairs)
{
    struct config config =
        accepted("rename=a:b,b:a&rename_label=host.name:host&add_label=site=fra=1:2,env=prod"
                 "&drop_label=pid,k8s.*&sample=1/1000000");
    const struct sample_rules *rules = rules_of(&config);
    assert_int_equal(rules->rename->count, 2);
    assert_text(&rules->rename->pairs[1].from, "b");
    assert_text(&rules->rename->pairs[1].to, "a");
    assert_text(&rules->rename_label->pairs[0].from, "host.name");
    assert_text(&rules->rename_label->pairs[0].to, "host");
    assert_int_equal(rules->add_label->count, 2);
    assert_text(&rules->add_label->pairs[0].from, "site");
    assert_text(&rules->add_label->pairs[0].to, "fra=1:2");
    assert_int_equal(rules->drop_label->count, 2);
    assert_text(&rules->drop_label->globs[1], "k8s.*");
    assert_int_equal(rules->one_in, 1000000);
    config_free(&config);
}

/* --- refused rules ---------------------------------------------------------------------------- */

TEST(a_condition_is_refused_where_it_goes_wrong)
{
    refused("include=a,,b", 10, "include: a glob is missing here");
    refused("include=a,", 10, "a glob is missing here");
    refused("exclude=;a", 8, "exclude: a glob is missing here");
    refused("exclude=a;", 10, "a glob is missing here");
    refused("include=a,=b", 10, "a label's key is missing before \"=\"");
    refused("include=a,h*t=b", 10, "include compares \"h*t\" literally");
    refused("include=a,h?=b", 10, "literally");
}

TEST(a_share_is_one_in_a_number)
{
    static const char *const wrong[] = {"",      "1",    "10",    "1/",  "1/0",       "2/10",
                                        "1/1.5", "1/-1", "1/ 10", "0.1", "1/1000001", "1/10x"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char keys[64];
        snprintf(keys, sizeof keys, "sample=%s", wrong[i]);
        refused(keys, 7, "is not 1/N with N from 1 to 1000000");
    }
    struct config config = accepted("sample=1/1");
    config_free(&config);
}

static void assert_buckets(const char *keys, uint64_t expected)
{
    struct config config = accepted(keys);
    assert_int_equal(config.sinks[0].settings.encoding.buckets, expected);
    config_free(&config);
}

TEST(buckets_are_all_the_changed_ones_or_a_number)
{
    assert_buckets("format=lines", BUCKETS_ALL);
    assert_buckets("format=lines&buckets=all", BUCKETS_ALL);
    assert_buckets("format=lines&buckets=changed", BUCKETS_CHANGED);
    assert_buckets("format=lines&buckets=8", 8);
    refused("format=lines&buckets=7", 21, "\"7\" is not a number from 8 to 100000");
    refused("format=lines&buckets=some", 21, "\"some\" is not all, changed or a number");
    refused("format=lines&buckets=", 21, "is not all, changed or a number");
}

TEST(what_is_about_some_formats_is_for_formats_that_have_it)
{
    struct config config = accepted("format=lines&counter_suffix=on&native_histograms=all&"
                                    "exemplars=on&numbers=float");
    const struct encoder_options *encoding = &config.sinks[0].settings.encoding;
    assert_true(encoding->counter_suffix && encoding->exemplars && encoding->float_numbers);
    assert_int_equal(encoding->native, NATIVE_ALL);
    config_free(&config);
    config = accepted("format=lines&native_histograms=exponential");
    assert_int_equal(config.sinks[0].settings.encoding.native, NATIVE_EXPONENTIAL);
    assert_false(config.sinks[0].settings.encoding.float_numbers);
    config_free(&config);
    refused("native_histograms=off", 0, "is for format=remote-write, not for format=json");
    refused("exemplars=on", 0, "is for format=remote-write, not for format=json");
    refused("numbers=float", 0, "is for format=influx, not for format=json");
    refused("format=lines&native_histograms=some", 31, "\"some\"");
    refused("buckets=all", 0, "not for format=json");
    refused("counter_suffix=off", 0, "not for format=json");
    refused("format=lines&names=json", 13, "is for format=json and text, not for format=lines");
    refused("format=lines&int64=number", 13, "is for format=json and text, not for format=lines");
    refused("format=bytes&unknown=show", 13, "is for format=json and text, not for format=bytes");
}

TEST(a_pair_is_refused_where_it_goes_wrong)
{
    refused("rename=a:b,c", 11, "rename: \"c\" is not OLD:NEW");
    refused("rename=a:b,", 11, "rename: \"\" is not OLD:NEW");
    refused("rename=:b", 7, "is not OLD:NEW");
    refused("rename=a:", 7, "is not OLD:NEW");
    refused("rename=a:b:c", 7, "has more than one \":\"");
    refused("rename=cpu*:b", 7, "rename compares \"cpu*\" literally");
    refused("rename=a:b,a:c", 11, "rename has \"a\" twice");
    refused("rename_label=a=b", 13, "rename_label: \"a=b\" is not OLD:NEW");
    refused("add_label=a:b", 10, "add_label: \"a:b\" is not LABEL=VALUE");
    refused("add_label=a=b,a=c", 14, "add_label has \"a\" twice");
    refused("add_label=a=", 10, "is not LABEL=VALUE");
    refused("add_label=a=x%{sorce}", 13, "\"%{sorce}\" is not a field");
    refused("add_label=a=%{sorce}", 12, "did you mean \"source\"?");
    refused("add_label=a=b,c=5%", 17, "%% is a percent sign");
    refused("add_label=a=%{source", 12, "is not a field");
    refused("drop_label=a,,b", 13, "drop_label: a label is missing here");
}

TEST(a_label_that_is_dropped_cannot_be_renamed)
{
    refused("rename_label=x:y,pid:p&drop_label=t*,p?d", 0,
            "rename_label has \"pid\", but drop_label= drops that label");
    refused("rename_label=x:y&keep_label=y", 0,
            "rename_label has \"x\", but keep_label= drops that label");
    /* This pair is valid, because labels are renamed before they are dropped. */
    struct config config = accepted("rename_label=a:b&drop_label=b");
    config_free(&config);
}

/*
 * Writes `key`= and a list of `count` names, each followed by `behind`. Returns the offset of the
 * last name.
 */
static size_t write_list(char *text, size_t size, const char *key, const char *behind, size_t count)
{
    size_t used = (size_t)snprintf(text, size, "%s=", key);
    size_t last = used;
    for (size_t i = 0; i < count; i++) {
        used += (size_t)snprintf(text + used, size - used, i == 0 ? "" : ",");
        last = used;
        used += (size_t)snprintf(text + used, size - used, "a%zu%s", i, behind);
    }
    return last;
}

TEST(a_list_ends_somewhere)
{
    static const char *const keys[][2] = {
        {"include", ""}, {"drop_label", ""}, {"rename", ":b"}, {"add_label", "=b"}};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        char text[1024];
        write_list(text, sizeof text, keys[i][0], keys[i][1], 64);
        struct config config = accepted(text);
        config_free(&config);
        size_t last = write_list(text, sizeof text, keys[i][0], keys[i][1], 65);
        refused(text, last, "has more than 64 parts");
    }
}

TEST(rules_and_messages_exclude_each_other)
{
    refused("include=a&view=message", 0, "include= is about samples, but view=message writes none");
    refused("view=message&add_label=a=b", 13, "add_label= is about samples");
    refused("format=bytes&sample=1/2", 13,
            "sample= is about samples, but format=bytes writes none");
    struct config config = accepted("view=auto&include=a");
    config_free(&config);
    config = accepted("view=sample&include=a&format=lines");
    config_free(&config);
}
