"""Queries of stores: their records, by the host that sent them."""
import json
import urllib.parse
import urllib.request

from load import Found

LIMIT = 300  # seconds that a query may take


def ask(url, method="GET", **parameters):
    """The answer of the store: parsed lines."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    request = urllib.request.Request(f"{url}?{urllib.parse.urlencode(parameters)}", method=method)
    with opener.open(request, timeout=LIMIT) as answer:
        for line in answer:
            if line.strip():
                yield json.loads(line)


def save_victoria_metrics(url):
    """Makes the store write all accepted data to its disk. /internal/force_flush does not do that.
    """
    list(ask(f"{url}/snapshot/create"))


def victoria_metrics_found(url, name):
    found = Found()
    list(ask(f"{url}/internal/force_flush"))
    for series in ask(f"{url}/api/v1/export", **{"match[]": f'{{__name__="{name}"}}'}):
        for value in series["values"]:
            found.add(series["metric"]["host"], int(value))
    return found


def prometheus_found(url, name):
    found = Found()
    for answer in ask(f"{url}/api/v1/query", query=f"{name}[2h]"):
        for series in answer["data"]["result"]:
            for _, value in series["values"]:
                found.add(series["metric"]["host"], int(value))
    return found


def influxdb_found(url, database, name):
    found = Found()
    for answer in ask(f"{url}/query", db=database, chunked="true",
                      q=f'SELECT value FROM "{name}" GROUP BY host'):
        for series in answer["results"][0].get("series", []):
            for _, value in series["values"]:
                found.add(series["tags"]["host"], int(value))
    return found
