"""Streams of JetStream with three replicas."""
import base64
import time

from nats_server import NatsClient

SECOND = 10**9  # nanoseconds, the unit of times in streams
LIMIT = 60  # seconds until a stream must have a leader
PAUSE = 0.1


class Stream:
    """A stream of the subjects NAME.>, on all nodes."""

    def __init__(self, places, name):
        self.places = places
        self.name = name
        self._ask("CREATE", {"name": name, "subjects": [f"{name}.>"], "storage": "file",
                             "retention": "limits", "num_replicas": len(places),
                             "duplicate_window": 600 * SECOND})

    def _connected(self):
        """A client of a node that runs."""
        for place in self.places:
            try:
                return NatsClient(int(place.rpartition(":")[2]), login={}, tls=None)
            except ConnectionRefusedError:
                continue
        raise AssertionError("no node runs")

    def _ask(self, request, body):
        """The answer to a request. Repeats the request, because without a leader a node does not
        answer, or answers with an error."""
        end = time.monotonic() + LIMIT
        while True:
            client = self._connected()
            try:
                answer = client.ask(f"$JS.API.STREAM.{request}.{self.name}", body)
            except (ConnectionError, TimeoutError) as error:
                answer = {"error": str(error)}
            finally:
                client.close()
            if "error" not in answer:
                return answer
            if time.monotonic() > end:
                raise AssertionError(f"{request}: {answer['error']}")
            time.sleep(PAUSE)

    def leader(self):
        return self._ask("INFO", None)["cluster"]["leader"]

    def messages(self):
        """All messages of the stream, in their order."""
        state = self._ask("INFO", None)["state"]
        client = self._connected()
        try:
            for number in range(state["first_seq"], state["last_seq"] + 1):
                answer = client.ask(f"$JS.API.STREAM.MSG.GET.{self.name}", {"seq": number})
                yield base64.b64decode(answer["message"]["data"])
        finally:
            client.close()
