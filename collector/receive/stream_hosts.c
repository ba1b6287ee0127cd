#include "collector/receive/stream_hosts.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/base/siphash.h"
#include "collector/platform/machine.h"

struct stream_host_group {
    struct stream_host_group *next;
    struct stream_host hosts[];
};

static size_t buckets_for(size_t count)
{
    size_t buckets = 1;
    while (buckets < count)
        buckets *= 2;
    return buckets;
}

size_t stream_hosts_memory(size_t count)
{
    return sizeof(struct stream_host_group) + count * sizeof(struct stream_host) +
           buckets_for(count) * sizeof(struct stream_host *);
}

int stream_hosts_init(struct stream_hosts *hosts, struct error *error)
{
    return random_bytes(hosts->secret, sizeof hosts->secret, error);
}

void stream_hosts_destroy(struct stream_hosts *hosts)
{
    while (hosts->groups != NULL) {
        struct stream_host_group *group = hosts->groups;
        hosts->groups = group->next;
        free(group);
    }
    free(hosts->buckets);
}

static struct stream_host **host_bucket(const struct stream_hosts *hosts,
                                        const struct address *address)
{
    struct siphash hash;
    uint64_t result[2];
    siphash_begin(&hash, hosts->secret);
    siphash_feed(&hash, &address->family, sizeof address->family);
    siphash_feed(&hash, &address->scope, sizeof address->scope);
    siphash_feed(&hash, address->bytes, sizeof address->bytes);
    siphash_end(&hash, result);
    return &hosts->buckets[result[0] & (hosts->bucket_count - 1)];
}

static void link_host(const struct stream_hosts *hosts, struct stream_host *host)
{
    struct stream_host **bucket = host_bucket(hosts, &host->address);
    host->next = *bucket;
    *bucket = host;
}

static void use_buckets(struct stream_hosts *hosts, struct stream_host **buckets, size_t count)
{
    struct stream_host **before = hosts->buckets;
    size_t count_before = hosts->bucket_count;
    hosts->buckets = buckets;
    hosts->bucket_count = count;
    for (size_t i = 0; i < count_before; i++) {
        for (struct stream_host *host = before[i]; host != NULL;) {
            struct stream_host *next = host->next;
            link_host(hosts, host);
            host = next;
        }
    }
    free(before);
}

bool stream_hosts_grow(struct stream_hosts *hosts, size_t count)
{
    if (count <= hosts->count)
        return true;
    size_t more = count - hosts->count;
    size_t bucket_count = buckets_for(count);
    struct stream_host_group *group = calloc(1, sizeof *group + more * sizeof group->hosts[0]);
    struct stream_host **buckets = calloc(bucket_count, sizeof *buckets);
    if (group == NULL || buckets == NULL) {
        free(group);
        free(buckets);
        return false;
    }
    group->next = hosts->groups;
    hosts->groups = group;
    for (size_t i = 0; i < more; i++) {
        group->hosts[i].next = hosts->free;
        hosts->free = &group->hosts[i];
    }
    hosts->count = count;
    use_buckets(hosts, buckets, bucket_count);
    return true;
}

struct stream_host *stream_hosts_find(const struct stream_hosts *hosts,
                                      const struct address *address)
{
    struct stream_host *host = hosts->bucket_count == 0 ? NULL : *host_bucket(hosts, address);
    while (host != NULL && !address_same_host(&host->address, address))
        host = host->next;
    return host;
}

struct stream_host *stream_hosts_enter(struct stream_hosts *hosts, const struct address *address,
                                       size_t most)
{
    struct stream_host *host = stream_hosts_find(hosts, address);
    if (host == NULL && most != 0 && hosts->free != NULL) {
        host = hosts->free;
        hosts->free = host->next;
        *host = (struct stream_host){.address = *address};
        link_host(hosts, host);
    }
    if (host == NULL || host->connections >= most)
        return NULL;
    host->connections++;
    return host;
}

static void remove_host(struct stream_hosts *hosts, struct stream_host *host)
{
    struct stream_host **at = host_bucket(hosts, &host->address);
    for (; *at != host; at = &(*at)->next)
        RULE(*at != NULL, "a host of the table is in its bucket");
    *at = host->next;
    host->next = hosts->free;
    hosts->free = host;
}

void stream_hosts_leave(struct stream_hosts *hosts, struct stream_host *host)
{
    if (host == NULL)
        return;
    RULE(host->connections != 0, "a connection leaves the host that it entered");
    if (--host->connections != 0)
        return;
    RULE(host->share.blocks == 0 && host->share.waiting == 0 &&
             atomic_load(&host->share.handshake_bytes) == 0,
         "a host without connections has no blocks and no handshakes");
    if (!host->is_kept)
        remove_host(hosts, host);
}

void stream_hosts_keep(struct stream_host *host)
{
    RULE(!host->is_kept && host->connections != 0, "a host with connections is kept once");
    host->is_kept = true;
}

void stream_hosts_release(struct stream_hosts *hosts, struct stream_host *host)
{
    RULE(host->is_kept, "a kept host is released");
    host->is_kept = false;
    if (host->connections == 0)
        remove_host(hosts, host);
}

struct address stream_hosts_named(const uint8_t name[CHANNEL_NAME_SIZE])
{
    struct address address = {.family = ADDRESS_NONE, .scope = 1};
    _Static_assert(sizeof address.bytes == CHANNEL_NAME_SIZE, "a digest has room");
    memcpy(address.bytes, name, CHANNEL_NAME_SIZE);
    return address;
}
