/* A `nats:` sink publishes messages to JetStream, which acknowledges each. */
#include <stdlib.h>
#include <string.h>

#include "collector/contract/encoder.h"
#include "sinks/destinations/broker_place.h"
#include "sinks/destinations/destinations.h"
#include "sinks/destinations/nats_library.h"
#include "sinks/destinations/nats_probe.h"
#include "sinks/destinations/nats_publisher.h"
#include "sinks/destinations/nats_settings.h"
#include "sinks/destinations/nats_subject.h"
#include "sinks/destinations/topic_template.h"

static const struct broker_kind broker_kind = {"nats", "subject", "SUBJECT", 4222};

/* The memory of a connected library in bytes: a measured value, rounded up. */
#define LIBRARY_MEMORY ((size_t)4 * 1024 * 1024)

struct nats {
    struct destination destination;
    const struct nats_library *library;
    struct broker_options broker;
    struct client_tls tls;
    struct broker_place place;
    struct topic_template subject;
    struct nats_publisher *publisher;
};

static struct nats *nats_of(struct destination *destination)
{
    return (struct nats *)destination;
}

static bool nats_send_block(struct destination *destination, struct delivery_block *block,
                            struct error *error)
{
    (void)error;
    return nats_publisher_put(nats_of(destination)->publisher, block);
}

static struct delivery_block *nats_answer(struct destination *destination, struct error *error,
                                          int64_t *retry_after_ns)
{
    *retry_after_ns = 0;
    return nats_publisher_take(nats_of(destination)->publisher, error);
}

static int64_t nats_due(const struct destination *destination)
{
    return nats_publisher_due(((const struct nats *)destination)->publisher);
}

static void nats_serve(struct destination *destination)
{
    nats_publisher_expire(nats_of(destination)->publisher, false);
}

static void nats_abandon(struct destination *destination)
{
    nats_publisher_expire(nats_of(destination)->publisher, true);
}

static bool nats_is_away(const struct destination *destination, struct error *error)
{
    return nats_publisher_is_away(((const struct nats *)destination)->publisher, error);
}

static bool nats_route(struct destination *destination, const struct listener *listener,
                       const struct record *record, char *name)
{
    return topic_template_expand(&nats_of(destination)->subject, listener, record, name) != 0;
}

/* --- making a destination --------------------------------------------------------------------- */

static const struct delivery_ops delivery_ops = {
    .send = nats_send_block,
    .answer = nats_answer,
    .route = nats_route,
    .is_away = nats_is_away,
    .due = nats_due,
    .serve = nats_serve,
    .abandon = nats_abandon,
};

static void nats_destroy(struct destination *destination)
{
    nats_publisher_destroy(nats_of(destination)->publisher);
    free(destination);
}

static int nats_read_options(struct nats *nats, const struct destination_options *options,
                             struct error *error)
{
    nats->library = nats_library(error);
    if (nats->library == NULL ||
        broker_place_read(options->path, &broker_kind, &nats->place, error) != 0 ||
        topic_template_read(&nats->subject, nats->place.route, true, error) != 0)
        return -1;
    char example[DELIVERY_ROUTE_SIZE];
    topic_template_example(&nats->subject, example);
    if (!nats_subject_is_valid(example)) {
        return broker_place_refuse(nats->place.route, "is not a subject to publish to", error);
    }
    nats->broker = options->settings->broker;
    nats->tls = options->settings->tls;
    if (nats->broker.tls && nats->tls.ca == NULL) {
        error_set(error, EXIT_CODE_CONFIG,
                  "tls=on needs server_ca=, the authority that signed the servers' certificates");
        return -1;
    }
    return 0;
}

static int nats_create(const struct destination_options *options, struct destination **out,
                       struct error *error)
{
    struct nats *made = calloc(1, sizeof *made);
    if (made == NULL)
        return error_no_memory(error);
    made->destination = (struct destination){.delivery = &delivery_ops, .destroy = nats_destroy};
    int result = nats_read_options(made, options, error);
    if (result == 0) {
        const struct nats_publisher_options to = {
            .library = made->library,
            .name = options->name,
            .place = &made->place,
            .broker = &made->broker,
            .tls = &made->tls,
            .headers = made->broker.headers,
            .per_block = options->settings->broker.per != MESSAGE_RECORD,
            .strips_newline = !options->settings->encoder->binary,
            .timeout_ns = options->settings->delivery.timeout,
            .sink = options->wakeup,
        };
        result = nats_publisher_create(&to, &made->publisher, error);
    }
    if (result != 0) {
        nats_destroy(&made->destination);
        return -1;
    }
    made->destination.figures = nats_publisher_figures(made->publisher);
    made->destination.has_figures = NATS_FIGURES;
    *out = &made->destination;
    return 0;
}

static natsOptions *nats_prepare(struct nats *tried, const struct destination_options *options,
                                 struct error *error)
{
    if (nats_read_options(tried, options, error) != 0)
        return NULL;
    return nats_settings_make(tried->library, &tried->place, &tried->broker, &tried->tls, error);
}

static int nats_check(const struct destination_options *options, struct error *error)
{
    struct nats tried = {.publisher = NULL};
    natsOptions *settings = nats_prepare(&tried, options, error);
    if (settings == NULL)
        return -1;
    tried.library->natsOptions_Destroy(settings);
    return 0;
}

static void nats_probe(const struct destination_options *options, int64_t timeout_ns,
                       struct error *said)
{
    struct nats tried = {.publisher = NULL};
    natsOptions *settings = nats_prepare(&tried, options, said);
    char subject[DELIVERY_ROUTE_SIZE];
    if (settings == NULL)
        return;
    if (!nats_probe_subject(tried.place.route, subject))
        topic_template_example(&tried.subject, subject);
    nats_probe_run(tried.library, settings, tried.place.count, subject, timeout_ns, said);
}

static bool nats_shape(const struct destination_options *options, struct destination_shape *shape)
{
    (void)options;
    *shape = (struct destination_shape){
        .memory = sizeof(struct nats) + nats_publisher_memory() + LIBRARY_MEMORY,
    };
    return true;
}

const struct destination_ops destination_nats = {
    DESTINATION_nats,
    .library = nats_library_version,
    .topic = broker_place_route,
    .shape = nats_shape,
    .check = nats_check,
    .probe = nats_probe,
    .create = nats_create,
};
