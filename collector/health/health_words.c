#include "collector/health/health_words.h"

#define STATUS_WORD(constant, name, serves, meaning) {#name, meaning, meaning},
const struct health_word health_statuses[] = {HEALTH_STATUSES(STATUS_WORD)};

#define REASON_WORD(constant, name, before, after) {#name, before after, before "{}" after},
const struct health_word health_reasons[] = {HEALTH_REASONS(REASON_WORD)};

bool health_status_serves(enum health_status status)
{
#define STATUS_SERVES(constant, name, serves, meaning) serves,
    static const bool serving[] = {HEALTH_STATUSES(STATUS_SERVES)};
    return serving[status];
}
