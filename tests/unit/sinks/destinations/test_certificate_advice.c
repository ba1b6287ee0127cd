/*
 * Tests the advice for certificate errors of libcurl 7.88 (OpenSSL, Schannel), nats.c 3.4 and
 * OpenSSL 3.
 */
#include <string.h>

#include "sinks/destinations/certificate_advice.h"
#include "tests/support/test.h"

TEST(advice_fits_what_is_wrong_with_a_certificate)
{
    static const struct {
        const char *error, *advice;
    } cases[] = {
        {"SSL certificate problem: certificate has expired", "renew"},
        {"SSL handshake error: certificate has expired", "renew"},
        {"SSL certificate problem: certificate is not yet valid", "clocks"},
        {"SSL: no alternative certificate subject name matches target host name 'localhost'",
         "the URL"},
        {"hostname mismatch", "the URL"},
        {"IP address mismatch", "the URL"},
        {"SSL certificate problem: unable to get local issuer certificate", "server_ca="},
        {"self-signed certificate in certificate chain", "server_ca="},
        {"schannel: CertGetNameString() failed to match connection hostname (127.0.0.1) against "
         "server certificate names",
         "the URL"},
        {"schannel: connection hostname (a) did not match against certificate name (b)", "the URL"},
        {"schannel: SNI or certificate check failed: SEC_E_WRONG_PRINCIPAL (0x80090322)",
         "the URL"},
        {"schannel: CertGetCertificateChain trust error CERT_TRUST_IS_PARTIAL_CHAIN", "server_ca="},
        {"schannel: CertGetCertificateChain trust error CERT_TRUST_IS_UNTRUSTED_ROOT",
         "server_ca="},
        {"schannel: next InitializeSecurityContext failed: SEC_E_UNTRUSTED_ROOT (0x80090325)",
         "server_ca="},
        {"schannel: CertGetCertificateChain trust error CERT_TRUST_IS_NOT_TIME_VALID", "clocks"},
        {"schannel: next InitializeSecurityContext failed: SEC_E_CERT_EXPIRED (0x80090328)",
         "renew"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_non_null(strstr(certificate_advice(cases[i].error), cases[i].advice));
    assert_non_null(strstr(certificate_advice("error:0A00010B:SSL routines::wrong version number"),
                           "the server has no TLS on this port"));
    assert_string_equal(certificate_advice("Connection refused"), "");
}
