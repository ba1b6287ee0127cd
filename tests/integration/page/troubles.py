"""Makes the arguments of a collector with problems: twenty listeners and ten sinks, of which the
last ones lose records, fail or wait.

test_page.py and tools/screenshots start a collector with these arguments."""

WIDTHS = (1600, 800, 360)  # of the page, in pixels
HEIGHTS = {1600: 1000, 800: 1000, 360: 740}

QUIET_LISTENERS, QUIET_SINKS = 18, 7

# The keys of the listeners with problems, and the datagrams for each: malformed ones, and bursts
# that exceed the socket's buffer.
LISTENERS = (
    ("schema=riemann", ("--schema", "riemann", "--malformed", "20%", "--rate", "200")),
    ("schema=telemetry&receive_buffer=4KiB",
     ("--schema", "telemetry", "--burst", "400", "--rate", "800")),
)
# A store that refuses connections, a full disk, and a command that reads no input.
SINKS = ("http://127.0.0.1:1/api/v2/write?format=influx&spill={folder}/spill&spill_size=64MiB",
         "file:/dev/full?format=csv",
         "command:exec sleep 1000?format=csv")


def arguments(folder):
    """The arguments of sluice, without those of its status page."""
    found = ["--log-repeats", "1h", "--stop-timeout", "100ms", "--stall-timeout", "1s"]
    listeners = ["schema=telemetry"] * QUIET_LISTENERS + [keys for keys, _ in LISTENERS]
    sinks = [f"file:{folder}/archive-of-all-metrics-by-region-{number}.ndjson?rotate_size=16MiB"
             "&keep_size=32MiB" for number in range(QUIET_SINKS)]
    for keys in listeners:
        found += ["--listen", f"udp://127.0.0.1:0?{keys}"]
    for sink in (*sinks, *(sink.format(folder=folder) for sink in SINKS)):
        found += ["--sink", sink]
    return found


def senders(ports):
    """The arguments of sluice-send for each listener that gets datagrams. `ports` are the
    listeners' ports."""
    quiet = ("--schema", "telemetry", "--rate", "500", "--sources", "12")
    sent = [(ports[0], quiet), *zip(ports[QUIET_LISTENERS:], (what for _, what in LISTENERS))]
    return [["--to", f"udp://127.0.0.1:{port}", *what, "--duration", "1h"] for port, what in sent]
