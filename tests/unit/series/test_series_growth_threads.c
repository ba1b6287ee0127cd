/*
 * Tests that each report of growth has complete names and counts while one thread notes growth and
 * another reads it.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "collector/platform/thread.h"
#include "collector/series/series_growth.h"
#include "tests/support/base/random_number.h"
#include "tests/support/test.h"

#define NOTES 200000

struct noting {
    struct series_growth *growth;
    _Atomic bool done;
};

static void note_all(void *context)
{
    struct noting *noting = context;
    uint64_t state = 1;
    for (uint32_t i = 0; i < NOTES; i++) {
        char name[GROWTH_NAME];
        const uint8_t bytes[4] = {10, 0, 0, (uint8_t)next_below(&state, 100)};
        const struct address sender = address_from_ipv4(bytes, 0);
        char letter = (char)('a' + next_below(&state, 26));
        memset(name, letter, sizeof name);
        const struct text text = {name, 1 + next_below(&state, sizeof name)};
        series_growth_note_series(noting->growth, &sender, i % 2 == 0);
        series_growth_note_label(noting->growth, &text, next_random(&state));
    }
    noting->done = true;
}

static void check_name(const char *name)
{
    assert_true(strlen(name) > 0);
    for (const char *at = name; *at != '\0'; at++)
        assert_int_equal(*at, name[0]);
}

TEST(a_report_is_whole_while_another_thread_notes)
{
    struct noting noting = {.growth = series_growth_create()};
    struct thread *thread;
    struct error error;
    assert_int_equal(thread_start(&thread, "notes", note_all, &noting, &error), 0);
    while (!noting.done) {
        struct growth_report report;
        series_growth_read(noting.growth, &report);
        for (size_t i = 0; i < report.label_count; i++)
            check_name(report.labels[i].name);
        for (size_t i = 1; i < report.sender_count; i++)
            assert_true(report.senders[i].refused <= report.senders[i - 1].refused);
    }
    thread_join(thread);
    series_growth_destroy(noting.growth);
}
