/*
 * The keys of a sink's URL that are about TLS, where the sink is the client: files in PEM; NULL:
 * not given.
 */
#ifndef SLUICE_COLLECTOR_CONTRACT_CLIENT_TLS_H
#define SLUICE_COLLECTOR_CONTRACT_CLIENT_TLS_H

struct client_tls {
    char *ca;   /* certificates of those who may say who a server is */
    char *cert; /* our own certificate, with its chain */
    char *key;  /* its key; NULL: that is in the file of the certificate */
};

#endif
