/* collector/receive/channel_tls.h in a program without OpenSSL. */
#include "collector/receive/channel_tls.h"

const char *channel_tls_library(void)
{
    return NULL;
}

int channel_tls_can(struct error *error)
{
    error_set(error, EXIT_CODE_CONFIG, "tls=on: this program was built without OpenSSL");
    return -1;
}

int channel_tls_kind(const struct channel_tls_options *options, struct channel_kind *kind,
                     struct error *error)
{
    (void)options;
    (void)kind;
    return channel_tls_can(error);
}

size_t channel_tls_memory(size_t connections)
{
    (void)connections;
    return 0;
}
