#include "sinks/destinations/nats_settings.h"

#include <stdio.h>
#include <string.h>

#include "collector/platform/input_file.h"
#include "sinks/destinations/certificate_advice.h"
#include "sinks/destinations/nats_login.h"

#define URL_SIZE 300

/* A connection is closed if the server does not answer PINGS consecutive pings. */
#define PING_MS 2000
#define PINGS   2

#define RECONNECT_MS 250 /* pause between two attempts at the same server */

static natsStatus set_servers(const struct nats_library *library, natsOptions *options,
                              const struct broker_place *place, bool tls)
{
    char urls[BROKERS_MOST][URL_SIZE];
    const char *list[BROKERS_MOST];
    size_t count = 0;
    for (const char *at = place->brokers; count < place->count; count++) {
        size_t length = strcspn(at, ",");
        int needed =
            snprintf(urls[count], URL_SIZE, "%s://%.*s", tls ? "tls" : "nats", (int)length, at);
        if (needed < 0 || needed >= URL_SIZE)
            return NATS_INVALID_ARG;
        list[count] = urls[count];
        at += length + (at[length] == ',');
    }
    return library->natsOptions_SetServers(options, list, (int)count);
}

static natsStatus set_manner(const struct nats_library *library, natsOptions *options)
{
    const natsStatus all[] = {
        library->natsOptions_SetName(options, "sluice"),
        library->natsOptions_SetTimeout(options, NATS_PATIENCE_MS),
        library->natsOptions_SetWriteDeadline(options, NATS_PATIENCE_MS),
        library->natsOptions_SetMaxReconnect(options, -1),
        library->natsOptions_SetReconnectWait(options, RECONNECT_MS),
        library->natsOptions_SetPingInterval(options, PING_MS),
        library->natsOptions_SetMaxPingsOut(options, PINGS),
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i] != NATS_OK)
            return all[i];
    return NATS_OK;
}

static int set_tls(const struct nats_library *library, natsOptions *options,
                   const struct client_tls *from, struct error *error)
{
    if (library->natsOptions_SetSecure(options, true) != NATS_OK)
        return error_no_memory(error);
    if (input_load_probe_key("server_ca", from->ca, error) != 0 ||
        input_load_probe_key("client_cert", from->cert, error) != 0 ||
        input_load_probe_key("client_key", from->key, error) != 0)
        return -1;
    if (from->ca != NULL &&
        library->natsOptions_LoadCATrustedCertificates(options, from->ca) != NATS_OK) {
        error_set(error, EXIT_CODE_CONFIG, "server_ca=: OpenSSL finds no certificates in %s",
                  from->ca);
        return -1;
    }
    const char *key = from->key != NULL ? from->key : from->cert;
    if (from->cert != NULL &&
        library->natsOptions_LoadCertificatesChain(options, from->cert, key) != NATS_OK) {
        error_set(error, EXIT_CODE_CONFIG,
                  "client_cert=: OpenSSL does not accept %s with the key in %s", from->cert, key);
        return -1;
    }
    return 0;
}

static int set_all(const struct nats_library *library, natsOptions *options,
                   const struct broker_place *place, const struct broker_options *from,
                   const struct client_tls *tls, struct error *error)
{
    natsStatus status = set_servers(library, options, place, from->tls);
    if (status == NATS_OK)
        status = set_manner(library, options);
    if (status != NATS_OK) {
        error_set(error, EXIT_CODE_CONFIG, "nats.c does not accept %s: %s", place->brokers,
                  library->natsStatus_GetText(status));
        return -1;
    }
    if (from->tls && set_tls(library, options, tls, error) != 0)
        return -1;
    return from->credentials == NULL ? 0
                                     : nats_login_read(library, options, from->credentials, error);
}

natsOptions *nats_settings_make(const struct nats_library *library,
                                const struct broker_place *place,
                                const struct broker_options *options, const struct client_tls *tls,
                                struct error *error)
{
    natsOptions *made = NULL;
    if (library->natsOptions_Create(&made) != NATS_OK) {
        error_no_memory(error);
        return NULL;
    }
    if (set_all(library, made, place, options, tls, error) == 0)
        return made;
    library->natsOptions_Destroy(made);
    return NULL;
}

/* Fills `error` with the library's last error, which says more than the status. */
static void explain_status(const struct nats_library *library, natsStatus status,
                           struct error *error)
{
    const char *text = library->nats_GetLastError(NULL);
    bool refused = status == NATS_CONNECTION_AUTH_FAILED || status == NATS_SSL_ERROR ||
                   status == NATS_SECURE_CONNECTION_REQUIRED ||
                   status == NATS_SECURE_CONNECTION_WANTED || status == NATS_NOT_PERMITTED;
    const char *name = library->natsStatus_GetText(status);
    const char *place =
        text == NULL
            ? NULL
            : strstr(text, "): "); /* the library's source position, such as "(conn.c:2088): " */
    if (place != NULL && text[0] == '(')
        text = place + 3;
    if (text == NULL || strcmp(text, name) == 0)
        text = status == NATS_NO_SERVER ? "check the names and ports in the URL" : "";
    error_set(error, refused ? EXIT_CODE_CONFIG : EXIT_CODE_NOT_REACHED, "cannot connect: %s%s%s%s",
              name, text[0] == '\0' ? "" : ": ", text,
              status == NATS_SSL_ERROR ? certificate_advice(text) : "");
}

bool nats_settings_connect(const struct nats_library *library, natsOptions *settings,
                           natsConnection **connection, struct error *error)
{
    natsStatus status = library->natsConnection_Connect(connection, settings);
    if (status != NATS_OK) {
        *connection = NULL;
        explain_status(library, status, error);
        return false;
    }
    if (library->natsConnection_HasHeaderSupport(*connection) == NATS_OK)
        return true;
    error_set(error, EXIT_CODE_CONFIG,
              "the server takes no headers (no_header_support), which each message needs");
    return false;
}
