/*
 * Tests datagrams of several schemas, with several messages, with headers, and with sequence
 * numbers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/byte_order.h"
#include "tests/support/contract/fake_schema.h"
#include "tests/support/receive/ingest_bench.h"
#include "tests/support/test.h"

static char source[] = "fake";
static char field[] = "field";
static struct ingest_bench *bench;

static void open_bench(const struct schema_config *schemas, size_t count)
{
    fake_schemas = (struct fake_schemas){0};
    bench = ingest_bench_open(schemas, count);
}

static void open_framed(enum framing framing, size_t header, bool accepts_empty)
{
    const struct schema_config config = {.ops = accepts_empty ? &fake_schema_of_anything
                                                              : &fake_schema,
                                         .source = source,
                                         .framing = framing,
                                         .header = header};
    open_bench(&config, 1);
}

static int close_bench(void **state)
{
    (void)state;
    void *closed = bench;
    ingest_bench_close(&closed);
    assert_int_equal(fake_schemas.living, 0);
    return 0;
}

static void take_from(const char *sender, const void *bytes, size_t size)
{
    struct address address;
    assert_true(address_parse_host(sender, strlen(sender), &address));
    ingest_bench_take(bench, &address, bytes, size, false);
}

#define take(literal) take_from("192.0.2.1", (literal), sizeof(literal) - 1)

static const struct ingest_counters *counters(void)
{
    return bench->thread.counters[0];
}

static uint64_t messages(void)
{
    return counter_read(&counters()->messages);
}

/* --- choosing the schema ---------------------------------------------------------------------- */

static const struct schema_config by_magic[] = {
    {.ops = &fake_schema,
     .source = source,
     .match = {.kind = MATCH_MAGIC, .magic = "!", .magic_size = 1},
     .header = 1},
    {.ops = &fake_schema, .source = source},
};

TEST_WITH(the_first_schema_that_matches_has_the_datagram, NULL, close_bench)
{
    (void)state;
    open_bench(by_magic, 2);
    /*
     * The first schema matches this datagram and skips its header of one byte. In the second schema
     * it would be malformed.
     */
    take("!text");
    assert_int_equal(decoded(bench), 1);
    take("text");
    assert_int_equal(decoded(bench), 2);
    take("!!"); /* a datagram that the first schema refuses is not passed to the second */
    assert_int_equal(count_of(bench, REASON_MALFORMED), 1);
}

TEST_WITH(a_datagram_without_a_schema_is_no_match, NULL, close_bench)
{
    (void)state;
    open_bench(by_magic, 1);
    take("text");
    take("");
    assert_int_equal(count_of(bench, REASON_NO_MATCH), 2);
    take("!text");
    assert_int_equal(decoded(bench), 1);
}

TEST_WITH(senders_are_distinguished_by_their_network, NULL, close_bench)
{
    (void)state;
    const struct schema_config config = {
        .ops = &fake_schema,
        .source = source,
        .match = {.kind = MATCH_SOURCE,
                  .network = {.family = ADDRESS_IPV4, .bytes = {10, 1}},
                  .prefix = 16}};
    open_bench(&config, 1);
    take_from("10.1.2.3", "text", 4);
    take_from("10.2.2.3", "text", 4);
    take_from("::ffff:10.1.2.3", "text", 4);
    assert_int_equal(decoded(bench), 2);
    assert_int_equal(count_of(bench, REASON_NO_MATCH), 1);
}

/*
 * The magic bytes are at the beginning of a datagram that is longer than its first part,
 * DATAGRAM_FRONT_SIZE.
 */
TEST_WITH(a_long_datagram_is_matched_by_its_beginning, NULL, close_bench)
{
    (void)state;
    static uint8_t bytes[5000];
    open_bench(by_magic, 1);
    bytes[0] = '!';
    take_from("192.0.2.1", bytes, sizeof bytes);
    assert_int_equal(decoded(bench), 1);
}

TEST_WITH(truncated_comes_before_no_match_and_no_buffer_before_that, NULL, close_bench)
{
    (void)state;
    const struct address sender = {.family = ADDRESS_IPV4};
    open_bench(by_magic, 1);
    ingest_bench_take(bench, &sender, "text", 4, true);
    assert_int_equal(count_of(bench, REASON_TRUNCATED), 1);
    ingest_seal(bench->ingest);
    struct batch *taken = batch_acquire(bench->thread.pool, false);
    take("text");
    assert_int_equal(count_of(bench, REASON_NO_BUFFER), 1);
    assert_int_equal(count_of(bench, REASON_NO_MATCH), 0);
    batch_release(taken);
}

/* --- several messages ------------------------------------------------------------------------- */

TEST_WITH(every_message_of_a_datagram_is_counted, NULL, close_bench)
{
    (void)state;
    open_framed(FRAMING_DELIMITED, 0, false);
    take("\1?\3bcd\2??");
    take("\1?");
    assert_int_equal(decoded(bench), 2);
    assert_int_equal(messages(), 4);
    assert_int_equal(counter_read(&counters()->unknown_fields), 4);
}

TEST_WITH(a_datagram_has_the_reason_of_its_first_failure, NULL, close_bench)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
        enum datagram_reason reason;
    } cases[] = {
        {"\1a\1!\1>", 6, REASON_MALFORMED},
        {"\1a\1>\1!", 6, REASON_TOO_DEEP},
        {"\1a\0\1!", 5, REASON_EMPTY},
        {"\1a\x9", 3, REASON_MALFORMED},
        {"\1>\x9", 3, REASON_TOO_DEEP},
        {"\1a\x80", 3, REASON_MALFORMED},
        {"\1a\7*999999\1!", 12, REASON_TOO_LARGE},
    };
    open_framed(FRAMING_DELIMITED, 0, false);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t before = count_of(bench, cases[i].reason);
        take_from("192.0.2.1", cases[i].bytes, cases[i].size);
        assert_int_equal(count_of(bench, cases[i].reason), before + 1);
        assert_int_equal(decoded(bench), i);
        take("\1a"); /* the next datagram is accepted */
        assert_int_equal(decoded(bench), i + 1);
    }
    assert_int_equal(messages(), decoded(bench));
    assert_int_equal(counter_read(&counters()->unknown_fields), 0);
}

TEST_WITH(the_schema_decides_about_empty_messages, NULL, close_bench)
{
    (void)state;
    open_framed(FRAMING_DELIMITED, 0, true);
    take("\0\1a\0");
    assert_int_equal(messages(), 3);
}

TEST_WITH(a_delimited_datagram_without_a_message_is_empty_or_malformed, NULL, close_bench)
{
    (void)state;
    open_framed(FRAMING_DELIMITED, 0, false);
    take("");
    assert_int_equal(count_of(bench, REASON_EMPTY), 1);
    close_bench(NULL);
    open_framed(FRAMING_DELIMITED, 0, true);
    take("");
    assert_int_equal(count_of(bench, REASON_MALFORMED), 1);
}

static uint8_t *many(size_t count)
{
    uint8_t *bytes = malloc(2 * count);
    assert_non_null(bytes);
    for (size_t i = 0; i < count; i++)
        memcpy(bytes + 2 * i, "\1a", 2);
    return bytes;
}

TEST_WITH(max_decoded_is_for_all_messages_together, NULL, close_bench)
{
    (void)state;
    open_framed(FRAMING_DELIMITED, 0, false);
    bench->listener.max_decoded = 4096;
    take("\5*3000");
    assert_int_equal(messages(), 1);
    take("\5*3000\5*3000");
    assert_int_equal(count_of(bench, REASON_TOO_LARGE), 1);
    assert_int_equal(messages(), 1);
    uint8_t *bytes = many(32000);
    take_from("192.0.2.1", bytes, 64000);
    assert_int_equal(count_of(bench, REASON_TOO_LARGE), 2);
    free(bytes);
}

/*
 * The datagram does not fit in the rest of the small batch, nor in an empty small batch. So a large
 * batch gets all of it.
 */
TEST_WITH(a_datagram_of_many_messages_is_decoded_once_wherever_it_fits, NULL, close_bench)
{
    (void)state;
    open_framed(FRAMING_DELIMITED, 0, false);
    uint8_t *bytes = many(1500);
    take("\1a");
    take_from("192.0.2.1", bytes, 3000);
    take("\1a");
    assert_int_equal(decoded(bench), 3);
    assert_int_equal(messages(), 1502);
    free(bytes);
}

TEST_WITH(without_a_large_batch_none_of_many_messages_is_passed_on, NULL, close_bench)
{
    (void)state;
    open_framed(FRAMING_DELIMITED, 0, false);
    struct batch *taken = batch_acquire(bench->thread.pool, true);
    uint8_t *bytes = many(1500);
    take_from("192.0.2.1", bytes, 3000);
    assert_int_equal(count_of(bench, REASON_NO_BUFFER), 1);
    assert_int_equal(messages(), 0);
    batch_release(taken);
    free(bytes);
}

/* --- datagrams with a header ------------------------------------------------------------------ */

TEST_WITH(a_header_is_skipped, NULL, close_bench)
{
    (void)state;
    open_framed(FRAMING_DATAGRAM, 4, false);
    take("!!!!text");
    assert_int_equal(decoded(bench), 1);
    take("text!");
    assert_int_equal(count_of(bench, REASON_MALFORMED), 1);
    take("abc");
    take("");
    assert_int_equal(count_of(bench, REASON_MALFORMED), 3);
    take("abcd");
    assert_int_equal(count_of(bench, REASON_EMPTY), 1);
}

TEST_WITH(heartbeats_are_control, NULL, close_bench)
{
    (void)state;
    open_framed(FRAMING_CISCO_MDT, 0, false);
    take("\0\1\0\1\0\1\0\0\0\0\0\4text");
    assert_int_equal(decoded(bench), 1);
    take("\0\2\0\1\0\1\0\0\0\0\0\0");
    assert_int_equal(count_of(bench, REASON_CONTROL), 1);
    take("\0\1\0\2\0\1\0\0\0\0\0\2{}");
    assert_int_equal(count_of(bench, REASON_MALFORMED), 1);
    take("\0\1\0\1\0\1\0\0\0\0\0\0");
    assert_int_equal(count_of(bench, REASON_EMPTY), 1);
}

/* --- OTLP over UDP ---------------------------------------------------------------------------- */

#define OTLP_LINE "{\"format\":\"json\",\"version\":1}\n"

/* The first schema is for traces, and the second one for metrics. */
static const struct schema_config otlp_udp[] = {
    {.ops = &fake_schema, .source = source, .framing = FRAMING_OTLP_UDP},
    {.ops = &fake_schema_of_anything, .source = source, .framing = FRAMING_OTLP_UDP},
};

static const char *schema_of(const char *text)
{
    const struct datagram_slot slot = {
        .front = (const uint8_t *)text,
        .size = (uint32_t)strlen(text),
        .sent_size = (uint32_t)strlen(text),
        .source = {.family = ADDRESS_IPV4},
    };
    const struct ingest_verdict verdict = ingest_take(bench->ingest, &slot);
    assert_non_null(verdict.message);
    const struct text *message = verdict.message;
    assert_int_equal(message->size, 4);
    assert_memory_equal(message->data, "text", 4);
    return verdict.schema->name;
}

TEST_WITH(the_prefix_chooses_the_schema, NULL, close_bench)
{
    (void)state;
    open_bench(otlp_udp, 2);
    assert_string_equal(schema_of(OTLP_LINE "T1SdGV4dA=="), "fake");
    assert_string_equal(schema_of(OTLP_LINE "M1dGV4dA=="), "fake-of-anything");
    assert_string_equal(schema_of(OTLP_LINE "T1UdGV4dA=="), "fake");
    assert_int_equal(decoded(bench), 3);
}

TEST_WITH(a_prefix_without_a_schema_is_no_match, NULL, close_bench)
{
    (void)state;
    open_bench(otlp_udp, 1);
    take(OTLP_LINE "M1dGV4dA==");
    take(OTLP_LINE "L1dGV4dA==");
    assert_int_equal(count_of(bench, REASON_NO_MATCH), 2);
}

TEST_WITH(a_bad_head_or_bad_base64_is_malformed_and_no_bytes_are_empty, NULL, close_bench)
{
    (void)state;
    open_bench(otlp_udp, 1);
    take("{\"format\":\"json\",\"version\":2}\nT1SdGV4dA==");
    take(OTLP_LINE "T1SdGV4dA=");
    take(OTLP_LINE "T1SdGV4dA==\n");
    take(OTLP_LINE "T1SIQ=="); /* "!", which the schema refuses */
    take("");
    assert_int_equal(count_of(bench, REASON_MALFORMED), 5);
    take(OTLP_LINE "T1S");
    assert_int_equal(count_of(bench, REASON_EMPTY), 1);
    take(OTLP_LINE "T1SdGV4dA==");
    assert_int_equal(decoded(bench), 1);
}

TEST_WITH(base64_is_decoded_within_max_decoded, NULL, close_bench)
{
    (void)state;
    static uint8_t bytes[60000 + 33] = OTLP_LINE "T1S";
    memset(bytes + 33, 'Y', 60000);
    open_bench(otlp_udp, 1);
    bench->listener.max_decoded = 44000;
    take_from("192.0.2.1", bytes, sizeof bytes);
    assert_int_equal(count_of(bench, REASON_TOO_LARGE), 1);
    bench->listener.max_decoded = 46000;
    take_from("192.0.2.1", bytes, sizeof bytes);
    assert_int_equal(decoded(bench), 1);
}

/* --- UDP-Notif -------------------------------------------------------------------------------- */

struct notif {
    uint32_t message;
    int segment; /* -1: not a segment */
    bool last;
    const char *text;
};

static void take_notif(struct notif notif)
{
    uint8_t bytes[64] = {0x30, 12, 0, 0, 0, 0, 0, 7};
    size_t size = 12;
    put_network_u32(bytes + 8, notif.message);
    if (notif.segment >= 0) {
        bytes[1] = 16;
        bytes[12] = 1;
        bytes[13] = 4;
        put_network_u16(bytes + 14, (unsigned)notif.segment << 1 | notif.last);
        size = 16;
    }
    memcpy(bytes + size, notif.text, strlen(notif.text));
    size += strlen(notif.text);
    put_network_u16(bytes + 2, (unsigned)size);
    take_from("192.0.2.1", bytes, size);
}

static uint64_t in_assembly(void)
{
    return counter_read(&counters()->in_assembly);
}

TEST_WITH(a_message_in_segments_is_one_record, NULL, close_bench)
{
    (void)state;
    open_framed(FRAMING_UDP_NOTIF, 0, false);
    take_notif((struct notif){1, -1, false, "text"});
    take_notif((struct notif){2, 2, true, "xt"});
    take_notif((struct notif){2, 0, false, "t"});
    assert_int_equal(in_assembly(), 2);
    assert_int_equal(decoded(bench), 1);
    take_notif((struct notif){2, 1, false, "e"});
    assert_int_equal(in_assembly(), 0);
    assert_int_equal(decoded(bench), 4);
    assert_int_equal(messages(), 2);
    take_notif((struct notif){2, 1, false, "e"});
    assert_int_equal(count_of(bench, REASON_SEGMENT_REPEATED), 1);
}

TEST_WITH(all_segments_of_a_message_have_its_reason, NULL, close_bench)
{
    (void)state;
    open_framed(FRAMING_UDP_NOTIF, 0, false);
    take_notif((struct notif){1, 0, false, "!"}); /* the schema refuses this message */
    take_notif((struct notif){1, 1, true, "text"});
    assert_int_equal(count_of(bench, REASON_MALFORMED), 2);
    take_notif((struct notif){2, 0, false, ""});
    take_notif((struct notif){2, 1, true, ""});
    assert_int_equal(count_of(bench, REASON_EMPTY), 2);
    take_notif((struct notif){3, 0, false, ">"});
    take_notif((struct notif){3, 1, true, ""});
    assert_int_equal(count_of(bench, REASON_TOO_DEEP), 2);
    assert_int_equal(in_assembly(), 0);
}

TEST_WITH(an_incomplete_message_counts_its_received_segments, NULL, close_bench)
{
    (void)state;
    open_framed(FRAMING_UDP_NOTIF, 0, false);
    take_notif((struct notif){1, 0, false, "t"});
    take_notif((struct notif){1, 2, true, "t"});
    bench->now_ns += INGEST_BENCH_SEGMENT_TIMEOUT;
    take_notif((struct notif){2, 0, false, "t"});
    assert_int_equal(count_of(bench, REASON_SEGMENTS_MISSING), 2);
    assert_int_equal(in_assembly(), 1);
    ingest_finish(bench->ingest);
    assert_int_equal(count_of(bench, REASON_SEGMENTS_MISSING), 3);
    assert_int_equal(in_assembly(), 0);
}

TEST_WITH(registered_encodings_are_malformed, NULL, close_bench)
{
    (void)state;
    open_framed(FRAMING_UDP_NOTIF, 0, false);
    take("\x21\x0c\0\x0e\0\0\0\7\0\0\0\1{}");
    assert_int_equal(count_of(bench, REASON_MALFORMED), 1);
    take("\x31\x0c\0\x0e\0\0\0\7\0\0\0\1{}");
    assert_int_equal(decoded(bench), 1);
}

/*
 * The numbers wrap around: 2 is lost, 1 and 3 are swapped, and 4 is duplicated. A message counts
 * once, even if it has several segments.
 */
TEST_WITH(message_numbers_reveal_losses_swaps_and_duplicates, NULL, close_bench)
{
    (void)state;
    static const uint32_t numbers[] = {UINT32_MAX - 1, UINT32_MAX, 0, 3, 1, 4, 4, 5};
    open_framed(FRAMING_UDP_NOTIF, 0, false);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (numbers[i] == 3) {
            take_notif((struct notif){3, 0, false, "te"});
            take_notif((struct notif){3, 1, true, "xt"});
        } else {
            take_notif((struct notif){numbers[i], -1, false, "text"});
        }
    }
    ingest_bench_commit(bench);
    assert_int_equal(messages(), 8);
    assert_int_equal(decoded(bench), 9);
    assert_int_equal(counter_read(&counters()->senders), 1);
    assert_int_equal(counter_read(&counters()->lost), 1);
    assert_int_equal(counter_read(&counters()->reordered), 1);
    assert_int_equal(counter_read(&counters()->duplicated), 1);
    assert_int_equal(counter_read(&counters()->restarted), 0);
}

TEST_WITH(without_a_free_batch_a_complete_message_is_no_buffer, NULL, close_bench)
{
    (void)state;
    open_framed(FRAMING_UDP_NOTIF, 0, false);
    take_notif((struct notif){1, 0, false, "te"});
    ingest_seal(bench->ingest);
    struct batch *taken = batch_acquire(bench->thread.pool, false);
    take_notif((struct notif){1, 1, true, "xt"});
    assert_int_equal(count_of(bench, REASON_NO_BUFFER), 1);
    assert_int_equal(in_assembly(), 1);
    batch_release(taken);
    take_notif((struct notif){1, 1, true, "xt"});
    assert_int_equal(decoded(bench), 2);
}

/* --- sequence numbers of senders -------------------------------------------------------------- */

static void take_number(const char *sender, unsigned number)
{
    char text[16];
    take_from(sender, text, (size_t)snprintf(text, sizeof text, "#%u", number));
}

/* The numbers are 0 to 9: 4 is lost, 6 and 7 are swapped, and 8 is duplicated. */
TEST_WITH(numbers_reveal_losses_swaps_and_duplicates, NULL, close_bench)
{
    (void)state;
    static const unsigned numbers[] = {0, 1, 2, 3, 5, 7, 6, 8, 8, 9};
    const struct schema_config config = {.ops = &fake_schema, .source = source, .sequence = field};
    open_bench(&config, 1);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        take_number("192.0.2.1", numbers[i]);
    ingest_bench_commit(bench);
    assert_int_equal(decoded(bench), 10);
    assert_int_equal(counter_read(&counters()->senders), 1);
    assert_int_equal(counter_read(&counters()->lost), 1);
    assert_int_equal(counter_read(&counters()->reordered), 1);
    assert_int_equal(counter_read(&counters()->duplicated), 1);
    assert_int_equal(counter_read(&counters()->late), 0);
    assert_int_equal(counter_read(&counters()->restarted), 0);
}

TEST_WITH(every_message_of_a_datagram_has_its_number, NULL, close_bench)
{
    (void)state;
    const struct schema_config config = {
        .ops = &fake_schema, .source = source, .sequence = field, .framing = FRAMING_DELIMITED};
    open_bench(&config, 1);
    take("\2#1\2#2\2#4");
    take("\2#5\1!"); /* the second message is invalid, so no number of the datagram counts */
    take("\2#6");
    ingest_bench_commit(bench);
    assert_int_equal(counter_read(&counters()->lost), 2);
}

TEST_WITH(numbers_of_two_schemas_belong_to_two_senders, NULL, close_bench)
{
    (void)state;
    const struct schema_config configs[] = {
        {.ops = &fake_schema,
         .source = source,
         .sequence = field,
         .match = {.kind = MATCH_MAGIC, .magic = "A", .magic_size = 1},
         .header = 1},
        {.ops = &fake_schema, .source = source, .sequence = field},
    };
    open_bench(configs, 2);
    for (unsigned i = 0; i < 5; i++) {
        take_number("192.0.2.1", i);
        take_from("192.0.2.1", (const char *[]){"A#10", "A#11", "A#12", "A#13", "A#14"}[i], 4);
    }
    ingest_bench_commit(bench);
    assert_int_equal(counter_read(&counters()->senders), 2);
    assert_int_equal(counter_read(&counters()->lost), 0);
    assert_int_equal(counter_read(&counters()->duplicated), 0);
}

/* --- schemas that a reload changes ------------------------------------------------------------ */

static void put_new_schemas(const struct schema_config *config)
{
    struct schema_list *list;
    assert_int_equal(schema_list_create(&list, config, 1, NULL, NULL), 0);
    schema_slot_put(bench->listener.schemas, list);
}

TEST_WITH(an_open_batch_keeps_its_schemas, NULL, close_bench)
{
    (void)state;
    const struct schema_config config = {.ops = &fake_schema, .source = source};
    open_bench(&config, 1);
    take("text");
    put_new_schemas(&config);
    assert_int_equal(fake_schemas.living, 2);
    take("text");
    assert_int_equal(fake_schemas.living, 2);
    ingest_seal(bench->ingest);
    assert_int_equal(fake_schemas.living, 1);
    take("text");
    assert_int_equal(decoded(bench), 3);
}

/*
 * When a datagram is moved to the next batch, it is matched again with that batch's schemas. The
 * earlier schemas may have been freed.
 */
TEST_WITH(a_datagram_moved_to_the_next_batch_uses_its_schemas, NULL, close_bench)
{
    (void)state;
    const struct schema_config config = {
        .ops = &fake_schema, .source = source, .framing = FRAMING_DELIMITED};
    open_bench(&config, 1);
    take("\1a");
    put_new_schemas(&config);
    uint8_t *bytes = many(1500);
    take_from("192.0.2.1", bytes, 3000);
    assert_int_equal(fake_schemas.living, 1);
    assert_int_equal(messages(), 1501);
    free(bytes);
}
