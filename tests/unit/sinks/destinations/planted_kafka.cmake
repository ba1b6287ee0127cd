# Faults in the use of librdkafka by a kafka: sink. With the first three, at a stop the sink waited
# for the lookup of a name, and returned a block whose bytes the library could still read.
planted_fault(kafka_purge_waits_for_a_lookup TEST test_kafka_faults
    FOUND_BY a_stop_does_not_wait_for_a_lookup
    FILE sinks/destinations/kafka_producer.c
    FROM "RD_KAFKA_PURGE_F_INFLIGHT | RD_KAFKA_PURGE_F_NON_BLOCKING)"
    TO "RD_KAFKA_PURGE_F_INFLIGHT)")
planted_fault(kafka_destroy_waits_for_a_lookup TEST test_kafka_faults
    FOUND_BY a_stop_does_not_wait_for_a_lookup
    FILE sinks/destinations/kafka_producer.c
    FROM "    end_within(run_ending, producer->ending, producer->ending->lent_count != 0 ? 0 : END_MS);"
    TO "    run_ending(producer->ending);")
planted_fault(kafka_block_is_not_lent TEST test_kafka_faults
    FOUND_BY blocks_that_are_not_reported_stay_lent_to_the_library
    FILE sinks/destinations/destination_kafka.c
    FROM "    kafka_producer_lend(&kafka->producer, block->bytes, block->keys);
    block->lent = true;"
    TO "")
planted_fault(kafka_tokens_are_used_again TEST test_kafka_faults
    FOUND_BY while_a_block_is_lent_no_other_one_is_taken
    FILE sinks/destinations/kafka_producer.c
    FROM "    return producer->handle != NULL && producer->ending->lent_count != 0;"
    TO "    return false;")
planted_fault(kafka_report_counts_twice TEST test_kafka_faults
    FOUND_BY a_report_that_comes_twice_counts_once
    FILE sinks/destinations/kafka_flights.c
    FROM " && flight->block->records[record].outcome == HANDED;"
    TO ";")
planted_fault(kafka_report_counts_for_another_block TEST test_kafka_faults
    FOUND_BY a_report_that_comes_again_is_not_of_the_next_block
    FILE sinks/destinations/kafka_flights.c
    FROM "    return (uintptr_t)flight->order << 16 << 16;"
    TO "    return 0;")
planted_fault(kafka_late_repeat_by_chance TEST test_kafka_faults
    FOUND_BY each_record_has_the_outcome_that_the_library_knows
    FILE sinks/destinations/kafka_flights.c
    FROM "    return (uintptr_t)flight->order << 16 << 16;"
    TO "    return 0;")
planted_fault(kafka_timeout_is_an_acknowledgement TEST test_kafka_faults
    FOUND_BY each_record_has_the_outcome_that_the_library_knows
    FILE sinks/destinations/kafka_flights.c
    FROM "            set_outcomes(flight, i, i + 1, DELIVERY_UNKNOWN, 0);"
    TO "            set_outcomes(flight, i, i + 1, DELIVERY_ACKNOWLEDGED, 0);")
