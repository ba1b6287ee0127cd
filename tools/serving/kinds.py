"""Every kind of server, by its name: a file and a row here.

A kind has
SUMMARY  its line in --help
SIZES  the possible numbers of nodes
PORTS  the names of a node's ports; the first one is for clients
SECURES  True: its nodes can have certificates and a user (optional)
fetch(packages)  installs or downloads its dependencies; Failure with CANNOT_FETCH
prepare(group)  writes the configuration of each node, before the first start
command(group, node, packages)  the command that starts the node, as a list of words
is_ready(group)  whether all running nodes accept requests and are connected
"""
import influxdb
import kafka
import nats
import otelcol
import prometheus
import prometheus3
import victoria_metrics

KINDS = {
    "influxdb": influxdb,
    "kafka": kafka,
    "nats": nats,
    "otelcol": otelcol,
    "prometheus": prometheus,
    "prometheus3": prometheus3,
    "victoria-metrics": victoria_metrics,
}
