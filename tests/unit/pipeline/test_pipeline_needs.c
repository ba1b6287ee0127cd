/* What a configuration takes of the memory, before anything is made of it. */
#include "collector/config/config.h"
#include "collector/output/encoding_group.h"
#include "collector/pipeline/memory_plan.h"
#include "collector/pipeline/pipeline_check.h"
#include "collector/platform/notifier.h"
#include "tests/support/test.h"

static const struct destination_ops stream = {.scheme = "stream"};
static const struct encoder_ops lines = {.name = "lines"};
static const struct encoder_ops other_lines = {.name = "other_lines"};

/* The memory for encoding once, of sinks with these encoders. */
static uint64_t encoding_memory(const struct encoder_ops *const *encoders, size_t count)
{
    static char name[] = "sink";
    struct sink_config sinks[8];
    struct memory_needs needs;
    struct error error;
    const struct notifier_backend *notifier = notifier_choose(NULL, &error);
    assert_non_null(notifier);
    assert_in_range(count, 0, 8);
    for (size_t i = 0; i < count; i++)
        sinks[i] =
            (struct sink_config){.name = name, .destination = &stream, .encoder = encoders[i]};
    const struct config config = {.sinks = sinks, .sink_count = count};
    if (pipeline_count_needs(&config, notifier, 0, &needs, &error) != 0)
        fail_msg("%s", error.text);
    return needs.encoding_memory;
}

TEST(sinks_with_the_same_lines_take_the_memory_of_one_group)
{
    const struct encoder_ops *const same[] = {&lines, &lines, &lines, &lines};
    for (size_t count = 0; count <= 4; count++)
        assert_int_equal(encoding_memory(same, count), encoding_group_memory(count));
}

TEST(sinks_with_other_lines_take_that_of_a_group_of_their_own)
{
    const struct encoder_ops *const mixed[] = {&lines, &other_lines, &lines, &lines, &other_lines};
    assert_int_equal(encoding_memory(mixed, 5),
                     encoding_group_memory(3) + encoding_group_memory(2));
}
