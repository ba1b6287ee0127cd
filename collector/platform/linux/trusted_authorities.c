/* Implements collector/platform/trusted_authorities.h for a TLS library that is linked in. */
#include "collector/platform/trusted_authorities.h"

#include <stddef.h>
#include <unistd.h>

/* These folders are readable in the sandbox of a program that connects (sandbox_plan.c). */
static const char *const places[] = {
    "/etc/ssl/certs/ca-certificates.crt",                /* Debian, Ubuntu, Arch, Alpine */
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", /* Fedora, Red Hat, Rocky */
    "/etc/pki/tls/certs/ca-bundle.crt",                  /* older releases of these */
    "/etc/ssl/ca-bundle.pem",                            /* SUSE */
    "/etc/ssl/cert.pem",                                 /* Alpine with ca-certificates-bundle */
};

int trusted_authorities_find(const char **file, struct error *error)
{
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (access(places[i], R_OK) == 0) {
            *file = places[i];
            return 0;
        }
    error_set(error, EXIT_CODE_CONFIG,
              "server_ca= is needed: this system has no certificates of authorities in %s, nor "
              "where other distributions have them",
              places[0]);
    return -1;
}
