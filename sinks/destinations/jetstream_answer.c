#include "sinks/destinations/jetstream_answer.h"

#include <stdio.h>

#include "collector/text/control_character.h"
#include "collector/text/json_reader.h"

/*
 * nats-server's err_code for a message that exceeds the stream's max_msg_size. The message can be
 * divided, unlike a message whose headers are too large (10097).
 */
#define MESSAGE_EXCEEDS_MAXIMUM 10054

/* The members of an answer, as far as they are used. */
struct members {
    bool stream, seq, error;
    unsigned code, detail; /* code and err_code of the error, or 0 if not given */
    struct text description, first_stream;
};

/* Returns the number, or 0 if the text is not a number or is larger than any err_code. */
static unsigned jetstream_number(struct text text)
{
    uint64_t number = json_whole_number(text);
    return number < 1000000 ? (unsigned)number : 0;
}

static void note_error(struct members *members, const struct json_item *item)
{
    if (json_text_is(item->name, "code"))
        members->code = jetstream_number(item->text);
    else if (json_text_is(item->name, "err_code"))
        members->detail = jetstream_number(item->text);
    else if (json_text_is(item->name, "description"))
        members->description = item->text;
}

static bool read_members(const char *json, size_t size, struct members *members)
{
    struct json_reader reader;
    struct json_item item;
    bool in_error = false, in_streams = false;
    json_reader_begin(&reader, json, size);
    while (json_read(&reader, &item)) {
        if (item.depth == 1 && item.type != JSON_END) {
            in_error = json_text_is(item.name, "error");
            in_streams = json_text_is(item.name, "streams");
            members->error |= in_error;
            members->stream |= json_text_is(item.name, "stream");
            members->seq |= json_text_is(item.name, "seq");
        } else if (item.depth == 2 && in_error) {
            note_error(members, &item);
        } else if (item.depth == 2 && in_streams && item.type == JSON_STRING &&
                   members->first_stream.data == NULL) {
            members->first_stream = item.text;
        }
    }
    return reader.wrong == NULL;
}

static void jetstream_describe(const struct members *members, char *text, size_t room)
{
    control_characters_hide(text, json_text_copy(members->description, text, room));
    if (text[0] == '\0')
        snprintf(text, room, "error %u (%u) of JetStream", members->code, members->detail);
}

struct jetstream_answer jetstream_answer_read(const char *json, size_t size)
{
    struct jetstream_answer answer = {.outcome = DELIVERY_UNKNOWN, .reason = DELIVERY_REJECTED};
    struct members members = {.error = false};
    bool is_json = read_members(json, size, &members);
    answer.stream = members.first_stream;
    if (!is_json || !members.error) {
        if (is_json && members.stream && members.seq)
            answer.outcome = DELIVERY_ACKNOWLEDGED;
        else
            snprintf(answer.text, sizeof answer.text, "this is not an answer of JetStream");
        return answer;
    }
    answer.detail = members.detail;
    jetstream_describe(&members, answer.text, sizeof answer.text);
    if (members.detail == MESSAGE_EXCEEDS_MAXIMUM) {
        answer.outcome = DELIVERY_REFUSED;
        answer.reason = DELIVERY_TOO_LARGE;
    } else if (members.code >= 500) {
        answer.outcome = DELIVERY_NOT_SENT;
    } else if (members.code >= 400) {
        bool denied = members.code == 401 || members.code == 403;
        answer.outcome = DELIVERY_REFUSED;
        answer.reason = denied ? DELIVERY_DENIED : DELIVERY_REJECTED;
    }
    return answer;
}
