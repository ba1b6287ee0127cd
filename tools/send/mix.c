#include "tools/send/mix.h"

#include <string.h>

#include "collector/config/units.h"

#define DECIMALS_MOST 4 /* of a percentage; its `whole` is then at most 100 * 10^4 */

static bool parse_count(const char *text, size_t length, uint32_t most, uint32_t *out)
{
    uint64_t value;
    if (quantity_parse(QUANTITY_COUNT, text, length, &value) != NULL || value > most)
        return false;
    *out = (uint32_t)value;
    return true;
}

static bool parse_percent(const char *text, size_t length, struct share *share)
{
    const char *point = memchr(text, '.', length);
    size_t decimals = point != NULL ? length - (size_t)(point - text) - 1 : 0;
    uint32_t whole_percent, fraction = 0;
    if (!parse_count(text, point != NULL ? (size_t)(point - text) : length, 100, &whole_percent) ||
        decimals > DECIMALS_MOST || (point != NULL && decimals == 0) ||
        (point != NULL && !parse_count(point + 1, decimals, SHARE_WHOLE_MAX, &fraction)))
        return false;
    uint32_t scale = 1;
    for (size_t i = 0; i < decimals; i++)
        scale *= 10;
    *share = (struct share){.part = whole_percent * scale + fraction, .whole = 100 * scale};
    return share->part <= share->whole;
}

bool share_parse(const char *text, struct share *share)
{
    size_t length = strlen(text);
    if (length != 0 && text[length - 1] == '%')
        return parse_percent(text, length - 1, share);
    const char *slash = strchr(text, '/');
    return slash != NULL &&
           parse_count(text, (size_t)(slash - text), SHARE_WHOLE_MAX, &share->part) &&
           parse_count(slash + 1, strlen(slash + 1), SHARE_WHOLE_MAX, &share->whole) &&
           share->whole != 0 && share->part <= share->whole;
}

bool mix_init(struct mix *mix, const struct share shares[DATAGRAM_GOOD])
{
    uint64_t sum = 0; /* the sum of the shares is sum / all; both are at most 3 * 10^18 */
    uint64_t all = 1;
    *mix = (struct mix){0};
    for (int kind = 0; kind < DATAGRAM_GOOD; kind++) {
        struct share share = shares[kind];
        if (share.whole == 0)
            share = (struct share){.part = 0, .whole = 1};
        mix->shares[kind] = share;
        mix->owed[kind] = (share.whole + 1) / 2;
        sum = sum * share.whole + all * share.part;
        all *= share.whole;
    }
    return sum <= all;
}

enum datagram_kind mix_next(struct mix *mix)
{
    enum datagram_kind next = DATAGRAM_GOOD;
    for (int kind = 0; kind < DATAGRAM_GOOD; kind++) {
        mix->owed[kind] += mix->shares[kind].part;
        if (mix->shares[kind].part != 0 && next == DATAGRAM_GOOD &&
            mix->owed[kind] >= mix->shares[kind].whole) {
            mix->owed[kind] -= mix->shares[kind].whole;
            next = (enum datagram_kind)kind;
        }
    }
    return next;
}
