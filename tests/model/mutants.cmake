# Faults that the models must find: a weaker memory order, a missing check, or a step that is
# missing or comes too early.

# --- the ring ------------------------------------------------------------------------------------
model_mutant(ring_push_is_relaxed MODEL ring_of_one FILE collector/queue/ring.c
    FROM "atomic_store(&ring->tail, tail + 1);"
    TO "atomic_store_explicit(&ring->tail, tail + 1, memory_order_relaxed);")
model_mutant(ring_pop_is_relaxed MODEL ring_of_one FILE collector/queue/ring.c
    FROM "atomic_store_explicit(&ring->head, head + 1, memory_order_release);"
    TO "atomic_store_explicit(&ring->head, head + 1, memory_order_relaxed);")
model_mutant(ring_pop_looks_relaxed MODEL ring_of_one FILE collector/queue/ring.c
    FROM "    if (head == ring->known_tail) {
        ring->known_tail = atomic_load_explicit(&ring->tail, memory_order_acquire);"
    TO "    if (head == ring->known_tail) {
        ring->known_tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);")
model_mutant(ring_take_out_looks_relaxed MODEL ring_take_out FILE collector/queue/ring.c
    FROM "    size_t at = head;
    ring->known_tail = atomic_load_explicit(&ring->tail, memory_order_acquire);"
    TO "    size_t at = head;
    ring->known_tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);")
model_mutant(ring_room_is_relaxed MODEL ring_of_two FILE collector/queue/ring.c
    FROM "ring->known_head = atomic_load_explicit(&ring->head, memory_order_acquire);"
    TO "ring->known_head = atomic_load_explicit(&ring->head, memory_order_relaxed);")
model_mutant(ring_gaps_are_relaxed MODEL ring_take_out FILE collector/queue/ring.c
    FROM "atomic_store_explicit(&ring->head, to, memory_order_release);"
    TO "atomic_store_explicit(&ring->head, to, memory_order_relaxed);")
model_mutant(ring_is_never_full MODEL ring_of_one FILE collector/queue/ring.c
    FROM "        if (tail - ring->known_head == ring->capacity)
            return false;"
    TO "")
model_mutant(ring_frees_the_slot_first MODEL ring_of_one FILE collector/queue/ring.c
    FROM "    void *item = ring->slots[head & ring->mask];
    atomic_store_explicit(&ring->head, head + 1, memory_order_release);
    return item;"
    TO "    atomic_store_explicit(&ring->head, head + 1, memory_order_release);
    return ring->slots[head & ring->mask];")
model_mutant(ring_end_is_seen_too_early MODEL ring_of_one FILE collector/queue/ring.c
    FROM "return atomic_load(&ring->closed) && ring_level(ring) == 0;"
    TO "return ring_level(ring) == 0 && atomic_load(&ring->closed);")
model_mutant(ring_level_is_acquired MODEL sink FILE collector/queue/ring.c
    FROM "size_t tail = atomic_load(&ring->tail);
    return tail - head;"
    TO "size_t tail = atomic_load_explicit(&ring->tail, memory_order_acquire);
    return tail - head;")

# --- batches -------------------------------------------------------------------------------------
model_mutant(batch_release_is_relaxed MODEL batch FILE collector/record/batch.c
    FROM "atomic_fetch_sub_explicit(&batch->readers, 1, memory_order_acq_rel) != 1"
    TO "atomic_fetch_sub_explicit(&batch->readers, 1, memory_order_relaxed) != 1")
model_mutant(batch_is_released_by_each MODEL batch FILE collector/record/batch.c
    FROM "atomic_fetch_sub_explicit(&batch->readers, 1, memory_order_acq_rel) != 1"
    TO "atomic_fetch_sub_explicit(&batch->readers, 1, memory_order_acq_rel) > 2")
model_mutant(batch_count_is_not_atomic MODEL batch FILE collector/record/batch.c
    FROM "    if (atomic_fetch_sub_explicit(&batch->readers, 1, memory_order_acq_rel) != 1)
        return;"
    TO "    unsigned readers = atomic_load(&batch->readers);
    atomic_store(&batch->readers, readers - 1);
    if (readers != 1)
        return;")

# --- schemas -------------------------------------------------------------------------------------
model_mutant(schemas_are_released_relaxed MODEL schemas FILE collector/record/schema_list.c
    FROM "atomic_fetch_sub_explicit(&list->references, 1, memory_order_acq_rel) != 1"
    TO "atomic_fetch_sub_explicit(&list->references, 1, memory_order_relaxed) != 1")
model_mutant(schemas_are_freed_by_each MODEL schemas FILE collector/record/schema_list.c
    FROM "atomic_fetch_sub_explicit(&list->references, 1, memory_order_acq_rel) != 1"
    TO "atomic_fetch_sub_explicit(&list->references, 1, memory_order_acq_rel) > 2")

# --- claims --------------------------------------------------------------------------------------
model_mutant(claim_forgets_its_mark MODEL claim FILE collector/base/claim.h PART model_claim
    FROM "    atomic_store(&claim->state, CLAIM_HELD);
    return false;"
    TO "    atomic_store(&claim->state, CLAIM_FREE);
    return true;")
model_mutant(claim_is_not_marked MODEL claim FILE collector/base/claim.h PART model_claim
    FROM "atomic_compare_exchange_strong(&claim->state, &expected, CLAIM_MARKED) ||
            expected == CLAIM_MARKED"
    TO "expected == CLAIM_HELD")
model_mutant(claim_is_given_up_relaxed MODEL claim FILE collector/base/claim.h PART model_claim
    FROM "    if (atomic_compare_exchange_strong(&claim->state, &expected, CLAIM_FREE))"
    TO "    if (atomic_compare_exchange_strong_explicit(&claim->state, &expected, CLAIM_FREE,
                                                memory_order_relaxed, memory_order_relaxed))")
model_mutant(claim_is_taken_relaxed MODEL claim FILE collector/base/claim.h PART model_claim
    FROM "    return atomic_compare_exchange_strong(&claim->state, &expected, CLAIM_HELD);"
    TO "    return atomic_compare_exchange_strong_explicit(&claim->state, &expected, CLAIM_HELD,
                                                   memory_order_relaxed, memory_order_relaxed);")
model_mutant(claim_is_looked_at_first MODEL claim FILE collector/base/claim.h PART model_claim
    FROM "    return atomic_compare_exchange_strong(&claim->state, &expected, CLAIM_HELD);"
    TO "    if (atomic_load(&claim->state) != expected)
        return false;
    atomic_store(&claim->state, CLAIM_HELD);
    return true;")

# --- eviction ------------------------------------------------------------------------------------
model_mutant(queue_forgets_what_it_evicted MODEL queue FILE collector/queue/batch_queue.c
    FROM "    note_popped(&eviction->queue->whole, large);"
    TO "")
model_mutant(queue_evicts_and_keeps MODEL queue FILE collector/queue/ring.c
    FROM "        *slot = NULL;"
    TO "")
model_mutant(queue_tells_of_a_listener_relaxed MODEL queue_grows
    FILE collector/queue/batch_queue.c
    FROM "        atomic_store(&queue->listeners, listeners);"
    TO "        atomic_store_explicit(&queue->listeners, listeners, memory_order_relaxed);")
model_mutant(queue_tells_of_a_listener_first MODEL queue_grows
    FILE collector/queue/batch_queue.c
    FROM "    for (size_t i = 0; i * SHARES_TOGETHER < listeners; i++) {"
    TO "    atomic_store(&queue->listeners, listeners);
    for (size_t i = 0; i * SHARES_TOGETHER < listeners; i++) {")

# --- heartbeats ----------------------------------------------------------------------------------
model_mutant(heartbeat_waits_as_if_it_worked MODEL heartbeat
    FILE collector/base/heartbeat.h PART model_heartbeat
    FROM "beats % 2 == 0 ? 2 : 1"
    TO "2")

# --- pausing threads ------------------------------------------------------------------------------
model_mutant(quiesce_wakes_one_alone MODEL quiesce_two FILE collector/receive/receiver_quiesce.c
    FROM "    if (receiver->options.thread_count > 1)
        notifier_wake(receiver->notifier); /* wakes the next thread, which may be asleep */"
    TO "")
model_mutant(quiesce_reports_before_it_counts MODEL quiesce_one
    FILE collector/receive/receiver_quiesce.c
    FROM "    atomic_fetch_add(&receiver->quiescent, 1);
    if (receiver->options.thread_count > 1)
        notifier_wake(receiver->notifier); /* wakes the next thread, which may be asleep */
    receiver->options.refreshed(receiver->options.context);"
    TO "    receiver->options.refreshed(receiver->options.context);
    atomic_fetch_add(&receiver->quiescent, 1);")
model_mutant(quiesce_is_counted_relaxed MODEL quiesce_one FILE collector/receive/receiver_quiesce.c
    FROM "    atomic_fetch_add(&receiver->quiescent, 1);"
    TO "    atomic_fetch_add_explicit(&receiver->quiescent, 1, memory_order_relaxed);")
model_mutant(quiesce_looks_relaxed MODEL quiesce_one FILE collector/receive/receiver_quiesce.c
    FROM "    return atomic_load(&receiver->quiescent) >= atomic_load(&receiver->running);"
    TO "    return atomic_load_explicit(&receiver->quiescent, memory_order_relaxed) >=
           atomic_load(&receiver->running);")
model_mutant(quiesce_ends_relaxed MODEL quiesce_one FILE collector/receive/receiver_quiesce.c
    FROM "    atomic_store(&receiver->quiesce_wanted, false);"
    TO "    atomic_store_explicit(&receiver->quiesce_wanted, false, memory_order_relaxed);")
model_mutant(quiesce_end_is_seen_relaxed MODEL quiesce_one FILE collector/receive/receiver_quiesce.c
    FROM "    while (atomic_load(&receiver->quiesce_wanted))"
    TO "    while (atomic_load_explicit(&receiver->quiesce_wanted, memory_order_relaxed))")

# --- sleeping sinks ------------------------------------------------------------------------------
model_mutant(sink_sleeps_without_a_look MODEL sink FILE collector/output/sink_thread_wait.c
    FROM "if (sink_queues_are_empty(&sink->queues) && !sink_queues_have_finished(&sink->queues) &&
        !atomic_load(&writer->reopen_wanted)) {"
    TO "if (!atomic_load(&writer->reopen_wanted) || sink_queues_are_empty(&sink->queues)) {")
model_mutant(sink_says_too_late_that_it_sleeps MODEL sink FILE collector/output/sink_thread_wait.c
    FROM "    atomic_store(&sink->sleeping, true);
    if (sink_queues_are_empty(&sink->queues) && !sink_queues_have_finished(&sink->queues) &&
        !atomic_load(&writer->reopen_wanted)) {"
    TO "    if (sink_queues_are_empty(&sink->queues) && !sink_queues_have_finished(&sink->queues) &&
        !atomic_load(&writer->reopen_wanted)) {
        atomic_store(&sink->sleeping, true);")
model_mutant(sink_sleeps_relaxed MODEL sink FILE collector/output/sink_thread_wait.c
    FROM "    atomic_store(&sink->sleeping, true);"
    TO "    atomic_store_explicit(&sink->sleeping, true, memory_order_relaxed);")
model_mutant(sink_is_notified_relaxed MODEL sink FILE collector/output/sink_thread_wait.c
    FROM "    if (atomic_load(&sink->sleeping) && atomic_exchange(&sink->sleeping, false))"
    TO "    if (atomic_load_explicit(&sink->sleeping, memory_order_relaxed) &&
        atomic_exchange(&sink->sleeping, false))")
model_mutant(fan_out_wakes_before_it_pushes MODEL sink FILE collector/output/fan_out.c
    FROM "    batch_queue_push(to->queue, batch);
    if (!fan_out->holds)
        sink_thread_notify(to->sink);"
    TO "    if (!fan_out->holds)
        sink_thread_notify(to->sink);
    batch_queue_push(to->queue, batch);")
model_mutant(fan_out_ends_without_a_word MODEL sink FILE collector/output/fan_out.c
    FROM "        batch_queue_close(fan_out->routes[i].to.queue);
        sink_thread_notify(fan_out->routes[i].to.sink);"
    TO "        batch_queue_close(fan_out->routes[i].to.queue);")
model_mutant(fan_out_does_not_retain MODEL sink FILE collector/output/fan_out.c
    FROM "    batch_retain(batch);"
    TO "")
