"""Makes certificates for tests with the openssl command. Only the test trusts them."""
import shutil
import subprocess

from built import WINDOWS

# The host in the URLs of https: sinks. On Windows libcurl compares only names with a certificate,
# not addresses.
HOST = "localhost" if WINDOWS else "127.0.0.1"
HOSTS = "IP:127.0.0.1,DNS:localhost" if WINDOWS else "IP:127.0.0.1"

OPENSSL = shutil.which("openssl")
KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
RSA = ("-newkey", "rsa:2048", "-nodes")


def openssl(*arguments):
    subprocess.run([OPENSSL, *map(str, arguments)], check=True, capture_output=True, timeout=45)


def validity(days):
    """The options for a certificate with that validity. OpenSSL 3.4 and later refuse negative
    days, and earlier versions have no other way."""
    help_text = subprocess.run([OPENSSL, "x509", "-help"], capture_output=True, text=True,
                               timeout=45, check=True).stderr if days < 0 else ""
    if "-not_after" in help_text:
        return "-not_before", "20200101000000Z", "-not_after", "20200201000000Z"
    return "-days", days


class Authority:
    """Signs certificates, each for a name and for HOST and 127.0.0.1; files are in `folder`."""

    def __init__(self, folder, name="ca"):
        self.folder = folder
        self.cert, self.key = folder / f"{name}.crt", folder / f"{name}.key"
        openssl("req", "-x509", *KEY, "-keyout", self.key, "-out", self.cert, "-days", 2,
                "-subj", f"/CN={name}", "-addext", "keyUsage=critical,keyCertSign")

    def issue(self, name, days=2, signs=False, hosts=HOSTS, kind=KEY):
        """Returns the paths of the certificate and its key; with negative days it has expired."""
        cert, key = self.folder / f"{name}.crt", self.folder / f"{name}.key"
        request, more = self.folder / f"{name}.csr", self.folder / f"{name}.ext"
        # Python 3.13 verifies strictly: the certificate of an authority must have both extensions
        # (RFC 5280, section 4.2).
        kind_of = "critical,CA:TRUE\nkeyUsage=critical,keyCertSign" if signs else "CA:FALSE"
        more.write_text(f"basicConstraints={kind_of}\nsubjectAltName={hosts}\n", encoding="ascii")
        openssl("req", "-new", *kind, "-keyout", key, "-out", request, "-subj", f"/CN={name}")
        openssl("x509", "-req", "-in", request, "-CA", self.cert, "-CAkey", self.key,
                *validity(days), "-extfile", more, "-out", cert)
        return cert, key

    def below(self, name):
        """An intermediate authority, whose certificate this one signs."""
        other = object.__new__(Authority)
        other.folder = self.folder
        other.cert, other.key = self.issue(name, signs=True)
        return other


def pkcs12(cert, key):
    """Writes a PKCS #12 file with the certificate and the key, as Windows reads them. Returns its
    path. The key is RSA, because Wine reads no other kind."""
    both = cert.with_suffix(".p12")
    openssl("pkcs12", "-export", "-in", cert, "-inkey", key, "-out", both, "-passout", "pass:")
    return both
