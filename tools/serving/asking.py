"""HTTP requests that check whether a server is up."""
import http.client
import json
import urllib.error
import urllib.request

LIMIT = 2  # seconds

_open = urllib.request.build_opener(urllib.request.ProxyHandler({})).open


def answer(url):
    """Returns the body of a successful answer, or None."""
    try:
        with _open(url, timeout=LIMIT) as response:
            return response.read()
    except (OSError, http.client.HTTPException, urllib.error.URLError):
        return None


def answers(url):
    """Returns True if the answer is successful."""
    return answer(url) is not None


def json_answer(url):
    """Returns the parsed JSON answer, or {} if there is none."""
    body = answer(url)
    return json.loads(body) if body else {}
