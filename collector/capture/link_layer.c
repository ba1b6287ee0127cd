#include "collector/capture/link_layer.h"

#include "collector/base/byte_order.h"
#include "collector/text/compiler.h"

#define ETHERTYPE_IPV4       0x0800u
#define ETHERTYPE_IPV6       0x86ddu
#define ETHERTYPE_VLAN       0x8100u /* IEEE 802.1Q, customer tag */
#define ETHERTYPE_SERVICE    0x88a8u /* IEEE 802.1Q, service tag (QinQ) */
#define ETHERTYPE_QINQ_OLDER 0x9100u /* service tag, used before the standard */

/* The header before the IP header. */
enum link_header {
    HEADER_UNKNOWN,
    HEADER_NULL,
    HEADER_ETHERNET,
    HEADER_RAW, /* nothing: the IP header tells its version */
    HEADER_LINUX_COOKED,
    HEADER_LINUX_COOKED_V2,
    HEADER_NONE_BEFORE_IPV4,
    HEADER_NONE_BEFORE_IPV6,
};

static ALWAYS_INLINE enum link_header header_of(uint32_t link_type)
{
    switch (link_type) {
    case 0:   /* LINKTYPE_NULL */
    case 108: /* LINKTYPE_LOOP */
        return HEADER_NULL;
    case 1: /* LINKTYPE_ETHERNET */
        return HEADER_ETHERNET;
    case 12:  /* DLT_RAW on most systems */
    case 14:  /* DLT_RAW on OpenBSD */
    case 101: /* LINKTYPE_RAW */
        return HEADER_RAW;
    case 113: /* LINKTYPE_LINUX_SLL */
        return HEADER_LINUX_COOKED;
    case 228: /* LINKTYPE_IPV4 */
        return HEADER_NONE_BEFORE_IPV4;
    case 229: /* LINKTYPE_IPV6 */
        return HEADER_NONE_BEFORE_IPV6;
    case 276: /* LINKTYPE_LINUX_SLL2 */
        return HEADER_LINUX_COOKED_V2;
    default:
        return HEADER_UNKNOWN;
    }
}

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

bool link_layer_supports(uint32_t link_type)
{
    return header_of(link_type) != HEADER_UNKNOWN;
}

/* Calls no function by a pointer, so that the compiler can keep the span in registers. */
enum verdict link_layer_strip(uint32_t link_type, struct span *span, unsigned *ip_version)
{
    switch (header_of(link_type)) {
    case HEADER_NULL:
        return strip_null(span, ip_version);
    case HEADER_ETHERNET:
        return strip_fixed(span, 14, 12, ip_version);
    case HEADER_RAW:
        return strip_raw(span, ip_version);
    case HEADER_LINUX_COOKED:
        return strip_fixed(span, 16, 14, ip_version);
    case HEADER_LINUX_COOKED_V2:
        return strip_fixed(span, 20, 0, ip_version);
    case HEADER_NONE_BEFORE_IPV4:
        *ip_version = 4;
        return VERDICT_GO_ON;
    case HEADER_NONE_BEFORE_IPV6:
        *ip_version = 6;
        return VERDICT_GO_ON;
    case HEADER_UNKNOWN:
        break;
    }
    return VERDICT_OTHER;
}
