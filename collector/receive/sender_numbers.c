#include "collector/receive/sender_numbers.h"

#include "collector/text/compiler.h"
#include "collector/text/decimal.h"

/*
 * A publisher may send from several ports and numbers its messages for each port separately. The
 * sender's name is therefore "ID:PORT", both in decimal.
 */
#define PUBLISHER_SIZE (2 * 20 + 1)

/* Returns the number of a frame, of the sender whose name is written to `publisher`. */
static NEVER_INLINE struct datagram_sequence number_of_frame(const struct record *record,
                                                             const struct frame_number *number,
                                                             char publisher[PUBLISHER_SIZE])
{
    size_t size = decimal_uint64(number->publisher, publisher);
    publisher[size++] = ':';
    size += decimal_uint64(address_port(&record->source), publisher + size);
    return (struct datagram_sequence){
        .sender = {publisher, size}, .number = number->message, .wraps = true};
}

void sender_numbers_note(struct ingest *ingest, uint32_t numbering,
                         const struct record_chain *chain, const struct record *record)
{
    const struct listener *listener = ingest->listener;
    const struct schema_ops *ops = record->schema->ops;
    struct datagram_sequence sequence = {.wraps = false};
    char publisher[PUBLISHER_SIZE];
    if (chain->is_numbered)
        sequence = number_of_frame(record, &chain->number, publisher);
    else if (ops->sequence == NULL || !ops->sequence(record->schema, record->message, &sequence))
        return;
    struct sequence_key key = {.listener = listener->index,
                               .numbering = numbering,
                               .spread = listener->spread,
                               .several = listener->several && !chain->is_numbered,
                               .source = &record->source,
                               .sender = sequence.sender.data,
                               .sender_size = sequence.sender.size,
                               .recent = &ingest->sender,
                               .wraps = sequence.wraps};
    sequence_queue_note(&ingest->thread->numbers, &key, sequence.boot_id, sequence.number,
                        ingest->counters);
}
