/* The thread that writes a state file (seal_state.h). */
#include "collector/platform/clock.h"
#include "collector/senders/seal_state.h"
#include "tests/support/platform/patience.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/test.h"

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
    header.time_ns = start_ns + 60 * INT64_C(1000000000); /* a sender's clock that is ahead */
    assert_int_equal(key_sessions_take(sessions, &header), SEAL_STALE);
    assert_int_equal(seal_state_start(sealed, &error), 0);
    const int64_t until = patience_until();
    while (key_sessions_take(sessions, &header) != SEAL_ACCEPTED)
        assert_true(patience(until));
    seal_state_close(sealed, clock_wall_ns());
}
