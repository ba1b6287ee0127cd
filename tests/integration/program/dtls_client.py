"""A DTLS client on OpenSSL's library. The test controls its datagrams: it can withhold, repeat,
split, combine and forge them, and send them from any socket."""
import ctypes
import ctypes.util
import socket
import struct

from built import skip

_FOUND = ctypes.util.find_library("ssl")
if _FOUND is None:
    skip("no libssl here")
SSL = ctypes.CDLL(_FOUND)

HEADER = 13
COOKIE_AT = HEADER + 12 + 2 + 32  # offset in a ClientHello of the length of the session id
_OP_NO_QUERY_MTU = 1 << 12
_SET_MTU, _SET_MIN_VERSION, _HANDLE_TIMEOUT = 17, 123, 74
_DTLS_1_2 = 0xFEFD
_MEM_EOF_RETURN = 130
_COMMON_NAME = 13
_ZERO_RETURN, _WANT_READ = 6, 2
_PSK = ctypes.CFUNCTYPE(ctypes.c_uint, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p,
                        ctypes.c_uint, ctypes.c_void_p, ctypes.c_uint)

for name in ("SSL_get1_peer_certificate", "X509_get_subject_name", "DTLS_client_method", "SSL_CTX_new", "SSL_new", "BIO_new", "BIO_s_mem"):
    getattr(SSL, name).restype = ctypes.c_void_p
for name, types in {
        "SSL_CTX_new": "p", "SSL_CTX_free": "p", "SSL_new": "p", "SSL_free": "p", "BIO_new": "p",
        "BIO_ctrl": "pilp", "BIO_read": "ppi", "BIO_write": "ppi", "SSL_set_bio": "ppp",
        "SSL_set_connect_state": "p", "SSL_do_handshake": "p", "SSL_read": "ppi", "SSL_write": "ppi",
        "SSL_get_error": "pi", "SSL_shutdown": "p", "SSL_ctrl": "pilp", "SSL_CTX_ctrl": "pilp",
        "SSL_CTX_set_options": "pL", "SSL_CTX_use_certificate_file": "ppi", "SSL_renegotiate": "p",
        "SSL_CTX_use_PrivateKey_file": "ppi", "SSL_CTX_load_verify_file": "pp",
        "SSL_CTX_set_psk_client_callback": "pf", "SSL_CTX_set_cipher_list": "pp",
        "SSL_get1_peer_certificate": "p", "X509_get_subject_name": "p", "X509_free": "p",
        "X509_NAME_get_text_by_NID": "pipi", "SSL_CTX_set_verify": "pip"}.items():
    getattr(SSL, name).argtypes = [
        {"p": ctypes.c_void_p, "i": ctypes.c_int, "l": ctypes.c_long, "L": ctypes.c_uint64,
         "f": _PSK}[each] for each in types]


class Settings:
    """A client's settings: its certificate and key, or its identity and the bytes of its key."""

    def __init__(self, cert=None, psk=None, ca=None, ciphers=None):
        self.pointer = SSL.SSL_CTX_new(SSL.DTLS_client_method())
        SSL.SSL_CTX_ctrl(self.pointer, _SET_MIN_VERSION, _DTLS_1_2, None)
        SSL.SSL_CTX_set_options(self.pointer, _OP_NO_QUERY_MTU)
        if ca is not None:
            assert SSL.SSL_CTX_load_verify_file(self.pointer, str(ca).encode()) == 1
            SSL.SSL_CTX_set_verify(self.pointer, 1, None)
        if ciphers is not None:
            assert SSL.SSL_CTX_set_cipher_list(self.pointer, ciphers) == 1
        if cert is not None:
            assert SSL.SSL_CTX_use_certificate_file(self.pointer, str(cert[0]).encode(), 1) == 1
            assert SSL.SSL_CTX_use_PrivateKey_file(self.pointer, str(cert[1]).encode(), 1) == 1
        if psk is not None:
            self._give = self._giver(*psk)
            SSL.SSL_CTX_set_psk_client_callback(self.pointer, self._give)

    @staticmethod
    def _giver(identity, key):
        @_PSK
        def give(_ssl, _hint, to, most, key_to, key_most):
            assert len(identity) < most and len(key) <= key_most
            ctypes.memmove(to, identity + b"\0", len(identity) + 1)
            ctypes.memmove(key_to, key, len(key))
            return len(key)
        return give

    def __del__(self):
        SSL.SSL_CTX_free(self.pointer)


def records(data):
    """Splits the bytes into records."""
    found = []
    while data:
        size = HEADER + struct.unpack_from(">H", data, 11)[0]
        found.append(data[:size])
        data = data[size:]
    return found


class Endpoint:
    """The client's side of DTLS, without a socket."""

    def __init__(self, settings, mtu=1200):
        self.settings = settings
        self.ssl = SSL.SSL_new(settings.pointer)
        self.come, self.go = SSL.BIO_new(SSL.BIO_s_mem()), SSL.BIO_new(SSL.BIO_s_mem())
        SSL.BIO_ctrl(self.come, _MEM_EOF_RETURN, -1, None)
        SSL.SSL_set_bio(self.ssl, self.come, self.go)
        SSL.SSL_ctrl(self.ssl, _SET_MTU, mtu, None)
        SSL.SSL_set_connect_state(self.ssl)
        self.buffer = ctypes.create_string_buffer(1 << 16)

    def __del__(self):
        SSL.SSL_free(self.ssl)

    def flight(self):
        """The records that it must send now."""
        data = b""
        while (size := SSL.BIO_read(self.go, self.buffer, len(self.buffer))) > 0:
            data += self.buffer.raw[:size]
        return records(data)

    def feed(self, datagram):
        SSL.BIO_write(self.come, datagram, len(datagram))

    def step(self):
        """Continues the handshake. Returns whether it is complete."""
        result = SSL.SSL_do_handshake(self.ssl)
        if result == 1:
            return True
        if SSL.SSL_get_error(self.ssl, result) != _WANT_READ:
            raise ConnectionError("the handshake failed")
        return False

    def repeat(self):
        """Lets OpenSSL check its timer. If it is over, the records to repeat are in flight()."""
        SSL.SSL_ctrl(self.ssl, _HANDLE_TIMEOUT, 0, None)

    def seal(self, data):
        """Returns the record that contains the data."""
        assert SSL.SSL_write(self.ssl, data, len(data)) == len(data)
        (record,) = self.flight()
        return record

    def end(self):
        """The records that end the session."""
        SSL.SSL_shutdown(self.ssl)
        return self.flight()

    def peer_name(self):
        """The common name of the server's certificate."""
        certificate = SSL.SSL_get1_peer_certificate(self.ssl)
        size = SSL.X509_NAME_get_text_by_NID(SSL.X509_get_subject_name(certificate), _COMMON_NAME,
                                             self.buffer, len(self.buffer))
        SSL.X509_free(certificate)
        return self.buffer.raw[:size].decode()

    def has_ended(self):
        """Returns whether the server has ended the session."""
        result = SSL.SSL_read(self.ssl, self.buffer, len(self.buffer))
        return SSL.SSL_get_error(self.ssl, result) == _ZERO_RETURN


class DtlsClient:
    """A client with a separate socket."""

    def __init__(self, port, settings, host="127.0.0.1", local=None, **more):
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.socket = socket.socket(family, socket.SOCK_DGRAM)
        if local is not None:
            self.socket.bind(local)
        self.socket.connect((host, port))
        self.socket.settimeout(1)
        self.dtls = Endpoint(settings, **more)
        self.sent = 0  # records

    def close(self):
        self.socket.close()

    def send(self, *sent, joined=False):
        """Sends each record as a datagram, or all in one datagram if `joined`."""
        for datagram in ([b"".join(sent)] if joined and sent else sent):
            self.socket.send(datagram)
        self.sent += len(sent)

    def receive(self):
        """Receives a datagram and passes it to OpenSSL. Returns it, or None after a second without
        one."""
        try:
            datagram = self.socket.recv(1 << 16)
        except TimeoutError:
            return None
        self.dtls.feed(datagram)
        return datagram

    def open(self, joined=False, patience=20):
        """Makes the handshake."""
        while not self.dtls.step():
            self.send(*self.dtls.flight(), joined=joined)
            while self.receive() is None:
                patience -= 1
                if patience == 0:
                    raise TimeoutError("the server does not answer")
                self.dtls.repeat()
                self.send(*self.dtls.flight(), joined=joined)
        self.send(*self.dtls.flight(), joined=joined)
        return self

    def hello(self):
        """Returns the next ClientHello: the first without a cookie, after an exchange one with it.
        """
        self.dtls.step()
        (record,) = self.dtls.flight()
        return record

    def put(self, *messages):
        """Sends each message as a datagram."""
        for message in messages:
            self.send(self.dtls.seal(message))
