/* Tests the programs that the bench measures, and the words in a variant's name. */
#include <string.h>

#include "tests/support/test.h"
#include "tools/bench/contender.h"

static const struct contender *named(const struct contenders *contenders, const char *name)
{
    for (size_t i = 0; i < contenders->count; i++)
        if (strcmp(contenders->items[i].name, name) == 0)
            return &contenders->items[i];
    return NULL;
}

TEST(at_first_there_are_the_null_receivers_and_two_collectors)
{
    struct contenders contenders;
    contenders_begin(&contenders);
    assert_int_equal(contenders.count, 5);
    assert_string_equal(contenders_of_kind(&contenders, CONTENDER_BLOCKING)->name, "blocking");
    assert_string_equal(contenders_of_kind(&contenders, CONTENDER_PAUSE)->name, "edge+pause");
    assert_false(named(&contenders, "json")->discards);
    assert_true(named(&contenders, "null")->discards);
    assert_null(named(&contenders, "gro"));
}

TEST(a_variant_has_keys_and_words)
{
    struct contenders contenders;
    struct error error;
    contenders_begin(&contenders);
    assert_int_equal(contenders_add(&contenders,
                                    "gro=listen:gro=on&coalesce=0  sink:format=influx "
                                    "--threads 1 ",
                                    &error),
                     0);
    const struct contender *gro = named(&contenders, "gro");
    assert_non_null(gro);
    assert_int_equal(gro->kind, CONTENDER_COLLECTOR);
    assert_string_equal(gro->listener_keys, "gro=on&coalesce=0");
    assert_string_equal(gro->sink_keys, "format=influx");
    assert_string_equal(gro->arguments[0], "--threads");
    assert_string_equal(gro->arguments[1], "1");
    assert_null(gro->arguments[2]);
    assert_false(gro->discards);
}

TEST(a_variant_may_write_to_another_sink)
{
    struct contenders contenders;
    struct error error;
    contenders_begin(&contenders);
    assert_int_equal(contenders_add(&contenders, "k=to:kafka://a/t sink:per=block", &error), 0);
    const struct contender *kafka = named(&contenders, "k");
    assert_string_equal(kafka->to, "kafka://a/t");
    assert_string_equal(kafka->sink_keys, "per=block");
    assert_true(kafka->discards);
}

TEST(a_collector_that_is_there_can_mean_something_else)
{
    struct contenders contenders;
    struct error error;
    contenders_begin(&contenders);
    assert_int_equal(contenders_add(&contenders, "null=listen:coalesce=0", &error), 0);
    assert_int_equal(contenders.count, 5);
    const struct contender *null = named(&contenders, "null");
    assert_string_equal(null->listener_keys, "coalesce=0");
    assert_string_equal(null->sink_keys, "");
    assert_true(null->discards);
}

TEST(a_variant_may_have_no_words)
{
    struct contenders contenders;
    struct error error;
    contenders_begin(&contenders);
    assert_int_equal(contenders_add(&contenders, "again=", &error), 0);
    assert_string_equal(named(&contenders, "again")->listener_keys, "");
}

static void assert_refused(struct contenders *contenders, const char *text, const char *why)
{
    struct error error = {0};
    assert_int_equal(contenders_add(contenders, text, &error), -1);
    assert_int_equal(error.code, EXIT_CODE_USAGE);
    if (strstr(error.text, why) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", error.text, why);
}

TEST(what_cannot_be_a_variant_is_refused)
{
    struct contenders contenders;
    char text[CONTENDER_TEXT_SIZE + 1];
    contenders_begin(&contenders);
    assert_refused(&contenders, "gro", "is not NAME=");
    assert_refused(&contenders, "=listen:gro=on", "is not NAME=");
    assert_refused(&contenders, "edge=listen:gro=on", "null receiver");
    assert_refused(&contenders, "a=1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17", "too many words");
    memset(text, 'a', CONTENDER_TEXT_SIZE);
    text[CONTENDER_TEXT_SIZE] = '\0';
    text[1] = '=';
    assert_refused(&contenders, text, "has more than 511 bytes");
}

TEST(there_is_room_for_so_many)
{
    struct contenders contenders;
    struct error error;
    contenders_begin(&contenders);
    char name[] = "a=";
    while (contenders.count < CONTENDERS_MOST) {
        assert_int_equal(contenders_add(&contenders, name, &error), 0);
        name[0]++;
    }
    assert_refused(&contenders, "more=", "one variant too many");
    assert_int_equal(contenders_add(&contenders, "a=--again", &error), 0);
}
