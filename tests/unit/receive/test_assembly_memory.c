#include "collector/receive/assembly.h"
#include "collector/receive/ingest.h"
#include "tests/support/platform/failing_memory.h"
#include "tests/support/test.h"

static void give_up(void *context, const struct datagram_slot *datagram,
                    const struct refusal *refusal)
{
    (void)context;
    (void)datagram;
    (void)refusal;
}

TEST(an_assembly_is_made_or_says_that_memory_is_short)
{
    const struct assembly_options options = {
        .memory = ASSEMBLY_LEAST, .longest = 65536, .timeout_ns = 1000, .give_up = give_up};
    struct assembly *assembly;
    struct error error = {0};
    for (uint64_t number = 1; number <= 2; number++) {
        failing_memory_fail(number);
        assert_int_equal(assembly_create(&assembly, &options, &error), -1);
        assert_int_equal(error.code, EXIT_CODE_INTERNAL);
    }
    failing_memory_fail(3);
    assert_int_equal(assembly_create(&assembly, &options, &error), 0);
    failing_memory_fail(0);
    assembly_destroy(assembly);
}

TEST(an_ingest_is_made_with_its_assembly_or_not_at_all)
{
    const struct listener listener = {
        .segment_memory = ASSEMBLY_LEAST, .max_decoded = 65536, .segment_timeout_ns = 1000};
    struct ingest_thread thread = {0};
    struct ingest_counters counters = {0};
    for (uint64_t number = 1; number <= 3; number++) {
        failing_memory_fail(number);
        assert_null(ingest_create(&thread, &listener, &counters));
    }
    failing_memory_fail(4);
    struct ingest *ingest = ingest_create(&thread, &listener, &counters);
    failing_memory_fail(0);
    assert_non_null(ingest);
    ingest_destroy(ingest);
}
