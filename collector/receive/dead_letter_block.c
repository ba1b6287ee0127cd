#include "collector/receive/dead_letter_block.h"

#include <stdio.h>

#include "collector/capture/udp_packet.h"

/*
 * Writes the reason as a comment, cut after a whole UTF-8 character if it is too long. Returns its
 * bytes.
 */
static size_t make_comment(char *text, size_t size, const struct dead_letter *letter)
{
    char why[DECODE_FAILURE_TEXT_SIZE];
    decode_failure_text(&letter->failure, why);
    int wanted =
        snprintf(text, size, "%s: %s (schema=%s)%s%s", datagram_reason_names[letter->reason],
                 letter->listener->name, letter->schema, why[0] != '\0' ? ", " : "", why);
    size_t used = wanted < 0 ? 0 : (size_t)wanted;
    if (used < size)
        return used;
    used = size - 1;
    while (used != 0 && ((unsigned char)text[used - 1] & 0xc0) == 0x80)
        used--;
    return used != 0 && ((unsigned char)text[used - 1] & 0x80) != 0 ? used - 1 : used;
}

size_t dead_letter_block_make(uint8_t *to, bool with_section, struct byte_ring *ring,
                              const struct dead_letter *letter)
{
    char comment[PCAPNG_COMMENT_MAX];
    size_t section = with_section ? PCAPNG_SECTION_SIZE : 0;
    uint8_t *block = to + section;
    size_t most = udp_packet_payload_most(&letter->source);
    struct udp_packet packet = {.source = &letter->source,
                                .destination = &letter->destination,
                                .size = letter->size,
                                .length = letter->sent_size < most ? letter->sent_size : most};
    size_t headers = udp_packet_headers_size(&packet);
    uint8_t *payload = block + PCAPNG_PACKET_HEAD + headers;
    byte_ring_take(ring, payload, letter->size);
    packet.payload = payload;
    if (headers != 0)
        udp_packet_write_headers(&packet, block + PCAPNG_PACKET_HEAD);
    if (section != 0)
        pcapng_write_section(to, LINKTYPE_RAW);
    const struct pcapng_packet facts = {
        .time_ns = letter->received_ns,
        .captured = headers + letter->size,
        .length = headers + letter->sent_size,
        .comment = comment,
        .comment_size = make_comment(comment, sizeof comment, letter),
    };
    return section + pcapng_write_packet(block, &facts);
}
