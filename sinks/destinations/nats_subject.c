#include "sinks/destinations/nats_subject.h"

#include <stddef.h>
#include <string.h>

bool nats_subject_is_valid(const char *subject)
{
    size_t at = 0;
    for (char before = '.'; subject[at] != '\0'; before = subject[at++]) {
        unsigned char byte = (unsigned char)subject[at];
        if (byte <= ' ' || byte == 0x7f || byte == '*' || byte == '>' || at == NATS_SUBJECT_MOST ||
            (byte == '.' && before == '.'))
            return false;
    }
    return at != 0 && subject[at - 1] != '.';
}

bool nats_subject_read_denied(const char *text, char subject[DELIVERY_ROUTE_SIZE])
{
    static const char before[] = "Publish to \"";
    const char *at = strstr(text, before);
    if (at == NULL)
        return false;
    at += sizeof before - 1;
    size_t size = strcspn(at, "\"");
    if (size >= DELIVERY_ROUTE_SIZE)
        return false;
    memcpy(subject, at, size);
    subject[size] = '\0';
    return true;
}
