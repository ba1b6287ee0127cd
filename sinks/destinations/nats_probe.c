#include "sinks/destinations/nats_probe.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/platform/clock.h"
#include "collector/text/control_character.h"
#include "collector/text/json_reader.h"
#include "sinks/destinations/end_within.h"
#include "sinks/destinations/jetstream_answer.h"
#include "sinks/destinations/nats_settings.h"

#define MS_NS INT64_C(1000000)

/* Permanent errors of JetStream (err_code). */
#define NOT_ENABLED             10076
#define NOT_ENABLED_FOR_ACCOUNT 10039

#define QUESTION "$JS.API.STREAM.NAMES"

/* Time to close the connection, after the time of the probe. */
#define MORE_MS 500

/*
 * nats.c has no time limit for name lookups. So a separate thread connects, and keeps running if
 * that takes too long. The last of the two threads frees the attempt.
 */
struct attempt {
    const struct nats_library *library;
    natsOptions *settings;
    char subject[DELIVERY_ROUTE_SIZE];
    int64_t until_ns;
    struct error said;
    atomic_bool over; /* one thread has finished; the other one must free the attempt */
};

/* --- the subject and the answer --------------------------------------------------------------- */

bool nats_probe_subject(const char *text, char subject[DELIVERY_ROUTE_SIZE])
{
    size_t used = 0;
    for (;; text++) {
        size_t length = strcspn(text, ".");
        bool has_field = memchr(text, '%', length) != NULL;
        const char *word = has_field ? "*" : text;
        size_t size = has_field ? 1 : length;
        if (used + size + 2 > DELIVERY_ROUTE_SIZE)
            return false;
        memcpy(subject + used, word, size);
        used += size;
        text += length;
        subject[used++] = *text;
        if (*text == '\0')
            return true;
    }
}

void nats_probe_classify(const char *json, size_t size, const char *subject, struct error *said)
{
    struct jetstream_answer answer = jetstream_answer_read(json, size);
    char name[128];
    bool is_off = answer.detail == NOT_ENABLED || answer.detail == NOT_ENABLED_FOR_ACCOUNT;
    control_characters_hide(name, json_text_copy(answer.stream, name, sizeof name));
    if (answer.stream.data != NULL)
        error_set(said, EXIT_CODE_OK, "reached; the stream %s takes %s", name, subject);
    else if (answer.outcome == DELIVERY_REFUSED || is_off)
        error_set(said, EXIT_CODE_CONFIG, "the server answers, but JetStream reports: %s",
                  answer.text);
    else if (answer.outcome == DELIVERY_NOT_SENT)
        error_set(said, EXIT_CODE_NOT_REACHED, "the server answers, but JetStream reports: %s",
                  answer.text);
    else
        error_set(said, EXIT_CODE_CONFIG,
                  "the server answers, but no stream takes %s; make one with this subject",
                  subject);
}

/* --- connecting ------------------------------------------------------------------------------- */

/* Without a handler the library prints errors. */
static void probe_on_error(natsConnection *connection, natsSubscription *subscription,
                           natsStatus status, void *closure)
{
    (void)connection, (void)subscription, (void)status, (void)closure;
}

static void no_answer(struct attempt *attempt, natsConnection *connection, natsStatus status)
{
    const struct nats_library *library = attempt->library;
    const char *text;
    if (status == NATS_NO_RESPONDERS)
        error_set(&attempt->said, EXIT_CODE_CONFIG,
                  "the server answers, but has no JetStream for this user");
    else if (library->natsConnection_GetLastError(connection, &text) == NATS_NOT_PERMITTED)
        error_set(&attempt->said, EXIT_CODE_OK,
                  "reached, and logged in; whether a stream takes %s cannot be known, because this "
                  "user may not publish to " QUESTION,
                  attempt->subject);
    else
        error_set(&attempt->said, EXIT_CODE_NOT_REACHED,
                  "the server answers, but JetStream does not: %s",
                  library->natsStatus_GetText(status));
}

static void nats_probe_ask(struct attempt *attempt, natsConnection *connection)
{
    const struct nats_library *library = attempt->library;
    char question[DELIVERY_ROUTE_SIZE + 20];
    natsMsg *answer = NULL;
    int length = snprintf(question, sizeof question, "{\"subject\":\"%s\"}", attempt->subject);
    int64_t left = (attempt->until_ns - clock_monotonic_ns()) / MS_NS;
    natsStatus status = library->natsConnection_Request(&answer, connection, QUESTION, question,
                                                        length, left < 1 ? 1 : left);
    if (status != NATS_OK) {
        no_answer(attempt, connection, status);
        return;
    }
    nats_probe_classify(library->natsMsg_GetData(answer),
                        (size_t)library->natsMsg_GetDataLength(answer), attempt->subject,
                        &attempt->said);
    library->natsMsg_Destroy(answer);
}

static void free_attempt(struct attempt *attempt)
{
    attempt->library->natsOptions_Destroy(attempt->settings);
    free(attempt);
}

static void try_it(void *object)
{
    struct attempt *attempt = object;
    const struct nats_library *library = attempt->library;
    natsConnection *connection = NULL;
    if (nats_settings_connect(library, attempt->settings, &connection, &attempt->said))
        nats_probe_ask(attempt, connection);
    library->natsConnection_Destroy(connection);
    if (atomic_exchange(&attempt->over, true))
        free_attempt(attempt);
}

void nats_probe_run(const struct nats_library *library, natsOptions *settings, size_t servers,
                    const char *subject, int64_t timeout_ns, struct error *said)
{
    int64_t ms = timeout_ns / MS_NS, each = ms / (int64_t)servers;
    struct attempt *attempt = calloc(1, sizeof *attempt);
    if (attempt == NULL ||
        library->natsOptions_SetTimeout(settings, each < 1 ? 1 : each) != NATS_OK ||
        library->natsOptions_SetErrorHandler(settings, probe_on_error, NULL) != NATS_OK) {
        free(attempt);
        library->natsOptions_Destroy(settings);
        error_no_memory(said);
        return;
    }
    attempt->library = library;
    attempt->settings = settings;
    attempt->until_ns = clock_monotonic_ns() + timeout_ns;
    snprintf(attempt->subject, sizeof attempt->subject, "%s", subject);
    end_within(try_it, attempt, (int)ms + MORE_MS);
    if (!atomic_exchange(&attempt->over, true)) {
        error_set(said, EXIT_CODE_NOT_REACHED, "no answer in time; a name lookup may be slow");
        return;
    }
    *said = attempt->said;
    free_attempt(attempt);
    /* The library's threads must end before OpenSSL frees its data at exit. */
    library->nats_CloseAndWait(MORE_MS);
}
