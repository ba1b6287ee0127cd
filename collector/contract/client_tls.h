/*
 * The TLS keys of a sink's URL, for a sink that connects as a client. Each value is the path of a
 * PEM file; NULL: the key was not given.
 */
#ifndef SLUICE_COLLECTOR_CONTRACT_CLIENT_TLS_H
#define SLUICE_COLLECTOR_CONTRACT_CLIENT_TLS_H

struct client_tls {
    char *ca;   /* certificate authorities that may sign the server's certificate */
    char *cert; /* the client's certificate and its chain */
    char *key;  /* the private key of `cert`; NULL if the file `cert` contains it */
};

#endif
