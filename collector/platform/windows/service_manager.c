/*
 * Implements the reports of collector/platform/service_manager.h on a system without such a
 * manager.
 */
#include "collector/platform/service_manager.h"

#include <stddef.h>

int service_manager_find(struct service_manager **out, struct error *error)
{
    (void)error;
    *out = NULL;
    return 0;
}

void service_manager_destroy(struct service_manager *manager)
{
    (void)manager;
}

int64_t service_manager_patience(const struct service_manager *manager)
{
    (void)manager;
    return 0;
}

int service_manager_ready(struct service_manager *manager, struct error *error)
{
    (void)manager;
    (void)error;
    return 0;
}

int service_manager_reloading(struct service_manager *manager, struct error *error)
{
    (void)manager;
    (void)error;
    return 0;
}

int service_manager_stopping(struct service_manager *manager, int64_t most_ns, struct error *error)
{
    (void)manager;
    (void)most_ns;
    (void)error;
    return 0;
}

int service_manager_status(struct service_manager *manager, const char *line, struct error *error)
{
    (void)manager;
    (void)line;
    (void)error;
    return 0;
}

int service_manager_alive(struct service_manager *manager, struct error *error)
{
    (void)manager;
    (void)error;
    return 0;
}
