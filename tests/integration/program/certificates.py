"""Certificates for tests, made by the openssl command. Only the test trusts them."""
import shutil
import subprocess

OPENSSL = shutil.which("openssl")
KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")


def openssl(*arguments):
    subprocess.run([OPENSSL, *map(str, arguments)], check=True, capture_output=True, timeout=45)


class Authority:
    """Signs certificates, each for a name and for 127.0.0.1; files are in `folder`."""

    def __init__(self, folder, name="ca"):
        self.folder = folder
        self.cert, self.key = folder / f"{name}.crt", folder / f"{name}.key"
        openssl("req", "-x509", *KEY, "-keyout", self.key, "-out", self.cert, "-days", 2,
                "-subj", f"/CN={name}", "-addext", "keyUsage=critical,keyCertSign")

    def issue(self, name, days=2, signs=False):
        """Returns the paths of the certificate and its key; with negative days it has expired."""
        cert, key = self.folder / f"{name}.crt", self.folder / f"{name}.key"
        request, more = self.folder / f"{name}.csr", self.folder / f"{name}.ext"
        more.write_text(f"basicConstraints=CA:{'TRUE' if signs else 'FALSE'}\n"
                        "subjectAltName=IP:127.0.0.1\n", encoding="ascii")
        openssl("req", "-new", *KEY, "-keyout", key, "-out", request, "-subj", f"/CN={name}")
        openssl("x509", "-req", "-in", request, "-CA", self.cert, "-CAkey", self.key, "-days", days,
                "-extfile", more, "-out", cert)
        return cert, key

    def below(self, name):
        """An authority that this one vouches for."""
        other = object.__new__(Authority)
        other.folder = self.folder
        other.cert, other.key = self.issue(name, signs=True)
        return other
