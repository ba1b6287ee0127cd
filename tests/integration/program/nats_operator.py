"""Makes signed claims (JWT) for accounts of a nats-server: an operator, an account and a user."""
import base64
import hashlib
import itertools
import json
import time

from certificates import openssl

OPERATOR, ACCOUNT, USER, SEED = 14 << 3, 0, 20 << 3, 18 << 3
numbers = itertools.count()


def crc16(data):
    crc = 0
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x1021 if crc & 0x8000 else crc << 1) & 0xffff
    return crc.to_bytes(2, "little")


def base32(data):
    return base64.b32encode(data + crc16(data)).decode().rstrip("=")


def base64url(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


class Key:
    """An Ed25519 key of one of the kinds, in the forms that NATS writes."""

    def __init__(self, folder, kind):
        self.file = folder / f"nkey{next(numbers)}.pem"
        self.kind = kind
        openssl("genpkey", "-algorithm", "ed25519", "-out", self.file)
        self.secret = self.der()[-32:]
        self.public = base32(bytes([kind]) + self.der("-pubout")[-32:])

    def der(self, *what):
        out = self.file.with_suffix(".der")
        openssl("pkey", "-in", self.file, *what, "-outform", "DER", "-out", out)
        return out.read_bytes()

    def seed(self):
        return base32(bytes([SEED | self.kind >> 5, (self.kind & 31) << 3]) + self.secret)

    def claim(self, subject, name, about):
        """Returns a JWT about the subject, signed by this key."""
        claims = {"jti": "", "iat": int(time.time()), "iss": self.public, "name": name,
                  "sub": subject.public, "nats": {"version": 2, **about}}
        claims["jti"] = hashlib.sha256(json.dumps(claims).encode()).hexdigest()
        text = ".".join(base64url(json.dumps(part).encode())
                        for part in ({"typ": "JWT", "alg": "ed25519-nkey"}, claims))
        signed, signature = self.file.with_suffix(".in"), self.file.with_suffix(".sig")
        signed.write_text(text)
        openssl("pkeyutl", "-sign", "-rawin", "-inkey", self.file, "-in", signed, "-out", signature)
        return f"{text}.{base64url(signature.read_bytes())}"


class NatsOperator:
    LIMITS = {"subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": True,
              "conn": -1, "leaf": -1}

    def __init__(self, folder):
        self.folder = folder
        self.operator, self.account = Key(folder, OPERATOR), Key(folder, ACCOUNT)
        self.system = Key(folder, ACCOUNT)

    def config(self):
        claims = self.operator.claim(self.operator, "O", {"type": "operator"})
        accounts = "".join(
            f"{key.public}: {self.operator.claim(key, name, {'type': 'account', 'limits': self.LIMITS})}\n"
            for key, name in ((self.account, "A"), (self.system, "SYS")))
        return (f"operator: {claims}\nresolver: MEMORY\nsystem_account: {self.system.public}\n"
                f"resolver_preload: {{\n{accounts}}}\n")

    def credentials(self, name):
        """The file that nsc would write for a user."""
        user = Key(self.folder, USER)
        claims = self.account.claim(user, name, {"type": "user", "subs": -1, "data": -1,
                                                 "payload": -1})
        file = self.folder / f"{user.public}.creds"
        file.write_text("-----BEGIN NATS USER JWT-----\n" + claims +
                        "\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n" +
                        user.seed() + "\n------END USER NKEY SEED------\n")
        return file
