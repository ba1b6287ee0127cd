/* Tests which samples include=, exclude= and sample= leave out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/schemas.h"
#include "sinks/sinks.h"
#include "tests/support/sinks/ruled_encoding.h"
#include "tests/support/test.h"

#define PLENTY ((size_t)4 * 1024 * 1024)

static struct telemetry_builder builder;

static int set_up(void **state)
{
    (void)state;
    telemetry_begin(&builder);
    return 0;
}

static void add(const char *name, const char *key, const char *value)
{
    telemetry_add_double(&builder, name, 1);
    if (key != NULL)
        telemetry_add_label(&builder, key, value);
}

static void assert_kept(const char *keys, const char *expected)
{
    add("cpu.load", "host", "web1");
    add("cpu.idle", "host", "db1");
    add("mem", "host", "web2");
    add("disk", NULL, NULL);
    add("", "host", "");
    assert_string_equal(ruled_heads(keys, &builder), expected);
}

/* --- include and exclude ---------------------------------------------------------------------- */

TEST_WITH(without_conditions_all_stay, set_up, NULL)
{
    (void)state;
    assert_kept("", "cpu.load,host=web1 cpu.idle,host=db1 mem,host=web2 disk _");
}

TEST_WITH(one_alternative_that_matches_is_enough, set_up, NULL)
{
    (void)state;
    assert_kept("include=cpu.*", "cpu.load,host=web1 cpu.idle,host=db1");
    assert_kept("include=mem,d??k", "mem,host=web2 disk");
    assert_kept("include=cpu", "");
    assert_kept("include=host=web*", "cpu.load,host=web1 mem,host=web2");
    assert_kept("include=disk,host=db1", "cpu.idle,host=db1 disk");
    assert_kept("include=*", "cpu.load,host=web1 cpu.idle,host=db1 mem,host=web2 disk _");
    assert_kept("include=?*", "cpu.load,host=web1 cpu.idle,host=db1 mem,host=web2 disk");
}

TEST_WITH(what_semicolons_join_must_hold_together, set_up, NULL)
{
    (void)state;
    assert_kept("include=cpu.*;host=web*", "cpu.load,host=web1");
    assert_kept("include=host=web*;cpu.*;host=*1,disk", "cpu.load,host=web1 disk");
    assert_kept("include=cpu.*;mem", "");
    assert_kept("exclude=cpu.*;host=web*", "cpu.idle,host=db1 mem,host=web2 disk _");
}

TEST_WITH(exclude_wins, set_up, NULL)
{
    (void)state;
    assert_kept("exclude=cpu.*,disk", "mem,host=web2 _");
    assert_kept("exclude=*", "");
    assert_kept("include=cpu.*&exclude=host=db*", "cpu.load,host=web1");
    assert_kept("include=host=web*&exclude=mem", "cpu.load,host=web1");
    assert_kept("include=mem&exclude=mem", "");
}

TEST_WITH(a_label_that_is_not_there_matches_nothing, set_up, NULL)
{
    (void)state;
    assert_kept("include=host=*", "cpu.load,host=web1 cpu.idle,host=db1 mem,host=web2 _");
    assert_kept("include=host=", "_");
    assert_kept("exclude=host=*", "disk");
    assert_kept("include=zone=*", "");
    assert_kept("exclude=zone=*", "cpu.load,host=web1 cpu.idle,host=db1 mem,host=web2 disk _");
}

TEST_WITH(a_label_without_a_key_is_not_the_name, set_up, NULL)
{
    (void)state;
    add("a", "", "b");
    assert_string_equal(ruled_heads("include=b,host=x", &builder), "");
    add("a", "", "b");
    assert_string_equal(ruled_heads("exclude=b&sample=1/1", &builder), "a");
}

TEST_WITH(of_two_labels_with_one_key_the_first_counts, set_up, NULL)
{
    (void)state;
    static const char *const keys[] = {"include=zone=own", "include=zone=shared",
                                       "exclude=zone=shared", "include=zone=again"};
    static const char *const expected[] = {"a,zone=own", "b,zone=shared", "a,zone=own", ""};
    for (size_t i = 0; i < 4; i++) {
        telemetry_add_label(&builder, "zone", "shared");
        telemetry_add_label(&builder, "zone", "again");
        add("a", "zone", "own");
        add("b", NULL, NULL);
        assert_string_equal(ruled_heads(keys[i], &builder), expected[i]);
    }
}

TEST_WITH(conditions_look_at_what_was_sent, set_up, NULL)
{
    (void)state;
    assert_kept("include=cpu.load;host=web1&rename=cpu.load:l&rename_label=host:h&add_label=x=y",
                "l,h=web1,x=y");
    assert_kept("include=l&rename=cpu.load:l", "");
    assert_kept("include=host=web1&drop_label=host", "cpu.load");
    assert_kept("include=x=y&add_label=x=y", "");
}

/* --- sample ----------------------------------------------------------------------------------- */

static void add_series(bool zone_first)
{
    static char hosts[16][8];
    for (size_t i = 0; i < 16; i++) {
        snprintf(hosts[i], sizeof hosts[i], "web%zu", i);
        telemetry_add_double(&builder, "cpu", 1);
        if (zone_first)
            telemetry_add_label(&builder, "zone", "eu");
        telemetry_add_label(&builder, "host", hosts[i]);
        if (!zone_first)
            telemetry_add_label(&builder, "zone", "eu");
    }
}

#define HALF                                                                                       \
    "cpu,host=web1,zone=eu cpu,host=web3,zone=eu cpu,host=web6,zone=eu cpu,host=web11,zone=eu "    \
    "cpu,host=web12,zone=eu cpu,host=web14,zone=eu"
#define TENTH "cpu,host=web3,zone=eu cpu,host=web6,zone=eu cpu,host=web11,zone=eu"

/* Another program computed which series are kept, from the description in series_hash.h. */
TEST_WITH(the_same_series_stay_on_every_machine, set_up, NULL)
{
    (void)state;
    add_series(false);
    assert_string_equal(ruled_heads("sample=1/2", &builder), HALF);
    add_series(false);
    assert_string_equal(ruled_heads("sample=1/10", &builder), TENTH);
}

TEST_WITH(the_order_of_labels_does_not_matter, set_up, NULL)
{
    (void)state;
    add_series(true);
    assert_string_equal(ruled_heads("sample=1/10", &builder),
                        "cpu,zone=eu,host=web3 cpu,zone=eu,host=web6 cpu,zone=eu,host=web11");
}

TEST_WITH(labels_that_do_not_count_do_not_matter, set_up, NULL)
{
    (void)state;
    telemetry_add_label(&builder, "zone", "us");
    telemetry_add_label(&builder, "host", "web0");
    add_series(false);
    assert_string_equal(ruled_heads("sample=1/2", &builder), HALF);
}

TEST_WITH(a_series_is_what_was_sent, set_up, NULL)
{
    (void)state;
    add_series(false);
    assert_string_equal(ruled_heads("sample=1/10&rename=cpu:c&drop_label=zone&rename_label=host:h"
                                    "&add_label=x=y",
                                    &builder),
                        "c,h=web3,x=y c,h=web6,x=y c,h=web11,x=y");
}

TEST_WITH(a_share_is_of_what_the_conditions_keep, set_up, NULL)
{
    (void)state;
    add_series(false);
    assert_string_equal(ruled_heads("sample=1/2&include=host=web1?", &builder),
                        "cpu,host=web11,zone=eu cpu,host=web12,zone=eu cpu,host=web14,zone=eu");
    add_series(false);
    assert_string_equal(ruled_heads("sample=1/2&include=cpu", &builder), HALF);
    add_series(false);
    assert_string_equal(ruled_heads("sample=1/2&include=mem", &builder), "");
    add_series(false);
    assert_string_equal(ruled_heads("sample=1/10&exclude=host=web11", &builder),
                        "cpu,host=web3,zone=eu cpu,host=web6,zone=eu");
}

static bool keeps_host(struct ruled *ruled, size_t number)
{
    char host[16];
    snprintf(host, sizeof host, "web%zu", number);
    telemetry_begin(&builder);
    add("cpu", "host", host);
    telemetry_end(&builder);
    assert_true(encoding_decode(ruled->encoding, builder.datagram, builder.size));
    encoding_write(ruled->encoding);
    return ruled->encoding->lines == 1;
}

TEST_WITH(a_smaller_share_is_part_of_a_larger_one, set_up, NULL)
{
    (void)state;
    static const struct {
        const char *keys;
        size_t kept; /* of 10,000 series, computed by that program */
    } shares[] = {
        {"sample=1/1", 10000}, {"sample=1/2", 5036}, {"sample=1/10", 1034},
        {"sample=1/100", 94},  {"sample=1/1000", 7},
    };
    static bool before[10000];
    memset(before, true, sizeof before);
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
        struct ruled ruled = ruled_open(&schema_telemetry, shares[i].keys);
        size_t count = 0;
        for (size_t j = 0; j < 10000; j++) {
            bool kept = keeps_host(&ruled, j);
            assert_true(!kept || before[j]);
            before[j] = kept;
            count += kept;
        }
        assert_int_equal(count, shares[i].kept);
        ruled_close(&ruled);
    }
}

/* --- every format ----------------------------------------------------------------------------- */

TEST_WITH(every_format_of_samples_leaves_out_the_same, set_up, NULL)
{
    (void)state;
    for (const struct encoder_ops *const *row = builtin_encoders; *row != NULL; row++) {
        char keys[64];
        if ((*row)->binary)
            continue;
        snprintf(keys, sizeof keys, "format=%s&include=host=web1", (*row)->name);
        struct ruled ruled = ruled_open(&schema_telemetry, keys);
        telemetry_begin(&builder);
        add("a", "host", "web1");
        add("b", "host", "web2");
        telemetry_end(&builder);
        assert_true(encoding_decode(ruled.encoding, builder.datagram, builder.size));
        encoding_assert_whole_or_overflow(ruled.encoding);
        assert_int_equal(ruled.encoding->samples, 1);
        telemetry_begin(&builder);
        add("b", "host", "web2");
        telemetry_end(&builder);
        assert_true(encoding_decode(ruled.encoding, builder.datagram, builder.size));
        assert_string_equal(encoding_write(ruled.encoding), "");
        assert_int_equal(ruled.encoding->lines, 0);
        assert_int_equal(ruled.encoding->samples, 0);
        assert_false(encoding_overflows(ruled.encoding, 0));
        ruled_close(&ruled);
    }
}

/* --- datagrams that would need much work ------------------------------------------------------ */

static void decode_long_label(struct ruled *ruled, size_t size)
{
    char *value = calloc(1, size + 1);
    assert_non_null(value);
    memset(value, 'a', size);
    telemetry_begin(&builder);
    telemetry_add_label(&builder, "k", value);
    for (size_t i = 0; i < 16; i++)
        telemetry_add_double(&builder, "n", 1);
    telemetry_end(&builder);
    assert_true(encoding_decode(ruled->encoding, builder.datagram, builder.size));
    free(value);
}

TEST_WITH(globs_that_take_too_long_make_a_record_too_large, set_up, NULL)
{
    (void)state;
    static const char *const keys[] = {"include=k=*a*a*a*aaaaaaaaaaaaaaaab",
                                       "exclude=k=*aaaaaaaaaaaaaaaab*"};
    for (size_t i = 0; i < 2; i++) {
        struct ruled ruled = ruled_open(&schema_telemetry, keys[i]);
        decode_long_label(&ruled, 60000);
        assert_true(encoding_overflows(ruled.encoding, PLENTY));
        decode_long_label(&ruled, 100); /* the next record is written normally */
        encoding_write(ruled.encoding);
        assert_int_equal(ruled.encoding->lines, i == 0 ? 0 : 16);
        ruled_close(&ruled);
    }
}

TEST_WITH(a_name_that_takes_too_long_does_so_too, set_up, NULL)
{
    (void)state;
    static char name[65000];
    struct ruled ruled = ruled_open(&schema_telemetry,
                                    "include=*aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                                    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                                    "aaaaaaaaaaaaaaaaaab*b");
    memset(name, 'a', sizeof name - 1);
    add(name, NULL, NULL);
    telemetry_end(&builder);
    assert_true(encoding_decode(ruled.encoding, builder.datagram, builder.size));
    assert_true(encoding_overflows(ruled.encoding, PLENTY));
    ruled_close(&ruled);
}

TEST_WITH(many_labels_are_distinguished_for_a_share_within_the_same_bounds, set_up, NULL)
{
    (void)state;
    enum { LABELS = 2048 };
    static char keys[LABELS][8];
    struct ruled ruled = ruled_open(&schema_telemetry, "sample=1/1");
    for (size_t samples = 1; samples <= 16; samples += 15) {
        telemetry_begin(&builder);
        for (size_t i = 0; i < LABELS; i++) {
            snprintf(keys[i], sizeof keys[i], "k%zu", i % 1000);
            telemetry_add_label(&builder, keys[i], "v");
        }
        for (size_t i = 0; i < samples; i++)
            telemetry_add_double(&builder, "n", 1);
        telemetry_end(&builder);
        assert_true(encoding_decode(ruled.encoding, builder.datagram, builder.size));
        if (samples == 1)
            encoding_write(ruled.encoding);
        assert_int_equal(encoding_overflows(ruled.encoding, PLENTY), samples == 16);
    }
    ruled_close(&ruled);
}
