#include "collector/health/health_words.h"

#define STATUS_WORD(constant, name, serves, meaning, remedy) {#name, meaning, remedy, meaning},
const struct health_word health_statuses[] = {HEALTH_STATUSES(STATUS_WORD)};

#define REASON_WORD(constant, name, before, more, remedy)                                          \
    {#name, before more, remedy, before "{}" more ": " remedy},
const struct health_word health_reasons[] = {HEALTH_REASONS(REASON_WORD)};

bool health_status_serves(enum health_status status)
{
#define STATUS_SERVES(constant, name, serves, ...) serves,
    static const bool serving[] = {HEALTH_STATUSES(STATUS_SERVES)};
    return serving[status];
}
