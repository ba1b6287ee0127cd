/*
 * Merges a message field that occurs again with the earlier message. Later values replace earlier
 * ones, because the decoder decodes into the same message. This file joins the lists.
 */
#include <string.h>

#include "proto/message/decoder.h"

const ProtobufCMessage *decoder_begin_merge(struct decoder *decoder,
                                            const struct message_type *type,
                                            ProtobufCMessage *message)
{
    ProtobufCMessage *before = decoder_allocate(decoder, type->descriptor->sizeof_message);
    if (before == NULL)
        return NULL;
    memcpy(before, message, type->descriptor->sizeof_message);
    for (size_t i = 0; i < type->repeated_count; i++)
        *field_count(&type->fields[type->repeated[i]], message) = 0;
    message->n_unknown_fields = 0;
    return before;
}

/*
 * Returns a new list with the elements of `first` and then of `second`, of `size` bytes each, or
 * NULL on failure.
 */
static void *join(struct decoder *decoder, const void *first, size_t first_count,
                  const void *second, size_t second_count, size_t size)
{
    char *joined = decoder_allocate(decoder, (first_count + second_count) * size);
    if (joined == NULL)
        return NULL;
    memcpy(joined, first, first_count * size);
    memcpy(joined + first_count * size, second, second_count * size);
    return joined;
}

static bool join_list(struct decoder *decoder, const struct field_type *field,
                      ProtobufCMessage *message, const ProtobufCMessage *before)
{
    size_t earlier = field_elements(field, before);
    size_t *count = field_count(field, message);
    void **list = field_place(field, message);
    void *const *earlier_list = field_value(field, before);
    if (earlier == 0)
        return true;
    if (*count == 0) {
        *list = *earlier_list;
        *count = earlier;
        return true;
    }
    void *joined = join(decoder, *earlier_list, earlier, *list, *count, field->size);
    if (joined == NULL)
        return false;
    *list = joined;
    *count += earlier;
    /*
     * Each merge sorts the map again. It also needs memory for the list, so the arena limits this
     * work.
     */
    return !field->map || decoder_keep_last_entries(decoder, field, message);
}

bool decoder_end_merge(struct decoder *decoder, const struct message_type *type,
                       ProtobufCMessage *message, const ProtobufCMessage *before)
{
    for (size_t i = 0; i < type->repeated_count; i++)
        if (!join_list(decoder, &type->fields[type->repeated[i]], message, before))
            return false;
    if (before->n_unknown_fields == 0)
        return true;
    void *joined = before->unknown_fields;
    if (message->n_unknown_fields != 0)
        joined = join(decoder, joined, before->n_unknown_fields, message->unknown_fields,
                      message->n_unknown_fields, sizeof *message->unknown_fields);
    message->unknown_fields = joined;
    message->n_unknown_fields += before->n_unknown_fields;
    return joined != NULL;
}
