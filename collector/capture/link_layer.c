#include "collector/capture/link_layer.h"

#include "collector/base/byte_order.h"

#define ETHERTYPE_IPV4       0x0800u
#define ETHERTYPE_IPV6       0x86ddu
#define ETHERTYPE_VLAN       0x8100u /* IEEE 802.1Q, customer tag */
#define ETHERTYPE_SERVICE    0x88a8u /* IEEE 802.1Q, service tag (QinQ) */
#define ETHERTYPE_QINQ_OLDER 0x9100u /* service tag, used before the standard */

typedef enum verdict strip_function(struct span *span, unsigned *ip_version);

static enum verdict strip_tags(struct span *span, unsigned ethertype, unsigned *ip_version)
{
    while (ethertype == ETHERTYPE_VLAN || ethertype == ETHERTYPE_SERVICE ||
           ethertype == ETHERTYPE_QINQ_OLDER) {
        enum verdict verdict = span_needs(span, 4);
        if (verdict != VERDICT_GO_ON)
            return verdict;
        ethertype = network_u16(span->data + 2);
        span_skip(span, 4);
    }
    if (ethertype != ETHERTYPE_IPV4 && ethertype != ETHERTYPE_IPV6)
        return VERDICT_OTHER;
    *ip_version = ethertype == ETHERTYPE_IPV4 ? 4 : 6;
    return VERDICT_GO_ON;
}

static enum verdict strip_fixed(struct span *span, size_t size, size_t ethertype_at,
                                unsigned *ip_version)
{
    enum verdict verdict = span_needs(span, size);
    if (verdict != VERDICT_GO_ON)
        return verdict;
    unsigned ethertype = network_u16(span->data + ethertype_at);
    span_skip(span, size);
    return strip_tags(span, ethertype, ip_version);
}

static enum verdict strip_ethernet(struct span *span, unsigned *ip_version)
{
    return strip_fixed(span, 14, 12, ip_version);
}

static enum verdict strip_linux_cooked(struct span *span, unsigned *ip_version)
{
    return strip_fixed(span, 16, 14, ip_version);
}

static enum verdict strip_linux_cooked_v2(struct span *span, unsigned *ip_version)
{
    return strip_fixed(span, 20, 0, ip_version);
}

/*
 * The header is the capturing system's AF_ number in four bytes, in the byte order of the host (for
 * LINKTYPE_LOOP: network order).
 */
static enum verdict strip_null(struct span *span, unsigned *ip_version)
{
    enum verdict verdict = span_needs(span, 4);
    if (verdict != VERDICT_GO_ON)
        return verdict;
    uint32_t family = network_u32(span->data);
    if (family > 0xffff)
        family = ordered_u32(BYTE_ORDER_LITTLE_ENDIAN, span->data);
    span_skip(span, 4);
    switch (family) {
    case 2: /* all systems */
        *ip_version = 4;
        return VERDICT_GO_ON;
    case 10: /* Linux */
    case 23: /* Windows */
    case 24: /* NetBSD, OpenBSD */
    case 28: /* FreeBSD */
    case 30: /* macOS */
        *ip_version = 6;
        return VERDICT_GO_ON;
    default:
        return VERDICT_OTHER;
    }
}

static enum verdict strip_raw(struct span *span, unsigned *ip_version)
{
    enum verdict verdict = span_needs(span, 1);
    if (verdict != VERDICT_GO_ON)
        return verdict;
    *ip_version = span->data[0] >> 4;
    return *ip_version == 4 || *ip_version == 6 ? VERDICT_GO_ON : VERDICT_OTHER;
}

static enum verdict strip_ipv4(struct span *span, unsigned *ip_version)
{
    (void)span;
    *ip_version = 4;
    return VERDICT_GO_ON;
}

static enum verdict strip_ipv6(struct span *span, unsigned *ip_version)
{
    (void)span;
    *ip_version = 6;
    return VERDICT_GO_ON;
}

static strip_function *strip_of(uint32_t link_type)
{
    switch (link_type) {
    case 0:   /* LINKTYPE_NULL */
    case 108: /* LINKTYPE_LOOP */
        return strip_null;
    case 1: /* LINKTYPE_ETHERNET */
        return strip_ethernet;
    case 12:  /* DLT_RAW on most systems */
    case 14:  /* DLT_RAW on OpenBSD */
    case 101: /* LINKTYPE_RAW */
        return strip_raw;
    case 113: /* LINKTYPE_LINUX_SLL */
        return strip_linux_cooked;
    case 228: /* LINKTYPE_IPV4 */
        return strip_ipv4;
    case 229: /* LINKTYPE_IPV6 */
        return strip_ipv6;
    case 276: /* LINKTYPE_LINUX_SLL2 */
        return strip_linux_cooked_v2;
    default:
        return NULL;
    }
}

bool link_layer_supports(uint32_t link_type)
{
    return strip_of(link_type) != NULL;
}

enum verdict link_layer_strip(uint32_t link_type, struct span *span, unsigned *ip_version)
{
    strip_function *strip = strip_of(link_type);
    return strip == NULL ? VERDICT_OTHER : strip(span, ip_version);
}
