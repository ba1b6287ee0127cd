"""The requests that an OpenTelemetry collector forwards: OTLP/HTTP in JSON."""
import http.server
import json
import threading

from load import Found


def _points(request):
    """The attributes and number of each data point of a gauge or a sum."""
    for resource in request["resourceMetrics"]:
        for scope in resource["scopeMetrics"]:
            for metric in scope["metrics"]:
                for point in metric.get("gauge", metric.get("sum", {})).get("dataPoints", ()):
                    yield {each["key"]: each["value"].get("stringValue")
                           for each in point.get("attributes", ())}, point


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.add(request)
        answer = b"{}"
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


class Forwarded(http.server.ThreadingHTTPServer):
    """Listens until the test ends. `found` has each number, by the host that sent it."""

    def __init__(self, test):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.found = Found()
        self._lock = threading.Lock()
        self.url = f"http://127.0.0.1:{self.server_port}"
        thread = threading.Thread(target=self.serve_forever, daemon=True)
        thread.start()
        test.addCleanup(self.server_close)
        test.addCleanup(self.shutdown)

    def add(self, request):
        with self._lock:
            for labels, point in _points(request):
                number = point["asDouble"] if "asDouble" in point else int(point["asInt"])
                self.found.add(labels["host"], int(number))
