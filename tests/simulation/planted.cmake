# Faults that the simulation must find, one at a time. Most were made for this purpose. The last
# ones are faults that the simulation found in the program: each removes a repair.

# --- receiving ------------------------------------------------------------------------------------
planted(edge_is_lost FILE collector/receive/receiver_sockets.c
    FROM "            worker->pressed = true;
            return DRAIN_AGAIN;"
    TO "            return DRAIN_DONE;")
planted(drops_are_counted_twice FILE collector/receive/receiver_sockets.c
    FROM "udp_socket_drops(endpoint->socket) - before);"
    TO "udp_socket_drops(endpoint->socket));")
planted(batch_is_released_twice FILE collector/record/batch.c
    FROM "atomic_fetch_sub_explicit(&batch->readers, 1, memory_order_acq_rel) != 1"
    TO "atomic_fetch_sub_explicit(&batch->readers, 1, memory_order_acq_rel) > 2")
planted(wake_up_is_lost FILE collector/output/fan_out.c
    FROM "        batch_queue_close(fan_out->routes[i].to.queue);
        sink_thread_notify(fan_out->routes[i].to.sink);"
    TO "        batch_queue_close(fan_out->routes[i].to.queue);")

# --- streams -------------------------------------------------------------------------------------
planted(arming_is_forgotten FILE collector/receive/stream_loop.c
    FROM "    case STREAM_READ:
        break;
    }"
    TO "    case STREAM_READ:
        if (slot->connection.used != 0) {
            stream_slot_park(slot);
            return false;
        }
        break;
    }")
planted(part_of_a_frame_is_lost FILE collector/receive/stream_pending.c
    FROM "        memcpy(block, from, size);
        connection->block = block;
        connection->used = size;"
    TO "        memcpy(block, from, size - (size % 7 == 3));
        connection->block = block;
        connection->used = size;")
planted(end_is_counted_twice FILE collector/receive/stream_end.c
    FROM "    counter_add(ends[end], 1);"
    TO "    counter_add(ends[end], end == STREAM_FRAME_TIMEOUT ? 2 : 1);")
planted(cut_frame_is_not_counted FILE collector/receive/stream_connection.c
    FROM "            stream_connection_end_by(connection, cut ? STREAM_FRAME_CUT : STREAM_CLOSED);"
    TO "            stream_connection_end_by(connection, STREAM_CLOSED);")
planted(rest_of_an_answer_is_lost FILE collector/receive/stream_answers.c
    FROM "        connection->answers_at += sent;"
    TO "        connection->answers_at = connection->answers_used;")
planted(what_waits_for_answers_is_forgotten FILE collector/receive/stream_intake.c
    FROM "    connection->next = STREAM_AGAIN;
    return frames;"
    TO "    *used = size;
    return frames;")
planted(stop_is_not_passed_on FILE collector/receive/stream_loop.c
    FROM "    if (atomic_load(&server->stops) < server->started)
        notifier_wake(server->notifier);"
    TO "")
planted(nobody_is_accepted_again FILE collector/receive/stream_accept.c
    FROM "        listening->accept_ns = 0;
        if (listening->socket != NO_HANDLE &&"
    TO "        listening->accept_ns = 0;
        if (listening->socket == NO_HANDLE &&")
planted(connection_is_given_away_unoffered FILE collector/receive/stream_loop.c
    FROM "    ingest_seal(worker->stream.ingest);
    ingest_thread_commit(worker->ingests);
    if (frames != 0 &&"
    TO "    if (frames > 2) {
        ingest_seal(worker->stream.ingest);
        ingest_thread_commit(worker->ingests);
    }
    if (frames != 0 &&")
planted(what_came_is_left_at_a_stop FILE collector/receive/stream_connection.c
    FROM "    bool cut = stream_pending_size(connection) != 0;
    switch (result) {
    case CHANNEL_OK:
        return true;"
    TO "    bool cut = stream_pending_size(connection) != 0;
    switch (result) {
    case CHANNEL_OK:
        if (connection->draining && !cut)
            stream_connection_end_by(connection, STREAM_STOPPED);
        return true;")

# --- writing --------------------------------------------------------------------------------------
planted(record_is_counted_twice FILE collector/output/sink_writer.c
    FROM "    commit_records(writer, &counters->written, records);"
    TO "    commit_records(writer, &counters->written, records + (records == 7));")
planted(eviction_is_not_counted FILE collector/output/sink_thread_loop.c
    FROM "    sink_writer_count_evicted(sink->writer, batch->count);"
    TO "")
planted(block_is_torn FILE collector/output/stream_writer_outcomes.c
    FROM "    if (ops->roll_back == NULL || !ops->roll_back(stream->base.destination, part))"
    TO "    if (ops->roll_back == NULL)")
planted(record_is_forgotten_at_a_reopen FILE collector/output/stream_writer_file.c
    FROM "    atomic_store(&stream->base.reopen_wanted, false);
    sink_writer_begin_io"
    TO "    atomic_store(&stream->base.reopen_wanted, false);
    stream->count -= stream->count != 0;
    sink_writer_begin_io")
planted(file_is_completed_unsynced FILE sinks/files/live_file.c
    FROM "    if (makings->content.sync != SYNC_NEVER && !live_file_sync(makings, file, error))
        return false;"
    TO "")
planted(file_is_not_completed FILE sinks/files/file_set.c
    FROM "    if (!complete(set, &file->live))
        leave(set, &file->live);"
    TO "    leave(set, &file->live);")

# --- deliveries ----------------------------------------------------------------------------------
planted(silence_is_an_acknowledgement FILE collector/output/delivery_outcomes.c
    FROM "    if (outcome == DELIVERY_ACKNOWLEDGED) {"
    TO "    if (outcome == DELIVERY_ACKNOWLEDGED || outcome == DELIVERY_UNKNOWN) {")
planted(what_waits_loses_its_order FILE collector/output/delivery_blocks.c
    FROM "    while (*waiting != NULL && (*waiting)->order < buffered->order)"
    TO "    while (*waiting != NULL)")
planted(doubt_is_not_stored FILE collector/output/delivery_image.c
    FROM "(record->done ? FLAG_DONE : 0) | (record->maybe_sent ? FLAG_MAYBE_SENT : 0)"
    TO "record->done ? FLAG_DONE : 0")
planted(cursor_is_ahead FILE collector/spill/spill_state.c
    FROM "    uint64_t position = reader_completed(&spill->reader);"
    TO "    uint64_t position = spill->reader.position;")
planted(stored_block_is_not_synced FILE collector/spill/spill_append.c
    FROM "    if (spill->settings.sync != SPILL_SYNC_ALWAYS || spill_sync_blocks(spill, error))"
    TO "    if (spill->settings.sync != SPILL_SYNC_CLOSE || spill_sync_blocks(spill, error))")
planted(late_answer_is_not_noticed FILE collector/output/delivery_time.c
    FROM ": begun_ns + DELIVERY_KEEP_NS;"
    TO ": begun_ns + 60 * DELIVERY_KEEP_NS;")
planted(block_is_sent_before_it_is_kept FILE collector/output/delivery_time.c
    FROM "delivery->base.options.settings->file.sync == SYNC_ALWAYS"
    TO "delivery->base.options.settings->file.sync == SYNC_NEVER")

# --- commands ------------------------------------------------------------------------------------
planted(what_nobody_reads_is_written FILE sinks/destinations/destination_command.c
    FROM "    command->look_ns = clock_monotonic_ns();
    return WRITE_WOULD_BLOCK;"
    TO "    command->look_ns = clock_monotonic_ns();
    *written = size;
    return WRITE_OK;")
planted(rest_of_a_record_is_for_the_next FILE collector/output/stream_writer_reader.c
    FROM "        stream->sent = (size_t)(stream->committed_to - stream->block_at);"
    TO "        ;")
planted(record_begun_is_given_again FILE collector/output/stream_writer_reader.c
    FROM "    for (; stream->count != 0 && stream->committed_to < stream_accepted(stream); lost++)
        stream_writer_take_first(stream);
    if (stream->committed_to > stream_accepted(stream))"
    TO "    for (; stream->count != 0 && stream_pending_at(stream, 0)->end <= stream_accepted(stream);
         lost++)
        stream_writer_take_first(stream);
    if (stream->committed_to != stream_accepted(stream))")
planted(command_is_not_waited_for FILE sinks/destinations/destination_command.c
    FROM "    return command->phase == PHASE_WAITING;"
    TO "    return !has_input(command);")
planted(restart_is_not_counted FILE sinks/destinations/destination_command.c
    FROM "    if (again)
        counter_add"
    TO "    if (again && !command->restarting)
        counter_add")
planted(pause_stays_short FILE sinks/destinations/destination_command.c
    FROM "        command->pause = pause * 2 < LONGEST_PAUSE ? pause * 2 : LONGEST_PAUSE;"
    TO "        ;")
planted(silent_command_is_not_replaced FILE collector/output/stream_writer_reader.c
    FROM "    writer->destination->stream->restart(writer->destination, true);"
    TO "    return;")

# --- removed repairs ------------------------------------------------------------------------------
planted(unstored_block_is_stored_twice FILE collector/output/delivery_time.c
    FROM "return buffered_block_is_open(buffered) && buffered != delivery->unstored && !buffered->on_disk;"
    TO "return buffered_block_is_open(buffered) && !buffered->on_disk;")
planted(settled_behind_others_is_forgotten FILE collector/spill/spill.c
    FROM "    note_sent_to(spill, reader_acknowledged_end(&spill->reader));
    spill_check_presence"
    TO "    spill_check_presence")
planted(sent_block_is_stored_before_that_is_noted FILE collector/spill/spill.c
    FROM "    note_read(spill, spill->segments.end + block->count, block->count);
    /*"
    TO "    /*")
planted(failing_reads_add_up FILE collector/spill/segment.c
    FROM "    *failures = 0;
    return SEGMENT_PART_SOUND;"
    TO "    return SEGMENT_PART_SOUND;")
planted(what_cannot_be_stored_is_overtaken FILE collector/output/delivery_writer.c
    FROM "clock_monotonic_ns() < delivery->sends_ns && delivery_keep_older(delivery))"
    TO "clock_monotonic_ns() < delivery->sends_ns)")
planted(reload_forgets_what_was_settled FILE collector/spill/spill.c
    FROM "    note_sent_to(spill, reader_acknowledged_end(&spill->reader));
    if"
    TO "    if")
planted(block_that_stays_on_disk_is_forgotten FILE collector/spill/spill_append.c
    FROM "    if (block.is_there)"
    TO "    if (block.is_there && 0)")
planted(what_was_left_is_evicted_unseen FILE collector/output/delivery_spill.c
    FROM "    spill->left_evicted += open;"
    TO "")
planted(cursor_is_read_once FILE collector/spill/cursor.c
    FROM "#define ATTEMPTS 3"
    TO "#define ATTEMPTS 1")
planted(failures_of_head_and_image_add_up FILE collector/spill/segment.c
    FROM "        enum segment_part part =
            read_part("
    TO "        walk->failures.image = walk->failures.head;
        enum segment_part part =
            read_part(")
planted(failures_at_places_add_up FILE collector/spill/reader.c
    FROM ".spill = reader->spill, .waits = true};"
    TO ".spill = reader->spill, .waits = true,
        .failures = reader->walk.failures};")
planted(retry_of_a_listening_socket_is_not_counted FILE collector/receive/stream_accept.c
    FROM "            put_off(worker, listening, &error);
    }"
    TO "            listening->accept_ns = now_ns + ACCEPT_PAUSE_NS;
    }")
planted(cut_line_is_gone_on_with FILE sinks/destinations/output_destination.c
    FROM "        torn_outputs_add(output_name(output));
}

enum write_result"
    TO "        output_name(output);
}

enum write_result")
planted(refused_reload_starts_its_sinks FILE collector/pipeline/reload_prepare.c
    FROM "    slot->opened = true;
    return 0;
}"
    TO "    slot->opened = true;
    return sink_thread_start(slot->sink, error);
}
#define sink_thread_start(sink, error) 0")
planted(spill_that_is_handed_over_is_listed_as_left LIBRARY FILE collector/pipeline/pipeline_retired.c
    FROM "        if (!hand_spill_over(pipeline, slot))
            pipeline_leave_spill(pipeline, slot);"
    TO "        pipeline_leave_spill(pipeline, slot);
        hand_spill_over(pipeline, slot);")

# --- at the boundary to librdkafka ---------------------------------------------------------------
planted(purge_waits_for_a_lookup LIBRARY FILE sinks/destinations/kafka_producer.c
    FROM "RD_KAFKA_PURGE_F_INFLIGHT | RD_KAFKA_PURGE_F_NON_BLOCKING)"
    TO "RD_KAFKA_PURGE_F_INFLIGHT)")
planted(end_of_a_producer_is_waited_for LIBRARY FILE sinks/destinations/kafka_producer.c
    FROM "producer->ending->lent_count != 0 ? 0 : END_MS"
    TO "END_MS")
planted(block_is_not_lent LIBRARY FILE sinks/destinations/destination_kafka.c
    FROM "    kafka_producer_lend(&kafka->producer, block->bytes, block->keys);
    block->lent = true;"
    TO "")
planted(report_counts_twice LIBRARY FILE sinks/destinations/kafka_flights.c
    FROM " && flight->block->records[record].outcome == HANDED;"
    TO ";")
planted(report_counts_for_another_block LIBRARY FILE sinks/destinations/kafka_flights.c
    FROM "    return (uintptr_t)flight->order << 16 << 16;"
    TO "    return 0;")
