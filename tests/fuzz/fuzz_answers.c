/*
 * Fuzzes the reading of answers from destinations: HTTP statuses for the requests of a block, and
 * the bodies of OTLP's and JetStream's answers.
 *
 * Fields of the envelope: 1 the format; 2 the number of the block's records; 3 the records that
 * already have an outcome (bits); 4 statuses in their order (value / 4 is the status; bit 0: a part
 * of the body was sent; bit 1: there is no answer); 5 an answer of OTLP; 6 an answer of JetStream;
 * 7 bytes as from a disk, from which requests are made.
 *
 * A block must lead to a limited number of requests. Each record must have one outcome. A record is
 * acknowledged if and only if a request with it was acknowledged, and is not sent again after that.
 * The texts that a reader returns must be inside the body.
 */
#include <stdlib.h>
#include <string.h>

#include "sinks/destinations/http_answer.h"
#include "sinks/destinations/http_exchange.h"
#include "sinks/destinations/jetstream_answer.h"
#include "sinks/destinations/otlp_answer.h"
#include "sinks/sinks.h"
#include "tests/fuzz/envelope.h"
#include "tests/fuzz/requests.h"
#include "tests/fuzz/target.h"

enum {
    PART_FORMAT = 1,
    PART_RECORDS = 2,
    PART_DONE = 3,
    PART_STATUS = 4,
    PART_OTLP = 5,
    PART_JETSTREAM = 6,
    PART_BODY = 7,
};

#define MOST_RECORDS ((size_t)512)

/* --- the requests of a block ------------------------------------------------------------------ */

static const char *const formats[] = {"json", "influx",       "prometheus", "csv",
                                      "otlp", "remote-write", "protobuf"};

static size_t make_block(const struct envelope *envelope, struct delivery_block *block,
                         struct delivery_record *records)
{
    uint64_t done = envelope_value(envelope, PART_DONE, 0);
    size_t count = 1 + (size_t)(envelope_value(envelope, PART_RECORDS, 3) % MOST_RECORDS);
    for (size_t i = 0; i < count; i++)
        records[i] = (struct delivery_record){.offset = (uint32_t)(10 * i),
                                              .size = 10,
                                              .lines = 1,
                                              .done = (done >> i % 64 & 1) != 0};
    *block = (struct delivery_block){
        .route = "", .size = 10 * count, .records = records, .count = count, .epoch = "1"};
    return count;
}

static struct http_reply next_reply(const struct envelope *envelope, size_t *at)
{
    static const struct http_reply none = {.status = 200, .sent = true, .text = ""};
    while (*at < envelope->count) {
        const struct envelope_part *part = &envelope->parts[(*at)++];
        if (part->number != PART_STATUS || part->bytes != NULL)
            continue;
        long status = (part->value & 2) != 0 ? 0 : (long)(part->value / 4 % 1000);
        return (struct http_reply){.status = status,
                                   .sent = (part->value & 1) != 0 || status != 0,
                                   .retry_after_ns = (int64_t)(part->value >> 12),
                                   .text = "what it said"};
    }
    return none;
}

/* Passes the reply to the exchange. Returns true if it acknowledges the request. */
static bool answer(struct http_exchange *exchange, const char *format,
                   const struct http_reply *reply)
{
    struct http_meaning meaning = http_meaning_of(format, reply->status, reply->sent);
    EXPECT((meaning.outcome == DELIVERY_ACKNOWLEDGED) ==
               (reply->status >= 200 && reply->status <= 299),
           "status %ld of %s", reply->status, format);
    EXPECT(reply->status != 0 ||
               meaning.outcome == (reply->sent ? DELIVERY_UNKNOWN : DELIVERY_NOT_SENT),
           "no answer is outcome %d", (int)meaning.outcome);
    http_exchange_answer(exchange, reply);
    return meaning.outcome == DELIVERY_ACKNOWLEDGED;
}

static void check_block(const struct envelope *envelope)
{
    static struct delivery_record records[MOST_RECORDS];
    static bool taken[MOST_RECORDS];
    struct delivery_block block;
    struct http_exchange exchange;
    size_t count = make_block(envelope, &block, records), at = 0, requests = 0;
    const char *format =
        formats[envelope_value(envelope, PART_FORMAT, 0) % (sizeof formats / sizeof *formats)];
    memset(taken, 0, sizeof taken);
    http_exchange_begin(&exchange, &block, format);
    while (http_exchange_next(&exchange)) {
        struct http_range range = exchange.range;
        EXPECT(++requests <= HTTP_REQUESTS_MOST, "request %zu of a block", requests);
        EXPECT(range.count != 0 && range.first < count && range.count <= count - range.first,
               "a request of %zu records from %zu on, of %zu", range.count, range.first, count);
        for (size_t i = range.first; i < range.first + range.count; i++)
            EXPECT(!records[i].done && !taken[i], "record %zu is sent again", i);
        struct http_reply reply = next_reply(envelope, &at);
        bool acknowledged = answer(&exchange, format, &reply);
        for (size_t i = range.first; i < range.first + range.count; i++)
            taken[i] = acknowledged;
    }
    EXPECT(block.per_record, "the block has one answer for all");
    for (size_t i = 0; i < count; i++) {
        if (records[i].done)
            continue;
        EXPECT(records[i].outcome <= DELIVERY_PARTLY_ACCEPTED, "record %zu has no outcome", i);
        EXPECT(records[i].outcome != DELIVERY_PARTLY_ACCEPTED || records[i].repeated,
               "record %zu, of one line, was refused and may be there", i);
        EXPECT((records[i].outcome == DELIVERY_ACKNOWLEDGED) == taken[i],
               "record %zu was %s, and its outcome is %d", i, taken[i] ? "taken" : "not taken",
               (int)records[i].outcome);
        EXPECT(records[i].outcome != DELIVERY_REFUSED || records[i].reason <= DELIVERY_DENIED,
               "record %zu is refused for no reason", i);
    }
}

/* --- bodies ----------------------------------------------------------------------------------- */

static void check_otlp(const struct envelope_part *part)
{
    struct otlp_answer said;
    bool is_message = otlp_answer_read(part->bytes, part->size, &said);
    EXPECT(is_message || (said.rejected == 0 && said.message.size == 0),
           "an invalid message has a result");
    EXPECT(said.rejected <= INT64_MAX, "more were rejected than there can be");
    if (said.message.size == 0)
        return;
    const uint8_t *text = (const uint8_t *)said.message.data;
    EXPECT(text >= part->bytes && said.message.size <= part->size &&
               text + said.message.size <= part->bytes + part->size,
           "the message lies outside");
}

static bool has(const struct envelope_part *part, const char *name)
{
    return memmem(part->bytes, part->size, name, strlen(name)) != NULL;
}

/*
 * Returns the character at *at and advances *at past it. For an escape other than \u it returns the
 * character after the backslash.
 */
static int decoded_character(const struct envelope_part *part, size_t *at)
{
    char hex[5] = "";
    bool escaped = part->bytes[*at] == '\\' && *at + 1 < part->size;
    *at += escaped;
    if (!escaped || part->bytes[*at] != 'u' || *at + 4 >= part->size)
        return part->bytes[(*at)++];
    memcpy(hex, part->bytes + *at + 1, 4);
    *at += 5;
    return (int)strtol(hex, NULL, 16);
}

/* Returns true if the part contains the name in quotes. Any of its characters may be escaped. */
static bool has_name(const struct envelope_part *part, const char *name)
{
    for (size_t begin = 0; begin < part->size; begin++) {
        size_t at = begin + 1;
        size_t same = 0;
        if (part->bytes[begin] != '"')
            continue;
        while (at < part->size && name[same] != '\0' && decoded_character(part, &at) == name[same])
            same++;
        if (name[same] == '\0' && at < part->size && part->bytes[at] == '"')
            return true;
    }
    return false;
}

static void check_jetstream(const struct envelope_part *part)
{
    struct jetstream_answer said = jetstream_answer_read((const char *)part->bytes, part->size);
    EXPECT(said.outcome <= DELIVERY_MAYBE_SENT && said.reason <= DELIVERY_DENIED, "no outcome");
    EXPECT(memchr(said.text, '\0', sizeof said.text) != NULL, "a text without an end");
    EXPECT(said.outcome != DELIVERY_ACKNOWLEDGED ||
               (has_name(part, "stream") && has_name(part, "seq") && said.text[0] == '\0'),
           "an invalid acknowledgement is accepted");
    EXPECT(said.outcome == DELIVERY_ACKNOWLEDGED || said.text[0] != '\0' ||
               has(part, "description"),
           "not even a word why");
}

/*
 * Makes requests from arbitrary bytes in each format that has requests. The format may refuse them.
 */
static void check_body(const struct envelope_part *part)
{
    for (size_t i = 0; builtin_encoders[i] != NULL; i++)
        if (builtin_encoders[i]->request != NULL && part->size != 0)
            check_requests(builtin_encoders[i], (const char *)part->bytes, part->size, false);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct envelope envelope;
    envelope_read(&envelope, data, size);
    const struct envelope_part *otlp = envelope_bytes(&envelope, PART_OTLP, 0);
    const struct envelope_part *jetstream = envelope_bytes(&envelope, PART_JETSTREAM, 0);
    const struct envelope_part *body = envelope_bytes(&envelope, PART_BODY, 0);
    check_block(&envelope);
    if (otlp != NULL)
        check_otlp(otlp);
    if (jetstream != NULL)
        check_jetstream(jetstream);
    if (body != NULL)
        check_body(body);
    envelope_free(&envelope);
    return 0;
}
