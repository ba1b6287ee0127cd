#include "collector/platform/notifier.h"

bool notifier_is_available(const struct notifier_backend *backend)
{
    return backend->is_available == NULL || backend->is_available();
}

const struct notifier_backend *notifier_choose(const struct notifier_backend *wanted,
                                               struct error *error)
{
    if (wanted != NULL && notifier_is_available(wanted))
        return wanted;
    for (size_t i = 0; wanted == NULL && notifier_backends[i] != NULL; i++)
        if (notifier_is_available(notifier_backends[i]))
            return notifier_backends[i];
    error_set(error, EXIT_CODE_CONFIG, "--notifier %s: this system does not have it",
              wanted != NULL ? wanted->name : "auto");
    return NULL;
}

int notifier_create(struct notifier **out, const struct notifier_backend *backend, size_t threads,
                    struct error *error)
{
    if (backend->create(out, threads, error) != 0)
        return -1;
    (*out)->backend = backend;
    return 0;
}

void notifier_destroy(struct notifier *notifier)
{
    if (notifier != NULL)
        notifier->backend->destroy(notifier);
}

int notifier_add(struct notifier *notifier, wait_handle socket, void *token, struct error *error)
{
    return notifier->backend->add(notifier, socket, token, error);
}

void notifier_attach(struct notifier *notifier, struct udp_socket *socket)
{
    if (notifier->backend->attach != NULL)
        notifier->backend->attach(notifier, socket);
}

size_t notifier_memory(const struct notifier_backend *backend)
{
    return backend->memory == NULL ? 0 : backend->memory();
}

int notifier_remove(struct notifier *notifier, wait_handle socket, void *token, struct error *error)
{
    return notifier->backend->remove(notifier, socket, token, error);
}

size_t notifier_wait(struct notifier *notifier, size_t thread, struct notifier_event *events,
                     size_t capacity, int timeout_ms)
{
    return notifier->backend->wait(notifier, thread, events, capacity, timeout_ms);
}

void notifier_leave(struct notifier *notifier, size_t thread)
{
    if (notifier->backend->leave != NULL)
        notifier->backend->leave(notifier, thread);
}

void notifier_wake(struct notifier *notifier)
{
    notifier->backend->wake(notifier);
}
