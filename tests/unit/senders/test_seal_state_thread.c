#include <stdatomic.h>
#include <stdbool.h>

#include "collector/platform/clock.h"
#include "collector/platform/data_file.h"
#include "collector/platform/wakeup.h"
#include "collector/senders/seal_state.h"
#include "tests/support/platform/patience.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/test.h"

/* --- the disk and the clock ------------------------------------------------------------------- */

/*
 * The linker makes the program call the __wrap_ functions (--wrap in CMakeLists.txt). In these
 * tests a sync advances the clock.
 */
int64_t __wrap_clock_monotonic_ns(void);
int64_t __real_clock_monotonic_ns(void);
bool __wrap_data_file_sync(struct data_file file, struct error *why);
enum wakeup_reason __wrap_wakeup_wait(struct wakeup *wakeup, wait_handle handle, bool want_write,
                                      int timeout_ms);
enum wakeup_reason __real_wakeup_wait(struct wakeup *wakeup, wait_handle handle, bool want_write,
                                      int timeout_ms);

static _Atomic int64_t passed_ns, sync_ns;
static _Atomic int longest_ms, waits;

int64_t __wrap_clock_monotonic_ns(void)
{
    return __real_clock_monotonic_ns() + atomic_load(&passed_ns);
}

bool __wrap_data_file_sync(struct data_file file, struct error *why)
{
    (void)file;
    (void)why;
    atomic_fetch_add(&passed_ns, atomic_load(&sync_ns));
    return true;
}

enum wakeup_reason __wrap_wakeup_wait(struct wakeup *wakeup, wait_handle handle, bool want_write,
                                      int timeout_ms)
{
    if (timeout_ms > atomic_load(&longest_ms))
        atomic_store(&longest_ms, timeout_ms);
    atomic_fetch_add(&waits, 1);
    return __real_wakeup_wait(wakeup, handle, want_write, 1);
}

static void wait_for_writes(int count)
{
    const int64_t until = patience_until();
    while (atomic_load(&waits) < count)
        assert_true(patience(until));
}

/* --- tests ------------------------------------------------------------------------------------ */

TEST_WITH(the_duration_of_a_write_is_part_of_the_time_between_two, scratch_make, scratch_remove)
{
    (void)state;
    static const struct {
        int64_t sync_ns;
        int most_ms;
    } cases[] = {{0, 501}, {INT64_C(400000000), 101}, {INT64_C(600000000), 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error error;
        struct seal_state *sealed;
        atomic_store(&sync_ns, cases[i].sync_ns);
        atomic_store(&longest_ms, 0);
        atomic_store(&waits, 0);
        assert_int_equal(seal_state_open(scratch_path("state"), clock_wall_ns(), &sealed, &error),
                         0);
        assert_int_equal(seal_state_start(sealed, &error), 0);
        wait_for_writes(3);
        seal_state_close(sealed, clock_wall_ns());
        assert_in_range(atomic_load(&longest_ms), 0, cases[i].most_ms);
    }
}

TEST_WITH(a_thread_moves_the_written_time_on, scratch_make, scratch_remove)
{
    (void)state;
    struct error error;
    struct seal_state *sealed;
    const int64_t start_ns = clock_wall_ns();
    assert_int_equal(seal_state_open(scratch_path("state"), start_ns, &sealed, &error), 0);
    struct sealed_header header = {.session = 7, .counter = 1, .time_ns = start_ns + 1};
    struct key_sessions *sessions = seal_state_sessions(sealed, 1);
    assert_int_equal(key_sessions_take(sessions, &header), SEAL_ACCEPTED);
    header.counter = 2;
    header.time_ns = start_ns + 60 * INT64_C(1000000000); /* the clock of this sender is ahead */
    assert_int_equal(key_sessions_take(sessions, &header), SEAL_STALE);
    assert_int_equal(seal_state_start(sealed, &error), 0);
    const int64_t until = patience_until();
    while (key_sessions_take(sessions, &header) != SEAL_ACCEPTED)
        assert_true(patience(until));
    seal_state_close(sealed, clock_wall_ns());
}
