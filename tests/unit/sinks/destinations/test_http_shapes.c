/*
 * Tests the choice between the two versions of remote write requests, and the answers that show
 * that a server supports the second one.
 */
#include "sinks/destinations/http_shapes.h"

#include "tests/support/test.h"

static struct http_shapes shapes;

static void begin(void)
{
    shapes = (struct http_shapes){.two = true};
}

static void expect(size_t shape, long status, bool proof, bool again)
{
    assert_int_equal(http_shapes_next(&shapes), shape);
    assert_int_equal(http_shapes_answer(&shapes, shape, status, proof), again);
}

TEST(a_server_that_proves_it_gets_the_second_shape)
{
    begin();
    expect(0, 204, false, false);
    expect(1, 204, true, false);
    expect(1, 204, true, false);
}

TEST(one_that_says_only_that_all_is_well_gets_it_again_in_the_first)
{
    begin();
    expect(0, 204, false, false);
    expect(1, 204, false, true);
    expect(0, 204, false, false);
    expect(0, 204, false, false);
}

TEST(so_does_one_that_refuses_it)
{
    begin();
    static const long statuses[] = {301, 400, 404, 415, 422, 500, 501};
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
        begin();
        expect(0, 200, false, false);
        expect(1, statuses[i], false, true);
        expect(0, 204, false, false);
    }
}

TEST(a_refusal_with_the_header_proves_it_as_well)
{
    begin();
    expect(0, 204, false, false);
    expect(1, 400, true, false);
    expect(1, 204, true, false);
}

TEST(nothing_is_tried_before_a_request_was_taken)
{
    begin();
    expect(0, 0, false, false);
    expect(0, 503, false, false);
    expect(0, 204, false, false);
    expect(1, 204, true, false);
}

TEST(one_request_at_a_time_is_tried)
{
    begin();
    expect(0, 204, false, false);
    assert_int_equal(http_shapes_next(&shapes), 1);
    assert_int_equal(http_shapes_next(&shapes), 0);
    assert_false(http_shapes_answer(&shapes, 0, 204, false));
    assert_int_equal(http_shapes_next(&shapes), 0);
    assert_false(http_shapes_answer(&shapes, 1, 204, true));
    assert_int_equal(http_shapes_next(&shapes), 1);
}

TEST(an_answer_that_says_nothing_is_no_answer)
{
    begin();
    expect(0, 204, false, false);
    expect(1, 503, false, false);
    expect(0, 204, false, false);
    expect(1, 204, true, false);
    expect(1, 503, false, false); /* the proof remains after this answer */
    expect(1, 204, true, false);
}

TEST(a_server_that_never_answers_the_second_is_spared_it)
{
    begin();
    for (int i = 0; i < 3; i++) {
        expect(0, 204, false, false);
        expect(1, 0, false, false);
    }
    for (int i = 0; i < 3; i++)
        expect(0, 204, false, false);
}

TEST(a_server_that_forgets_it_is_believed)
{
    begin();
    expect(0, 204, false, false);
    expect(1, 204, true, false);
    expect(1, 204, false, true);
    expect(0, 204, false, false);
}

/* If records can only be sent in the second form, no answer makes the sink use the first one. */
TEST(where_only_the_second_will_do_it_is_the_only_one)
{
    shapes = (struct http_shapes){.two = true, .only_second = true};
    expect(1, 204, true, false);
    expect(1, 415, false, false);
    expect(1, 0, false, false);
    expect(1, 204, false, false);
}

TEST(a_format_of_one_shape_has_no_other)
{
    shapes = (struct http_shapes){.two = false};
    expect(0, 204, true, false);
    expect(0, 204, true, false);
}
