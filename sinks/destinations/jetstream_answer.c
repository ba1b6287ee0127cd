#include "sinks/destinations/jetstream_answer.h"

#include <stdio.h>
#include <string.h>

/*
 * The one of nats-server's own list that is not as its "code" says: the stream's max_msg_size.
 * Headers that are too large (10097) are as large with fewer records, and refused as any message.
 */
#define MESSAGE_EXCEEDS_MAXIMUM 10054

/* Where the value of the member stands, or NULL: the bytes after "NAME" and a colon. */
static const char *value_of(const char *json, size_t size, const char *name)
{
    size_t length = strlen(name);
    for (size_t at = 0; at + length + 3 < size; at++) {
        if (json[at] != '"' || memcmp(json + at + 1, name, length) != 0 ||
            json[at + 1 + length] != '"')
            continue;
        const char *after = json + at + length + 2;
        while (after < json + size && *after == ' ')
            after++;
        if (after == json + size || *after != ':')
            continue; /* it is a value */
        do
            after++;
        while (after < json + size && *after == ' ');
        return after;
    }
    return NULL;
}

/* The number of the member; 0: there is none, or a longer one than any that is known. */
static unsigned number_of(const char *json, size_t size, const char *name)
{
    const char *at = value_of(json, size, name);
    unsigned number = 0;
    for (int digits = 0; at != NULL && at < json + size && *at >= '0' && *at <= '9'; at++) {
        if (++digits > 6)
            return 0;
        number = number * 10 + (unsigned)(*at - '0');
    }
    return number;
}

/* What the server says in words, as far as it is plain text. */
static void copy_description(const char *json, size_t size, char *text, size_t room)
{
    const char *at = value_of(json, size, "description");
    size_t length = 0;
    if (at != NULL && at < json + size && *at == '"')
        for (at++; at < json + size && *at != '"' && *at != '\\' && length + 1 < room; at++)
            text[length++] = *at;
    text[length] = '\0';
}

struct jetstream_answer jetstream_answer_read(const char *json, size_t size)
{
    struct jetstream_answer answer = {.fate = DELIVERY_UNKNOWN, .reason = DELIVERY_REJECTED};
    const char *error = value_of(json, size, "error");
    if (error == NULL) {
        if (value_of(json, size, "stream") != NULL && value_of(json, size, "seq") != NULL)
            answer.fate = DELIVERY_ACKNOWLEDGED;
        else
            snprintf(answer.text, sizeof answer.text, "the answer is none of JetStream's");
        return answer;
    }
    size_t left = size - (size_t)(error - json);
    unsigned code = number_of(error, left, "code");
    unsigned detail = number_of(error, left, "err_code");
    answer.detail = detail;
    copy_description(error, left, answer.text, sizeof answer.text);
    if (answer.text[0] == '\0')
        snprintf(answer.text, sizeof answer.text, "error %u (%u) of JetStream", code, detail);
    if (detail == MESSAGE_EXCEEDS_MAXIMUM) {
        answer.fate = DELIVERY_REFUSED;
        answer.reason = DELIVERY_TOO_LARGE;
    } else if (code >= 500) {
        answer.fate = DELIVERY_NOT_SENT;
    } else if (code >= 400) {
        answer.fate = DELIVERY_REFUSED;
        answer.reason = code == 401 || code == 403 ? DELIVERY_DENIED : DELIVERY_REJECTED;
    }
    return answer;
}
