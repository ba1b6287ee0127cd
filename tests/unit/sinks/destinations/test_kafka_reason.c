/* Tests the reasons in log lines of librdkafka (version 2.0.2). */
#include <stdio.h>
#include <string.h>

#include "sinks/destinations/kafka_reason.h"
#include "tests/support/test.h"

TEST(a_line_about_messages_that_are_sent_again_has_the_brokers_reason)
{
    char reason[KAFKA_REASON_SIZE];
    assert_true(kafka_reason_read(
        "MSGSET",
        "[thrd:b]: 127.0.0.1:9092/1: t [0]: MessageSet with 1 message(s) (MsgId 1, BaseSeq 0) "
        "encountered error: Broker: Not enough in-sync replicas (actions Retry,MsgNotPersisted)",
        reason));
    assert_string_equal(reason, "the messages are refused: Broker: Not enough in-sync replicas");
}

TEST(a_line_about_a_topic_that_is_missing_says_so)
{
    char reason[KAFKA_REASON_SIZE];
    assert_true(kafka_reason_read("METADATA",
                                  "[thrd:main]: Error in metadata reply for topic u (PartCnt 0): "
                                  "Broker: Unknown topic or partition",
                                  reason));
    assert_string_equal(reason, "topic u is missing at the brokers; create it (Broker: Unknown "
                                "topic or partition)");
    assert_true(kafka_reason_read("METADATA",
                                  "[thrd:main]: Error in metadata reply for topic u (PartCnt 1): "
                                  "Broker: Leader not available",
                                  reason));
    assert_string_equal(reason, "topic u: Broker: Leader not available");
}

TEST(a_line_about_a_producer_that_gets_no_number_has_the_brokers_reason)
{
    char reason[KAFKA_REASON_SIZE];
    assert_true(kafka_reason_read("GETPID",
                                  "[thrd:main]: Failed to acquire idempotence PID from broker "
                                  "b:9092/1: Broker: Coordinator load in progress: retrying",
                                  reason));
    assert_string_equal(reason, "no producer number from broker b:9092/1: Broker: Coordinator load "
                                "in progress");
}

TEST(other_lines_have_no_reason)
{
    static const char *const lines[][2] = {
        {"PRODUCE", "[thrd:b]: t [0]: Produce MessageSet with 1 message(s)"},
        {"MSGSET", "[thrd:b]: t [0]: MessageSet with 1 message(s) (MsgId 1, BaseSeq 0) delivered"},
        {"METADATA", "[thrd:main]: b/1: 1/1 requested topic(s) seen in metadata"},
        {"METADATA", "Error in metadata reply for topic u"},
        {"GETPID", "[thrd:main]: Acquiring ProducerId: why not"},
        {"NOINFO", "Error in metadata reply for topic u (PartCnt 0): Broker: Unknown topic"},
    };
    char reason[KAFKA_REASON_SIZE];
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        assert_false(kafka_reason_read(lines[i][0], lines[i][1], reason));
}

TEST(a_reason_of_any_length_is_cut_and_printable)
{
    char line[4000], reason[KAFKA_REASON_SIZE];
    snprintf(line, sizeof line, "Error in metadata reply for topic %0900d (PartCnt 0): \n%0900d", 7,
             7);
    assert_true(kafka_reason_read("METADATA", line, reason));
    assert_true(strlen(reason) < KAFKA_REASON_SIZE);
    assert_null(strchr(reason, '\n'));
}

TEST(a_refused_certificate_has_advice_that_fits)
{
    static const char old[] = "\x30\x1e\x17\x0d"
                              "261126030000Z"
                              "\x17\x0d"
                              "261127030000Z"
                              "\x30";
    static const struct {
        int code;
        const char *expected;
    } cases[] = {
        {10, "the server's certificate expired on 2026-11-27: renew it there"},
        {9, "the server's certificate is not valid yet: check the clocks of both machines"},
        {62, "the server's certificate is for another name than that in the sink's URL"},
        {64, "the server's certificate is for another name than that in the sink's URL"},
        {20, "the server's certificate has an unknown issuer: ssl.ca.location must name it"},
        {18, "the server's certificate has an unknown issuer: ssl.ca.location must name it"},
        {23, "the server's certificate was refused (X.509 error 23)"},
    };
    char text[200];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        kafka_reason_write_refused(cases[i].code, old, sizeof old - 1, text, sizeof text);
        assert_string_equal(text, cases[i].expected);
    }
    kafka_reason_write_refused(10, old, sizeof old - 4, text, sizeof text);
    assert_string_equal(text, "the server's certificate expired: renew it there");
}

TEST(a_line_about_a_refused_certificate_has_its_reason_and_its_names)
{
    static const char line[] = "[thrd:b]: ssl://b:9093/bootstrap: Certificate (subject=/CN=old, "
                               "issuer=/CN=ca) verification callback failed: it has expired";
    char reason[KAFKA_REASON_SIZE] = "before";
    assert_true(kafka_reason_read_refused("SSLCERTVRFY", line, reason));
    assert_string_equal(reason, "it has expired (subject=/CN=old, issuer=/CN=ca)");
    assert_false(kafka_reason_read_refused("FAIL", line, reason));
    assert_false(kafka_reason_read_refused("SSLCERTVRFY", "Certificate (", reason));
}
