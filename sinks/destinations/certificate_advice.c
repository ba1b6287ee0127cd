#include "sinks/destinations/certificate_advice.h"

#include <stddef.h>
#include <string.h>

static const char name[] = ": the URL must have a name that the server's certificate has";
static const char validity[] =
    ": renew the server's certificate there, or check the clocks of both "
    "machines";
static const char issuer[] = ": server_ca= must name the authority that signed the certificate";

static const struct {
    const char *words, *advice;
} known[] = {
    {"certificate has expired", ": renew the server's certificate there"},
    {"certificate is not yet valid", ": check the clocks of both machines"},
    {"subject name", name},
    {"does not match", name},
    {"mismatch", name},
    {"local issuer", issuer},
    {"issuer certificate", issuer},
    {"self-signed", issuer},
    {"self signed", issuer},
    {"unable to verify", issuer},
    /*
     * Messages of Schannel, and names of Windows' error codes. The texts of those errors are
     * translated, so only the names can be recognised.
     */
    {"failed to match", name},
    {"did not match", name},
    {"SEC_E_WRONG_PRINCIPAL", name},
    {"CERT_TRUST_IS_PARTIAL_CHAIN", issuer},
    {"CERT_TRUST_IS_UNTRUSTED_ROOT", issuer},
    {"SEC_E_UNTRUSTED_ROOT", issuer},
    {"CERT_TRUST_IS_NOT_TIME_VALID", validity},
    {"SEC_E_CERT_EXPIRED", validity},
    {"wrong version number",
     ": the server has no TLS on this port; give its port with TLS, or a URL "
     "without TLS"},
};

const char *certificate_advice(const char *error)
{
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strstr(error, known[i].words) != NULL)
            return known[i].advice;
    return "";
}
