"""Prometheus 3, built with Go: remote write 2.0, native histograms, exemplars and OTLP."""
import asking
import prometheus
from failure import CANNOT_FETCH, Failure
from packages import find, go_environment

SUMMARY = "takes remote write 1.0 and 2.0, and OTLP at /api/v1/otlp/v1/metrics"
SIZES = (1,)
PORTS = ("http",)

VERSION = "v0.316.0"  # of the Go module; the program's own version is 3.16.0
FETCHED = f"prometheus-{VERSION}"
PROGRAM = "github.com/prometheus/prometheus/cmd/prometheus"

# These features are for exemplars, metadata, and the conversion of deltas to cumulative values.
FEATURES = "exemplar-storage,metadata-wal-records,otlp-deltatocumulative"


def fetch(packages):
    """Builds Prometheus without service discovery, which has most of its dependencies."""
    if find("go") is None:
        raise Failure("not installed: go, of a version that builds today's modules", CANNOT_FETCH)

    def build(folder, cache):
        packages.run("builds Prometheus", ["go", "install", "-tags", "remove_all_sd",
                                           f"{PROGRAM}@{VERSION}"],
                     env=go_environment(cache, GOBIN=str(folder)))
    packages.once(FETCHED, build)


prepare = prometheus.prepare


def command(group, node, packages):
    return [packages.path(FETCHED, "prometheus"), *prometheus.options(group, node),
            f"--enable-feature={FEATURES}", "--web.enable-otlp-receiver"]


is_ready = prometheus.is_ready
