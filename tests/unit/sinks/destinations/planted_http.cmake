# Faults in the use of libcurl by an http: sink. With the first two, a request that was never sent
# got the outcome of the previous answer on its handle.
planted_fault(http_given_up_request_has_another_answer TEST test_http_client
    FOUND_BY what_never_left_has_no_answer_of_the_request_before_it
    FILE sinks/destinations/http_request.c
    FROM "    *reply =
        (struct http_reply){.sent = request->at != 0, .text = \"the stop came before an answer\"};"
    TO "    long status = 0;
    request->library->easy_getinfo(request->easy, CURLINFO_RESPONSE_CODE, &status);
    *reply = (struct http_reply){.status = status, .sent = request->at != 0, .text = \"\"};")
planted_fault(http_failed_request_has_another_answer TEST test_http_client
    FOUND_BY a_request_that_fails_before_it_begins_has_no_answer_of_the_one_before
    FILE sinks/destinations/http_request.c
    FROM "    return request->head_ended && status >= 200 && (read || !is_success(status));"
    TO "    return status >= 200 && (read || !is_success(status));")
planted_fault(http_other_answers_by_chance TEST test_http_faults
    FOUND_BY each_record_has_the_outcome_that_its_server_gave
    FILE sinks/destinations/http_request.c
    FROM "    *reply =
        (struct http_reply){.sent = request->at != 0, .text = \"the stop came before an answer\"};"
    TO "    long status = 0;
    request->library->easy_getinfo(request->easy, CURLINFO_RESPONSE_CODE, &status);
    *reply = (struct http_reply){.status = status, .sent = request->at != 0, .text = \"\"};")
planted_fault(http_unanswered_is_not_sent TEST test_http_faults
    FOUND_BY an_answer_after_the_stop_is_not_of_the_next_block
    FILE sinks/destinations/http_request.c
    FROM "(struct http_reply){.sent = request->at != 0, .text = \"the stop came before an answer\"};"
    TO "(struct http_reply){.sent = false, .text = \"the stop came before an answer\"};")
