#include "tests/support/platform/child_watching.h"

#include <string.h>

#include "tests/support/platform/patience.h"
#include "tests/support/test.h"

int child_set_up(void **state)
{
    *state = child_create();
    return *state == NULL;
}

int child_tear_down(void **state)
{
    child_destroy(*state);
    return 0;
}

void start(struct child *child, const char *command)
{
    struct error error;
    if (child_start(child, command, &error) != 0)
        fail_msg("%s", error.text);
}

enum write_result write_text(struct child *child, const char *text)
{
    size_t written = 0;
    struct error error;
    enum write_result result = child_write(child, text, strlen(text), &written, &error);
    if (result == WRITE_OK)
        assert_int_equal(written, strlen(text));
    return result;
}

void wait_until(struct child *child, enum child_state state, struct child_end *end)
{
    int64_t until = patience_until();
    enum child_state is;
    while ((is = child_look(child, end)) != state) {
        assert_int_not_equal(is, CHILD_ENDED);
        assert_true(patience(until));
    }
}

void wait_until_unread(struct child *child, size_t size)
{
    int64_t until = patience_until();
    while (child_unread(child) != size)
        assert_true(patience(until));
}

void assert_ends(struct child *child, bool killed, int number)
{
    struct child_end end;
    wait_until(child, CHILD_ENDED, &end);
    assert_int_equal(end.killed, killed);
    assert_int_equal(end.number, number);
}
