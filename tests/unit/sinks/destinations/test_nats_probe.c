#include <stdlib.h>
#include <string.h>

#include "sinks/destinations/nats_probe.h"
#include "tests/support/test.h"

static struct error said;

/*
 * Classifies the answer from a block of its exact size, so that a sanitizer detects a read past its
 * end.
 */
static enum exit_code judge(const char *json, size_t size)
{
    char *copy = malloc(size == 0 ? 1 : size);
    assert_non_null(copy);
    memcpy(copy, json, size);
    said = (struct error){.code = EXIT_CODE_INTERNAL};
    nats_probe_classify(copy, size, "t.*", &said);
    free(copy);
    return said.code;
}

static void assert_refused(const char *json, enum exit_code code, const char *why)
{
    assert_int_equal(judge(json, strlen(json)), code);
    assert_non_null(strstr(said.text, why));
}

TEST(words_with_fields_are_any_words)
{
    static const char *const subjects[][2] = {
        {"t", "t"},
        {"t.x", "t.x"},
        {"t.%{schema}", "t.*"},
        {"a.%{schema}-%F.b.c%H", "a.*.b.*"},
    };
    char subject[DELIVERY_ROUTE_SIZE];
    for (size_t i = 0; i < sizeof subjects / sizeof subjects[0]; i++) {
        assert_true(nats_probe_subject(subjects[i][0], subject));
        assert_string_equal(subject, subjects[i][1]);
    }
}

TEST(a_subject_has_room_or_is_refused)
{
    char text[2 * DELIVERY_ROUTE_SIZE];
    char subject[DELIVERY_ROUTE_SIZE];
    size_t room = 0;
    for (size_t size = 1; size < sizeof text; size++) {
        memset(text, 'a', size);
        text[size] = '\0';
        if (nats_probe_subject(text, subject)) {
            assert_string_equal(subject, text);
            room = size;
        }
    }
    assert_in_range(room, DELIVERY_ROUTE_SIZE - 4, DELIVERY_ROUTE_SIZE - 1);
}

TEST(the_first_stream_is_named)
{
    static const char json[] = "{\"type\":\"io.nats\",\"total\":2,\"streams\":[\"ONE\",\"TWO\"]}";
    assert_int_equal(judge(json, sizeof json - 1), EXIT_CODE_OK);
    assert_string_equal(said.text, "reached; the stream ONE takes t.*");
}

TEST(what_is_no_stream_is_an_error)
{
    assert_refused("{\"total\":0,\"streams\":null}", EXIT_CODE_CONFIG, "no stream takes t.*");
    assert_refused("{\"total\":0,\"streams\":[]}", EXIT_CODE_CONFIG, "no stream takes t.*");
    assert_refused("", EXIT_CODE_CONFIG, "no stream takes t.*");
    assert_refused("{\"error\":{\"code\":503,\"err_code\":10039,\"description\":\"JetStream not "
                   "enabled for account\"}}",
                   EXIT_CODE_CONFIG, "not enabled for account");
    assert_refused("{\"error\":{\"code\":503,\"err_code\":10008,\"description\":\"no leader\"}}",
                   EXIT_CODE_NOT_REACHED, "no leader");
}

TEST(an_answer_that_is_cut_is_read_as_far_as_it_goes)
{
    static const char json[] = "{\"total\":1,\"streams\":[\"ONE\"]}";
    for (size_t size = 0; size < sizeof json; size++)
        judge(json, size);
}
