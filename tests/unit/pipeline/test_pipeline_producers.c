#include "collector/pipeline/pipeline_producers.h"

#include <stdlib.h>

#include "collector/pipeline/pipeline_parts.h"
#include "collector/queue/batch_queue.h"
#include "tests/support/test.h"

TEST(no_more_producers_are_claimed_than_the_array_has)
{
    static const struct config config; /* has no sinks */
    struct pipeline pipeline = {
        .config = &config,
        .producers = calloc(BATCH_QUEUE_LISTENERS, sizeof(struct producer)),
    };
    assert_non_null(pipeline.producers);
    for (size_t i = 0; i < BATCH_QUEUE_LISTENERS; i++)
        assert_ptr_equal(pipeline_claim_producer(&pipeline, 1), &pipeline.producers[i]);
    assert_null(pipeline_claim_producer(&pipeline, 1));
    pipeline.producers[7].claimed = false;
    assert_null(pipeline_claim_producer(&pipeline, 2)); /* producer 7 has room for one thread */
    assert_ptr_equal(pipeline_claim_producer(&pipeline, 1), &pipeline.producers[7]);
    assert_null(pipeline_claim_producer(&pipeline, 1));
    free(pipeline.producers);
}
