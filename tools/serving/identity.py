"""Certificates and logins of a group's servers.

FOLDER/tls has a certificate authority (ca.crt, ca.key), and a certificate of the group's address
with its key (server.crt, server.key; server.pem has both). FOLDER/login has the only user, in the
form that sinks read.
"""
import secrets
import subprocess

from failure import Failure
from packages import find

USER = "sluice"
DAYS = 30


def _openssl(*words):
    done = subprocess.run([find("openssl"), *map(str, words)], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failure(f"openssl: {done.stderr.strip()}")


def _request(folder, name, *more):
    _openssl("req", *more, "-newkey", "rsa:2048", "-nodes", "-keyout", folder / f"{name}.key",
             "-subj", f"/CN={name}")


def _validity(days):
    """Returns the options for a validity of `days` days. OpenSSL 3.4 and later refuse negative
    numbers; in earlier versions there is no other option."""
    usage = subprocess.run([find("openssl"), "x509", "-help"], stdin=subprocess.DEVNULL,
                           capture_output=True, text=True, check=False).stderr
    if days < 0 and "-not_after" in usage:
        return "-not_before", "20200101000000Z", "-not_after", "20200201000000Z"
    return "-days", days


def make(group):
    """Makes the certificates and the login in the group's folder. Returns the password."""
    if find("openssl") is None:
        raise Failure("not installed: openssl")
    tls = group.folder / "tls"
    tls.mkdir()
    _request(tls, "ca", "-x509", "-out", tls / "ca.crt", "-days", DAYS)
    issue(tls, group.host, DAYS)
    password = secrets.token_urlsafe(18)
    (group.folder / "login").write_text(f"user={USER}\npassword={password}\n", encoding="ascii")
    return password


def issue(tls, host, days):
    """Makes a new certificate of the servers, which has expired if `days` is negative."""
    (tls / "names").write_text(f"subjectAltName=IP:{host}\n", encoding="ascii")
    _request(tls, "server", "-new", "-out", tls / "server.csr")
    _openssl("x509", "-req", "-in", tls / "server.csr", "-CA", tls / "ca.crt", "-CAkey",
             tls / "ca.key", *_validity(days), "-extfile", tls / "names", "-out", tls / "server.crt")
    both = (tls / "server.key").read_text() + (tls / "server.crt").read_text()
    (tls / "server.pem").write_text(both, encoding="ascii")
