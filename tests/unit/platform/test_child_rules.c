#include "collector/platform/child.h"
#include "tests/support/platform/posix/aborting.h"
#include "tests/support/test.h"

static struct child *start(void)
{
    struct child *child = child_create();
    struct error error;
    return child != NULL && child_start(child, "exec cat >/dev/null 2>&1", &error) == 0 ? child
                                                                                        : NULL;
}

static void start_twice(void)
{
    struct child *child = start();
    struct error error;
    child_close_input(child);
    child_start(child, "exit", &error);
}

TEST(a_program_is_started_when_none_runs)
{
    assert_aborts(start_twice);
}

static void write_to_a_closed_input(void)
{
    struct child *child = start();
    struct error error;
    size_t written;
    child_close_input(child);
    child_write(child, "x", 1, &written, &error);
}

static void ask_a_closed_input(void)
{
    struct child *child = start();
    child_close_input(child);
    child_unread(child);
}

TEST(a_programs_input_is_open_when_it_is_used)
{
    assert_aborts(write_to_a_closed_input);
    assert_aborts(ask_a_closed_input);
}

static void close_an_input_twice(void)
{
    struct child *child = start();
    child_close_input(child);
    child_close_input(child);
}

TEST(a_programs_input_is_closed_once)
{
    assert_aborts(close_an_input_twice);
}

static void look_at_none(void)
{
    struct child_end end;
    child_look(child_create(), &end);
}

TEST(a_program_is_looked_at_until_it_has_ended)
{
    assert_aborts(look_at_none);
}
