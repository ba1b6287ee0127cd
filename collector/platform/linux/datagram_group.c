/* Implements struct datagram_group on Linux, as the arguments of recvmmsg(2). */
#include <stdlib.h>

#include "collector/platform/linux/udp_socket_parts.h"

size_t datagram_group_memory(void)
{
    return sizeof(struct linux_group) + datagram_buffers_memory();
}

static void point_headers(struct linux_group *group)
{
    for (unsigned i = 0; i < DATAGRAM_GROUP_SIZE; i++) {
        struct msghdr *header = &group->headers[i].msg_hdr;
        header->msg_iov = group->vectors[i];
        header->msg_name = &group->names[i];
        header->msg_control = group->controls[i];
        datagram_group_set_room(group, i);
    }
}

struct datagram_group *datagram_group_create(void)
{
    struct linux_group *made = calloc(1, sizeof *made);
    if (made == NULL)
        return NULL;
    if (!datagram_buffers_create(&made->buffers)) {
        datagram_group_destroy(&made->group);
        return NULL;
    }
    point_headers(made);
    return &made->group;
}

void datagram_group_destroy(struct datagram_group *group)
{
    if (group == NULL)
        return;
    struct linux_group *made = (struct linux_group *)group;
    datagram_buffers_destroy(&made->buffers);
    free(made);
}

void datagram_group_prepare(struct linux_group *group, size_t limit, const struct receive_ops *ops)
{
    if (group->limit == limit && group->ops == ops)
        return;
    group->limit = limit;
    group->ops = ops;
    for (unsigned i = 0; i < DATAGRAM_GROUP_SIZE; i++)
        ops->lay_out(group, i, limit);
}
