#include "collector/platform/notifier.h"
#include "tests/support/platform/posix/aborting.h"
#include "tests/support/test.h"

/* The backend passes these to the notifier again, as a second thread could at the same time. */
static struct notifier reentered;
static struct notifier_event event;
static char token;

static int create(struct notifier **out, size_t threads, struct error *error)
{
    (void)threads;
    (void)error;
    *out = &reentered;
    return 0;
}

static int add(struct notifier *notifier, wait_handle socket, void *of, struct error *error)
{
    return notifier_remove(notifier, socket, of, error);
}

static int remove_nothing(struct notifier *notifier, wait_handle socket, void *of,
                          struct error *error)
{
    (void)notifier;
    (void)socket;
    (void)of;
    (void)error;
    return 0;
}

static size_t wait_again(struct notifier *notifier, size_t thread, struct notifier_event *events,
                         size_t capacity, int timeout_ms)
{
    return timeout_ms == 0 ? 0 : notifier_wait(notifier, thread, events, capacity, 0);
}

static const struct notifier_backend backend = {
    .name = "reentered",
    .create = create,
    .add = add,
    .remove = remove_nothing,
    .wait = wait_again,
};

static struct notifier *make(size_t threads)
{
    struct notifier *made;
    struct error error;
    return notifier_create(&made, &backend, threads, &error) == 0 ? made : NULL;
}

static void create_for_two(void)
{
    make(2);
}

TEST(several_threads_need_a_shared_backend)
{
    assert_aborts(create_for_two);
}

static void add_without_token(void)
{
    struct error error;
    notifier_add(make(1), 0, NULL, &error);
}

TEST(a_token_is_not_null)
{
    assert_aborts(add_without_token);
}

static void change_twice_at_once(void)
{
    struct error error;
    notifier_add(make(1), 0, &token, &error);
}

TEST(one_thread_at_a_time_adds_and_removes)
{
    assert_aborts(change_twice_at_once);
}

static void wait_under_number_one(void)
{
    notifier_wait(make(1), 1, &event, 1, 0);
}

TEST(a_thread_waits_under_a_number_it_has)
{
    assert_aborts(wait_under_number_one);
}

static void wait_without_room(void)
{
    notifier_wait(make(1), 0, &event, 0, 0);
}

TEST(a_wait_has_room_for_an_event)
{
    assert_aborts(wait_without_room);
}

static void leave_under_number_one(void)
{
    notifier_leave(make(1), 1);
}

TEST(a_thread_leaves_under_a_number_it_has)
{
    assert_aborts(leave_under_number_one);
}

static void remove_a_closed_socket(void)
{
    struct error error;
    notifier_remove(make(1), NO_HANDLE, &token, &error);
}

TEST(a_socket_is_removed_before_it_is_closed)
{
    assert_aborts(remove_a_closed_socket);
}

static void arm_before_watching(void)
{
    struct error error;
    notifier_arm(make(1), 0, &token, NOTIFIER_IN, &error);
}

TEST(a_stream_is_watched_before_it_is_armed)
{
    assert_aborts(arm_before_watching);
}

static void wait_twice_at_once(void)
{
    notifier_wait(make(1), 0, &event, 1, -1);
}

TEST(one_thread_at_a_time_waits_under_a_number)
{
    assert_aborts(wait_twice_at_once);
}

TEST(calls_one_after_another_keep_the_rules)
{
    struct error error;
    struct notifier *notifier = make(1);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(notifier_remove(notifier, 0, &token, &error), 0);
        assert_int_equal(notifier_wait(notifier, 0, &event, 1, 0), 0);
    }
}
