#include "sinks/destinations/nats_subject.h"

#include <stddef.h>

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
