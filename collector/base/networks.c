#include "collector/base/networks.h"

#include <stdlib.h>
#include <string.h>

/* --- numbers ---------------------------------------------------------------------------------- */

static struct host_number host_number(const struct address *address)
{
    struct host_number number = {0, 0};
    size_t size = address->family == ADDRESS_IPV4 ? 4 : 16;
    for (size_t i = 0; i < size; i++) {
        number.high = number.high << 8 | number.low >> 56;
        number.low = number.low << 8 | address->bytes[i];
    }
    return number;
}

static bool is_less(struct host_number a, struct host_number b)
{
    return a.high != b.high ? a.high < b.high : a.low < b.low;
}

static struct host_number number_before(struct host_number number)
{
    number.high -= number.low == 0;
    number.low--;
    return number;
}

static struct host_number ones(unsigned bits)
{
    if (bits > 64)
        return (struct host_number){UINT64_MAX >> (128 - bits), UINT64_MAX};
    return (struct host_number){0, bits == 0 ? 0 : UINT64_MAX >> (64 - bits)};
}

static struct network_range range_of(const struct network *network)
{
    unsigned bits = network->address.family == ADDRESS_IPV4 ? 32 : 128;
    struct host_number hosts = ones(bits - network->prefix);
    struct host_number first = host_number(&network->address);
    return (struct network_range){first, {first.high | hosts.high, first.low | hosts.low}};
}

/* --- creation --------------------------------------------------------------------------------- */

static int compare_ranges(const void *left, const void *right)
{
    const struct network_range *a = left;
    const struct network_range *b = right;
    return is_less(b->first, a->first) - is_less(a->first, b->first);
}

/*
 * Returns true if `next` overlaps `range` or follows it without a gap. `next` must not begin before
 * `range`.
 */
static bool touches(const struct network_range *range, const struct network_range *next)
{
    return !is_less(range->last, next->first) ||
           !is_less(host_number_after(range->last), next->first);
}

static size_t merge_ranges(struct network_range *ranges, size_t count)
{
    if (count == 0)
        return 0;
    qsort(ranges, count, sizeof *ranges, compare_ranges);
    size_t kept = 0;
    for (size_t i = 1; i < count; i++) {
        if (!touches(&ranges[kept], &ranges[i]))
            ranges[++kept] = ranges[i];
        else if (is_less(ranges[kept].last, ranges[i].last))
            ranges[kept].last = ranges[i].last;
    }
    return kept + 1;
}

static struct networks *allocate_ranges(size_t most)
{
    return calloc(1, sizeof(struct networks) + most * sizeof(struct network_range));
}

/* Frees the memory of ranges that were allocated but are not needed. */
static struct networks *fit(struct networks *made)
{
    size_t count = made->ipv4_count + made->ipv6_count;
    struct networks *fitting = realloc(made, sizeof *made + count * sizeof made->ranges[0]);
    return fitting != NULL ? fitting : made;
}

/*
 * Writes the networks of the family after the first `used` ranges. Returns the number of ranges
 * added.
 */
static size_t add_family(struct networks *made, size_t used, enum address_family family,
                         const struct network *list, size_t count)
{
    struct network_range *ranges = made->ranges + used;
    size_t added = 0;
    for (size_t i = 0; i < count; i++)
        if (list[i].address.family == family)
            ranges[added++] = range_of(&list[i]);
    return merge_ranges(ranges, added);
}

struct networks *networks_create(const struct network *list, size_t count)
{
    struct networks *made = allocate_ranges(count);
    if (made == NULL)
        return NULL;
    made->ipv4_count = add_family(made, 0, ADDRESS_IPV4, list, count);
    made->ipv6_count = add_family(made, made->ipv4_count, ADDRESS_IPV6, list, count);
    return fit(made);
}

void networks_free(struct networks *networks)
{
    free(networks);
}

/* --- difference ------------------------------------------------------------------------------- */

struct ranges {
    const struct network_range *first;
    size_t count;
};

/*
 * Stores in `to` the parts of `range` that are in no range of the sorted `without`. Returns the
 * number of parts.
 */
static size_t cut_range(struct network_range *to, struct network_range range,
                        const struct ranges *without)
{
    size_t made = 0;
    for (size_t i = 0; i < without->count; i++) {
        const struct network_range *hole = &without->first[i];
        if (is_less(hole->last, range.first))
            continue;
        if (is_less(range.last, hole->first))
            break;
        if (is_less(range.first, hole->first))
            to[made++] = (struct network_range){range.first, number_before(hole->first)};
        if (!is_less(hole->last, range.last))
            return made;
        range.first = host_number_after(hole->last);
    }
    to[made++] = range;
    return made;
}

static size_t subtract(struct network_range *to, struct ranges from, struct ranges without)
{
    size_t made = 0;
    for (size_t i = 0; i < from.count; i++) {
        made += cut_range(to + made, from.first[i], &without);
        while (without.count != 0 && is_less(without.first->last, from.first[i].last)) {
            without.first++;
            without.count--;
        }
    }
    return made;
}

static struct ranges ranges_of(const struct networks *networks, enum address_family family)
{
    if (family == ADDRESS_IPV4)
        return (struct ranges){networks->ranges, networks->ipv4_count};
    if (family == ADDRESS_IPV6)
        return (struct ranges){networks->ranges + networks->ipv4_count, networks->ipv6_count};
    return (struct ranges){NULL, 0};
}

struct networks *networks_except(const struct networks *allow, const struct networks *deny)
{
    static const enum address_family families[] = {ADDRESS_IPV4, ADDRESS_IPV6};
    const struct network_range all[] = {{{0, 0}, ones(32)}, {{0, 0}, ones(128)}};
    struct ranges from[2];
    struct ranges without[2];
    size_t most = 0; /* each range of `without` adds at most one part */
    for (size_t i = 0; i < 2; i++) {
        from[i] = allow != NULL ? ranges_of(allow, families[i]) : (struct ranges){&all[i], 1};
        without[i] = deny != NULL ? ranges_of(deny, families[i]) : (struct ranges){NULL, 0};
        most += from[i].count + without[i].count;
    }
    struct networks *made = allocate_ranges(most);
    if (made == NULL)
        return NULL;
    made->ipv4_count = subtract(made->ranges, from[0], without[0]);
    made->ipv6_count = subtract(made->ranges + made->ipv4_count, from[1], without[1]);
    return fit(made);
}

/* --- lookup ----------------------------------------------------------------------------------- */

bool networks_hold(const struct networks *networks, const struct address *address)
{
    struct ranges ranges = ranges_of(networks, (enum address_family)address->family);
    struct host_number number = host_number(address);
    /* Finds the last range that begins at or below the number: only that one can contain it. */
    while (ranges.count > 1) {
        size_t half = ranges.count / 2;
        if (!is_less(number, ranges.first[half].first))
            ranges.first += half;
        ranges.count -= half;
    }
    return ranges.count != 0 && !is_less(number, ranges.first->first) &&
           !is_less(ranges.first->last, number);
}

bool network_holds(const struct address *network, unsigned prefix, const struct address *address)
{
    if (network->family != address->family)
        return false;
    size_t whole = prefix / 8;
    unsigned rest = prefix % 8;
    if (memcmp(network->bytes, address->bytes, whole) != 0)
        return false;
    if (rest == 0)
        return true;
    unsigned mask = 0xff00u >> rest & 0xff;
    return ((network->bytes[whole] ^ address->bytes[whole]) & mask) == 0;
}
