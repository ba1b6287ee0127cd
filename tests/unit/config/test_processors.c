#include <string.h>

#include "collector/config/processors.h"
#include "collector/platform/thread.h"
#include "tests/support/test.h"

static struct processor_list read_list(const char *text)
{
    struct processor_list list = {0};
    struct parse_error fault;
    if (!processors_parse("cpus", text, strlen(text), &list, &fault))
        fail_msg("\"%s\" is refused: %s", text, fault.text);
    return list;
}

static void assert_refused(const char *text, size_t at, const char *why)
{
    struct processor_list list = {0};
    struct parse_error fault = {0};
    assert_false(processors_parse("cpus", text, strlen(text), &list, &fault));
    assert_int_equal(fault.at, at);
    if (strstr(fault.text, why) == NULL)
        fail_msg("\"%s\": \"%s\" does not say \"%s\"", text, fault.text, why);
}

TEST(a_list_has_numbers_and_ranges_in_its_order)
{
    static const uint16_t expected[] = {3, 0, 1, 2, 1023, 3};
    struct processor_list list = read_list("3,0-2,1023,3");
    assert_int_equal(list.count, sizeof expected / sizeof expected[0]);
    assert_memory_equal(list.numbers, expected, sizeof expected);
    assert_int_equal(read_list("7").count, 1);
    assert_int_equal(read_list("5-5").count, 1);
    assert_int_equal(read_list("0-63").count, PROCESSORS_MAX);
}

TEST(what_is_no_number_or_range_is_refused_where_it_stands)
{
    assert_refused("", 0, "\"\" is not the number of a processor, 0 to 1023");
    assert_refused("0,", 2, "\"\" is not");
    assert_refused("0,x", 2, "\"x\" is not");
    assert_refused("1024", 0, "\"1024\" is not");
    assert_refused("0,4-", 4, "\"\" is not the number of a processor, 4 to 1023");
    assert_refused("0,4-3", 4, "\"3\" is not");
    assert_refused("-1", 0, "\"\" is not");
    assert_refused("0-64", 0, "more than 64");
    assert_refused("0-62,7,8", 7, "more than 64");
}

static unsigned first_of_ours(void)
{
    for (unsigned number = 0; number <= PROCESSORS_LAST; number++)
        if (processor_is_ours(number))
            return number;
    fail_msg("this process may not run on any processor");
    return 0;
}

struct stay {
    unsigned where;
    bool stays;
};

static void stay(void *context)
{
    struct stay *stay = context;
    stay->stays = processor_stay_on(stay->where);
}

TEST(a_thread_stays_where_it_may)
{
    struct thread *thread;
    struct error error;
    struct stay good = {.where = first_of_ours()};
    /* No test machine has a processor with this number. */
    struct stay bad = {.where = PROCESSORS_LAST};
    assert_int_equal(thread_start(&thread, "stay", stay, &good, &error), 0);
    thread_join(thread);
    assert_true(good.stays);
    assert_false(processor_is_ours(bad.where));
    assert_int_equal(thread_start(&thread, "stay", stay, &bad, &error), 0);
    thread_join(thread);
    assert_false(bad.stays);
}
