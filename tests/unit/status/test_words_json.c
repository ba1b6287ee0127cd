/*
 * Tests the meanings of words for the status page, which include all rows of the ledger and the
 * health.
 */
#include <string.h>

#include "collector/ledger/ledger.h"
#include "collector/status/words_json.h"
#include "tests/support/test.h"

static char text[64 * 1024];

static void expect_all(const struct reason_text *texts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert_non_null(strstr(text, texts[i].name));
        assert_non_null(strstr(text, texts[i].what));
        assert_non_null(strstr(text, texts[i].remedy));
    }
}

TEST(every_reason_is_there_with_its_meaning_and_remedy)
{
    struct output out = {.data = text, .capacity = sizeof text - 1};
    words_json_write(&out);
    assert_false(out.overflow);
    text[out.used] = '\0';
    expect_all(datagram_reason_texts, REASON_COUNT);
    expect_all(record_refusal_texts, REFUSAL_COUNT);
    expect_all(record_failure_texts, FAILURE_COUNT);
    expect_all(dead_letter_drop_texts, DROP_COUNT);
    assert_memory_equal(text, "{\"listener\":{\"received\":\"", 25);
    assert_non_null(strstr(text, "\"ring_full\":{\"what\":\"the queue was full"));
}
