"""HTTP requests that check whether a server is up."""
import http.client
import json
import urllib.error
import urllib.request

LIMIT = 2  # seconds

_open = urllib.request.build_opener(urllib.request.ProxyHandler({})).open


def answer(url):
    """The body of a successful answer, otherwise None."""
    try:
        with _open(url, timeout=LIMIT) as response:
            return response.read()
    except (OSError, http.client.HTTPException, urllib.error.URLError):
        return None


def answers(url):
    """Whether it answers successfully."""
    return answer(url) is not None


def json_answer(url):
    """The parsed JSON answer; {} if there is none."""
    body = answer(url)
    return json.loads(body) if body else {}
