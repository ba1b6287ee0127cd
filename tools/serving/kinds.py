"""Every kind of server, by its name: a file and a row here.

A kind has
    SUMMARY            what --help says of it
    SIZES              how many nodes a group may have
    PORTS              the names of a node's ports; the first one is where clients connect
    SECURES            True: its nodes can have certificates and a user (optional)
    fetch(packages)    installs or downloads what it needs; Failure with CANNOT_FETCH
    prepare(group)     writes the configuration of each node, before the first start
    command(group, node, packages)    what starts the node, as a list of words
    is_ready(group)    whether all nodes that run take requests, and know each other
"""
import influxdb
import kafka
import nats
import otelcol
import prometheus
import victoria_metrics

KINDS = {
    "influxdb": influxdb,
    "kafka": kafka,
    "nats": nats,
    "otelcol": otelcol,
    "prometheus": prometheus,
    "victoria-metrics": victoria_metrics,
}
