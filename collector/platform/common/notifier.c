#include "collector/platform/notifier.h"

#include "collector/base/rule.h"

/* Checks a rule: only one thread at a time may be in the calls that share `busy`. */
static void enter_call(_Atomic bool *busy, const char *rule)
{
    bool was = SLUICE_RULES && atomic_exchange(busy, true);
    RULE(!was, rule);
}

static void leave_call(_Atomic bool *busy)
{
    if (SLUICE_RULES)
        atomic_store(busy, false);
}

enum { KIND_EDGE = 1 << 0, KIND_ARMED = 1 << 1, KIND_LEVEL = 1 << 2 };

static void note_kind(struct notifier *notifier, unsigned kind)
{
    RULE((atomic_load(&notifier->kinds) & ~kind) == 0,
         "the registrations of a notifier are of one kind");
    if (SLUICE_RULES && atomic_load(&notifier->kinds) == 0)
        atomic_store(&notifier->kinds, kind);
}

static void enter_change(struct notifier *notifier)
{
    enter_call(&notifier->changing, "one thread at a time adds to a notifier and removes from it");
}

bool notifier_is_available(const struct notifier_backend *backend)
{
    return backend->is_available == NULL || backend->is_available();
}

static const struct notifier_backend *first_of(const struct notifier_backend *const *backends)
{
    struct error ignored;
    for (; *backends != NULL; backends++)
        if (notifier_is_available(*backends) &&
            ((*backends)->probe == NULL || (*backends)->probe(&ignored) == 0))
            return *backends;
    return NULL;
}

const struct notifier_backend *notifier_passed_over(const struct notifier_backend *const *backends,
                                                    struct error *error)
{
    for (; *backends != NULL; backends++)
        if (notifier_is_available(*backends))
            return (*backends)->probe != NULL && (*backends)->probe(error) != 0 ? *backends : NULL;
    return NULL;
}

const struct notifier_backend *notifier_choose(const struct notifier_backend *wanted,
                                               struct error *error)
{
    if (wanted != NULL && notifier_is_available(wanted))
        return wanted;
    const struct notifier_backend *first = wanted == NULL ? first_of(notifier_backends) : NULL;
    if (first != NULL)
        return first;
    error_set(error, EXIT_CODE_CONFIG, "--notifier %s: this system does not have it",
              wanted != NULL ? wanted->name : "auto");
    return NULL;
}

const struct notifier_backend *notifier_choose_for_streams(struct error *error)
{
    const struct notifier_backend *first = first_of(notifier_stream_backends);
    if (first != NULL)
        return first;
    error_set(error, EXIT_CODE_CONFIG, "this system has no notifier for streams");
    return NULL;
}

int notifier_create(struct notifier **out, const struct notifier_backend *backend, size_t threads,
                    struct error *error)
{
    RULE(threads == 1 || (threads > 1 && (backend->shared || backend->watch != NULL)),
         "several threads wait only where the backend is shared or watches streams");
    if (backend->create(out, threads, error) != 0)
        return -1;
    (*out)->backend = backend;
    (*out)->threads = threads;
    atomic_init(&(*out)->changing, false);
    atomic_init(&(*out)->waiting, false);
    atomic_init(&(*out)->kinds, 0);
    return 0;
}

int notifier_create_for_levels(struct notifier **out, wait_handle socket, void *token,
                               unsigned interests, struct error *error)
{
    error_set(error, EXIT_CODE_INTERNAL, "this system has no notifier for levels");
    for (size_t i = 0; notifier_level_backends[i] != NULL; i++) {
        const struct notifier_backend *backend = notifier_level_backends[i];
        if (!notifier_is_available(backend) || notifier_create(out, backend, 1, error) != 0)
            continue;
        if (notifier_add_level(*out, socket, token, interests, error) == 0)
            return 0;
        notifier_destroy(*out);
    }
    return -1;
}

void notifier_destroy(struct notifier *notifier)
{
    if (notifier == NULL)
        return;
    RULE(!atomic_load(&notifier->waiting), "no thread waits when its notifier is destroyed");
    RULE(!atomic_load(&notifier->changing), "a notifier is not changed while it is destroyed");
    notifier->backend->destroy(notifier);
}

int notifier_add(struct notifier *notifier, wait_handle socket, void *token, struct error *error)
{
    RULE(token != NULL, "a token is not NULL");
    RULE(socket != NO_HANDLE, "a socket is added while it is open");
    note_kind(notifier, KIND_EDGE);
    enter_change(notifier);
    int result = notifier->backend->add(notifier, socket, token, error);
    leave_call(&notifier->changing);
    return result;
}

int notifier_watch(struct notifier *notifier, wait_handle socket, void *token, unsigned interests,
                   struct error *error)
{
    RULE(token != NULL, "a token is not NULL");
    RULE(interests != 0, "a stream is watched for something");
    RULE(socket != NO_HANDLE, "a stream is watched while it is open");
    note_kind(notifier, KIND_ARMED);
    return notifier->backend->watch(notifier, socket, token, interests, error);
}

int notifier_arm(struct notifier *notifier, wait_handle socket, void *token, unsigned interests,
                 struct error *error)
{
    RULE(token != NULL && interests != 0, "a stream is armed for something");
    RULE(!SLUICE_RULES || atomic_load(&notifier->kinds) == KIND_ARMED,
         "a stream is watched before it is armed again");
    return notifier->backend->arm(notifier, socket, token, interests, error);
}

bool notifier_arms_together(const struct notifier *notifier)
{
    return notifier->backend->arm_all != NULL;
}

size_t notifier_arm_all(struct notifier *notifier, size_t thread, struct notifier_arming *armings,
                        size_t count, struct notifier_event *events, size_t capacity)
{
    RULE(count != 0 && count <= NOTIFIER_WAIT_MOST,
         "a limited number of streams is armed together");
    RULE(thread < notifier->threads, "a thread arms under the number that it waits with");
    RULE(capacity != 0, "there is room for an event");
    return notifier->backend->arm_all(notifier, thread, armings, count, events, capacity);
}

/* RULE makes sure that the caller has not closed the socket, which now belongs to the notifier. */
void notifier_unwatch(struct notifier *notifier, wait_handle socket, notifier_close *close)
{
    RULE(socket != NO_HANDLE, "a stream is closed after it was unwatched");
    notifier->backend->unwatch(notifier, socket, close);
}

void notifier_finish(struct notifier *notifier)
{
    RULE(!atomic_load(&notifier->waiting), "no thread waits when its notifier is finished");
    if (notifier->backend->finish != NULL)
        notifier->backend->finish(notifier);
}

size_t notifier_unremoved(const struct notifier *notifier)
{
    return notifier->backend->unremoved == NULL ? 0 : notifier->backend->unremoved(notifier);
}

int notifier_add_level(struct notifier *notifier, wait_handle socket, void *token,
                       unsigned interests, struct error *error)
{
    RULE(token != NULL && interests != 0, "a level is added for something");
    RULE(socket != NO_HANDLE, "a level is added while its socket is open");
    note_kind(notifier, KIND_LEVEL);
    enter_call(&notifier->waiting, "the thread that waits adds levels");
    int result = notifier->backend->add_level(notifier, socket, token, interests, error);
    leave_call(&notifier->waiting);
    return result;
}

void notifier_change_level(struct notifier *notifier, wait_handle socket, void *token,
                           unsigned interests)
{
    RULE(!SLUICE_RULES || atomic_load(&notifier->kinds) == KIND_LEVEL,
         "a level is added before it is changed");
    enter_call(&notifier->waiting, "the thread that waits changes levels");
    notifier->backend->change_level(notifier, socket, token, interests);
    leave_call(&notifier->waiting);
}

wait_handle notifier_handle(struct notifier *notifier, struct error *error)
{
    RULE(notifier->backend->handle != NULL, "a notifier of levels has a handle");
    return notifier->backend->handle(notifier, error);
}

int notifier_remove(struct notifier *notifier, wait_handle socket, void *token, struct error *error)
{
    RULE(token != NULL && socket != NO_HANDLE, "a socket is closed after it was removed");
    enter_change(notifier);
    int result = notifier->backend->remove(notifier, socket, token, error);
    leave_call(&notifier->changing);
    return result;
}

size_t notifier_wait(struct notifier *notifier, size_t thread, struct notifier_event *events,
                     size_t capacity, int timeout_ms)
{
    RULE(thread < notifier->threads, "a waiting thread has a number below the notifier's threads");
    RULE(capacity > 0, "a wait has room for an event");
    bool alone = notifier->threads == 1;
    if (alone)
        enter_call(&notifier->waiting, "one thread at a time waits under a number");
    size_t count = notifier->backend->wait(notifier, thread, events, capacity, timeout_ms);
    if (alone)
        leave_call(&notifier->waiting);
    RULE(count <= capacity || count == NOTIFIER_FAILED, "a wait reports what there is room for");
    for (size_t i = 0; i < count && count != NOTIFIER_FAILED; i++)
        RULE((events[i].token == NULL) == (events[i].type == NOTIFIER_WOKEN),
             "only a wake-up has no token");
    return count;
}

void notifier_leave(struct notifier *notifier, size_t thread)
{
    RULE(thread < notifier->threads, "a thread leaves under the number that it waited with");
    if (notifier->backend->leave != NULL)
        notifier->backend->leave(notifier, thread);
}

void notifier_wake(struct notifier *notifier)
{
    notifier->backend->wake(notifier);
}
