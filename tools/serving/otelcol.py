"""A small OpenTelemetry collector, built by its builder with Go."""
import socket

from failure import CANNOT_FETCH, Failure
from packages import find, go_environment

SUMMARY = "an OpenTelemetry collector: takes OTLP/HTTP at /v1/metrics"
SIZES = (1,)
PORTS = ("http",)

VERSION = "v0.150.0"
PROVIDERS = "v1.56.0"
FETCHED = f"otelcol-{VERSION}"
MODULES = "go.opentelemetry.io/collector"

# Without the environment provider the collector does not start.
PARTS = f"""\
dist:
  name: otelcol
  output_path: {{folder}}/built
receivers:
  - gomod: {MODULES}/receiver/otlpreceiver {VERSION}
exporters:
  - gomod: {MODULES}/exporter/debugexporter {VERSION}
  - gomod: {MODULES}/exporter/otlphttpexporter {VERSION}
providers:
  - gomod: {MODULES}/confmap/provider/fileprovider {PROVIDERS}
  - gomod: {MODULES}/confmap/provider/envprovider {PROVIDERS}
"""

CONFIGURATION = """\
receivers:
  otlp:
    protocols:
      http:
        endpoint: "{place}"
exporters:
{exporter}service:
  pipelines:
    metrics:
      receivers: [otlp]
      exporters: [{name}]
  telemetry:
    metrics:
      level: none
"""

# Writes every data point to the log.
DEBUG = """\
  debug:
    verbosity: detailed
"""
FORWARD = """\
  otlphttp:
    endpoint: "{url}"
    encoding: json
    compression: none
    sending_queue:
      enabled: false
"""
LIMIT = 1  # seconds


def fetch(packages):
    """Go installs the collector builder, which builds the collector."""
    if find("go") is None:
        raise Failure("not installed: go, of a version that builds today's modules", CANNOT_FETCH)

    def build(folder, cache):
        environment = go_environment(cache)
        (folder / "parts.yaml").write_text(PARTS.format(folder=folder), encoding="utf-8")
        packages.run("installs the builder", ["go", "install", f"{MODULES}/cmd/builder@{VERSION}"],
                     env=environment)
        packages.run("builds the collector", [cache / "bin" / "builder", "--config",
                                              folder / "parts.yaml"], env=environment)
    packages.once(FETCHED, build)


def prepare(group, _packages):
    url = group.forward
    for node in group.nodes:
        (node.folder / "otelcol.yaml").write_text(CONFIGURATION.format(
            place=group.place(node), exporter=FORWARD.format(url=url) if url else DEBUG,
            name="otlphttp" if url else "debug"), encoding="utf-8")


def command(_group, node, packages):
    return [packages.path(FETCHED, "built", "otelcol"), "--config",
            f"file:{node.folder / 'otelcol.yaml'}"]


def is_ready(group):
    try:
        for node in group.running():
            socket.create_connection((group.host, node.ports["http"]), LIMIT).close()
    except OSError:
        return False
    return True
