#include <inttypes.h>

#include "tools/sending/udp_sender.h"

int udp_sender_check_refused(const struct address *to, uint64_t sent, uint64_t refused,
                             struct error *error)
{
    char text[ADDRESS_TEXT_SIZE];
    if (sent == 0 || refused < sent)
        return 0;
    address_format(to, text);
    error_set(error, EXIT_CODE_NOT_REACHED,
              "all %" PRIu64 " datagrams were refused: no program listens at udp://%s", sent, text);
    return -1;
}
