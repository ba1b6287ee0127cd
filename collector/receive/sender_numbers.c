#include "collector/receive/sender_numbers.h"

#include "collector/text/compiler.h"
#include "collector/text/decimal.h"

static ALWAYS_INLINE void note_number(struct ingest *ingest, uint32_t numbering,
                                      const struct record *record,
                                      const struct datagram_sequence *sequence, bool several)
{
    struct sequence_key key = {.listener = ingest->listener->index,
                               .numbering = numbering,
                               .spread = ingest->listener->spread,
                               .several = several,
                               .source = &record->source,
                               .sender = sequence->sender.data,
                               .sender_size = sequence->sender.size,
                               .recent = &ingest->sender,
                               .wraps = sequence->wraps};
    sequence_queue_note(&ingest->thread->numbers, &key, sequence->boot_id, sequence->number,
                        ingest->counters);
}

/*
 * A publisher may send from several ports and numbers its messages for each port separately. The
 * sender's name is therefore "ID:PORT", both in decimal.
 */
static NEVER_INLINE void note_frame(struct ingest *ingest, uint32_t numbering,
                                    const struct record *record, const struct frame_number *number)
{
    char publisher[2 * 20 + 1];
    size_t size = decimal_uint64(number->publisher, publisher);
    publisher[size++] = ':';
    size += decimal_uint64(address_port(&record->source), publisher + size);
    const struct datagram_sequence sequence = {
        .sender = {publisher, size}, .number = number->message, .wraps = true};
    note_number(ingest, numbering, record, &sequence, false);
}

void sender_numbers_note(struct ingest *ingest, uint32_t numbering,
                         const struct record_chain *chain, const struct record *record)
{
    const struct schema_ops *ops = record->schema->ops;
    struct datagram_sequence sequence = {.wraps = false};
    if (chain->is_numbered)
        note_frame(ingest, numbering, record, &chain->number);
    else if (ops->sequence != NULL && ops->sequence(record->schema, record->message, &sequence))
        note_number(ingest, numbering, record, &sequence, ingest->listener->several);
}
