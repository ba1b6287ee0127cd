"""Requests by HTTP that tell whether a server is up."""
import http.client
import json
import urllib.error
import urllib.request

LIMIT = 2  # seconds

_open = urllib.request.build_opener(urllib.request.ProxyHandler({})).open


def answer(url):
    """The body of a good answer; None for any other, or none."""
    try:
        with _open(url, timeout=LIMIT) as response:
            return response.read()
    except (OSError, http.client.HTTPException, urllib.error.URLError):
        return None


def answers(url):
    """Whether it answers well."""
    return answer(url) is not None


def json_answer(url):
    """The same, parsed; {} where there is none."""
    body = answer(url)
    return json.loads(body) if body else {}
