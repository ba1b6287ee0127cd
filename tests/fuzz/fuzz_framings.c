/*
 * Fuzzes the framings: datagrams in each framing that an ingest receives, and the frames of a
 * stream.
 *
 * Fields of the envelope: 1 the framing; 2 the schema; 3 datagrams in their order; 4 bytes of
 * header; 5 which datagrams were truncated (bits); 6 which ones come from another sender (bits); 7
 * milliseconds between two of them; 8 bytes of a stream; 9 max_decoded; 10 the longest message of
 * the stream.
 *
 * The ledger must balance, all batches must come back, and the ingest must give up buffered
 * segments at the end. A stream must have the same frames whether many or few of its bytes are
 * available at a time.
 */
#include <stdlib.h>
#include <string.h>

#include "collector/framing/frame_streams.h"
#include "collector/framing/frames.h"
#include "collector/framing/stream_frame.h"
#include "proto/schemas.h"
#include "tests/fuzz/envelope.h"
#include "tests/fuzz/target.h"
#include "tests/support/receive/ingest_bench.h"

enum {
    PART_FRAMING = 1,
    PART_SCHEMA = 2,
    PART_DATAGRAM = 3,
    PART_HEADER = 4,
    PART_TRUNCATED = 5,
    PART_SENDERS = 6,
    PART_PAUSE = 7,
    PART_STREAM = 8,
    PART_MAX_DECODED = 9,
    PART_LONGEST = 10,
};

/* In the order that the corpus uses. The order of the enum is another one. */
static const enum framing framings[] = {
    FRAMING_DATAGRAM,      FRAMING_DELIMITED,   FRAMING_LENGTH16,  FRAMING_LENGTH32,
    FRAMING_FRAME_STREAMS, FRAMING_CISCO_MDT,   FRAMING_UDP_NOTIF, FRAMING_OTLP_UDP,
    FRAMING_LENGTH16_LE,   FRAMING_LENGTH32_LE,
};
#define FRAMINGS (sizeof framings / sizeof framings[0])

/* --- datagrams -------------------------------------------------------------------------------- */

static struct schema_config schema_of(const struct envelope *envelope)
{
    size_t count = 0;
    while (builtin_schemas[count] != NULL)
        count++;
    size_t choice = (size_t)(envelope_value(envelope, PART_SCHEMA, 0) % count);
    enum framing framing = framings[envelope_value(envelope, PART_FRAMING, 0) % FRAMINGS];
    if (framing == FRAMING_FRAME_STREAMS) /* for streams only */
        framing = FRAMING_DATAGRAM;
    return (struct schema_config){
        .ops = builtin_schemas[choice],
        .framing = framing,
        .header = (size_t)(envelope_value(envelope, PART_HEADER, 0) % 64),
    };
}

static void take_all(const struct envelope *envelope, struct ingest_bench *bench)
{
    uint64_t truncated = envelope_value(envelope, PART_TRUNCATED, 0);
    uint64_t senders = envelope_value(envelope, PART_SENDERS, 0);
    uint64_t pause_ms = envelope_value(envelope, PART_PAUSE, 0) % 1000;
    const struct envelope_part *part;
    for (size_t i = 0; (part = envelope_bytes(envelope, PART_DATAGRAM, i)) != NULL; i++) {
        const uint8_t host[4] = {192, 0, 2, (uint8_t)(senders >> i % 64 & 1)};
        struct address sender = address_from_ipv4(host, 5555);
        size_t size = part->size <= UINT16_MAX ? part->size : UINT16_MAX;
        ingest_bench_take(bench, &sender, part->bytes, size, (truncated >> i % 64 & 1) != 0);
        bench->now_ns += (int64_t)pause_ms * 1000000;
        if (i % 7 == 6)
            ingest_seal_if_due(bench->ingest, bench->now_ns);
        if (i % 5 == 4)
            ingest_seal(bench->ingest);
    }
}

/*
 * Passes the datagrams to an ingest. Closing the bench checks the ledger and that all batches came
 * back.
 */
static void check_datagrams(const struct envelope *envelope)
{
    const struct schema_config schema = schema_of(envelope);
    struct ingest_bench *bench = ingest_bench_open(&schema, 1);
    void *state = bench;
    bench->listener.max_decoded =
        (size_t)(envelope_value(envelope, PART_MAX_DECODED, bench->listener.max_decoded) %
                 (512 * 1024 + 1));
    take_all(envelope, bench);
    ingest_finish(bench->ingest);
    ingest_bench_commit(bench);
    ingest_bench_close(&state);
}

/* --- a stream --------------------------------------------------------------------------------- */

/*
 * Examines the bytes in a block of exactly their size, so that a sanitizer detects reads beyond the
 * end.
 */
static enum stream_frame_result look(enum framing framing, const uint8_t *data, size_t size,
                                     uint64_t most, size_t *whole)
{
    uint8_t *copy = malloc(size == 0 ? 1 : size);
    if (copy == NULL)
        abort();
    if (size != 0)
        memcpy(copy, data, size);
    enum stream_frame_result result = stream_frame_look(framing, copy, size, most, whole);
    free(copy);
    return result;
}

/* Checks that with fewer bytes the result is the same, or that more bytes are needed. */
static void check_with_less(enum framing framing, const uint8_t *data, size_t size, uint64_t most,
                            enum stream_frame_result result, size_t whole)
{
    for (size_t less = 0; less < size && less < 20; less++) {
        size_t other = 0;
        enum stream_frame_result early = look(framing, data, less, most, &other);
        EXPECT(early == STREAM_FRAME_MORE || early == result,
               "of %zu bytes a frame is %d, of %zu it is %d", less, (int)early, size, (int)result);
        EXPECT(early != STREAM_FRAME_KNOWN || other == whole, "a frame of %zu bytes has %zu", other,
               whole);
    }
}

/* Checks that a frame of a stream is also a valid datagram with one message. */
static void check_frame(enum framing framing, const uint8_t *data, size_t size)
{
    struct frames frames;
    struct frame frame;
    if (framing == FRAMING_FRAME_STREAMS)
        return;
    frames_begin(&frames, framing, 0, data, size);
    EXPECT(frames_next(&frames, &frame) == FRAME_MESSAGE, "a stream's frame is not a datagram");
    EXPECT(frame.data >= data && frame.data + frame.size == data + size, "it ends elsewhere");
    EXPECT(frames_next(&frames, &frame) == FRAME_END, "something follows it");
}

static void take_control(enum frame_streams_state *state, const uint8_t *data, size_t size)
{
    static const struct text wanted = {"protobuf:dnstap.Dnstap", 22};
    struct frame_streams_answer answer = {0};
    enum frame_streams_state before = *state;
    enum frame_streams_result result = frame_streams_control(state, &wanted, data, size, &answer);
    EXPECT(answer.size <= FRAME_STREAMS_ANSWER_MOST, "an answer of %zu bytes", answer.size);
    EXPECT(before != FRAME_STREAMS_STOPPED || result != FRAME_STREAMS_TAKEN,
           "something is taken after the end");
}

static void check_stream(enum framing framing, const uint8_t *data, size_t size, uint64_t most)
{
    enum frame_streams_state state = FRAME_STREAMS_BEGUN;
    while (size != 0) {
        size_t whole = 0;
        enum stream_frame_result result = look(framing, data, size, most, &whole);
        check_with_less(framing, data, size, most, result, whole);
        if (result != STREAM_FRAME_KNOWN)
            return;
        EXPECT(whole != 0, "a frame of no bytes");
        EXPECT(whole <= most + STREAM_FRAME_HEADER_MOST || framing == FRAMING_FRAME_STREAMS,
               "a frame of %zu bytes", whole);
        if (whole > size)
            return;
        if (stream_frame_is_control(framing, data))
            take_control(&state, data, whole);
        else
            check_frame(framing, data, whole);
        data += whole;
        size -= whole;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct envelope envelope;
    envelope_read(&envelope, data, size);
    enum framing framing = (enum framing)(envelope_value(&envelope, PART_FRAMING, 0) % FRAMINGS);
    const struct envelope_part *stream = envelope_bytes(&envelope, PART_STREAM, 0);
    check_datagrams(&envelope);
    if (stream != NULL && stream_frame_can(framing))
        check_stream(framing, stream->bytes, stream->size,
                     envelope_value(&envelope, PART_LONGEST, 65535) % ((uint64_t)64 << 20));
    envelope_free(&envelope);
    return 0;
}
