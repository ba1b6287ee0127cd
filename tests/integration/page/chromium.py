"""A headless Chromium, controlled by its DevTools protocol over a pipe, without other software. It
connects only to this machine. No wait is longer than LONGEST."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

LONGEST = 45  # seconds
PROGRAM = shutil.which("chromium")
REBOUND = "rebound.example"  # a host name that Chromium resolves to this machine

FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-default-apps", "--disable-extensions", "--mute-audio", "--no-proxy-server",
    "--hide-scrollbars", "--force-color-profile=srgb", "--remote-debugging-pipe",
    f"--host-resolver-rules=MAP {REBOUND} 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, "
    "EXCLUDE localhost")


class Chromium:
    """One browser. The user must close it."""

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="sluice-chromium-",
                                                   ignore_cleanup_errors=True)
        to_read, self._write = os.pipe()
        self._read, to_write = os.pipe()
        # Chromium reads commands from descriptor 3 and writes answers to descriptor 4.
        script = f'exec 3<&{to_read} 4>&{to_write}; exec "$@"'
        self._process = subprocess.Popen(
            ["/bin/bash", "-c", script, "bash", PROGRAM, *FLAGS,
             f"--user-data-dir={self._folder.name}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            pass_fds=(to_read, to_write))
        os.close(to_read)
        os.close(to_write)
        self._number = 0
        self._rest = b""
        self._events = []

    def close(self):
        try:
            self.call("Browser.close")
            self._process.wait(10)
        except (AssertionError, OSError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        os.close(self._read)
        os.close(self._write)
        self._folder.cleanup()

    def _message(self, end):
        while b"\0" not in self._rest:
            if not select.select([self._read], [], [], max(0, end - time.monotonic()))[0]:
                raise AssertionError(f"Chromium said nothing for {LONGEST} s")
            more = os.read(self._read, 1 << 20)
            if not more:
                raise AssertionError("Chromium has ended")
            self._rest += more
        text, _, self._rest = self._rest.partition(b"\0")
        return json.loads(text)

    def call(self, method, session=None, **parameters):
        """Calls a method of the protocol. Returns its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + LONGEST
        while True:
            answer = self._message(end)
            if "id" not in answer:
                self._events.append(answer)
            elif answer["id"] == self._number:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']}")
                return answer["result"]

    def events(self, session, method):
        """Removes and returns the events of a kind for a session."""
        found = [event["params"] for event in self._events
                 if event["method"] == method and event.get("sessionId") == session]
        self._events = [event for event in self._events
                        if event["method"] != method or event.get("sessionId") != session]
        return found

    def open(self, url, **how):
        return Page(self, url, **how)


class Page:
    """A page with a size and a colour scheme ("light", "dark")."""

    def __init__(self, browser, url, width=1600, height=1000, scheme="light", script=None):
        """`script` runs before the page's own scripts."""
        self._browser = browser
        self.target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=self.target,
                                    flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.resize(width, height)
        self.scheme(scheme)
        if script is not None:
            self.call("Page.addScriptToEvaluateOnNewDocument", source=script)
        self.call("Page.navigate", url=url)

    def call(self, method, **parameters):
        return self._browser.call(method, self.session, **parameters)

    def close(self):
        self._browser.call("Target.closeTarget", targetId=self.target)

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=width < 500)

    def scheme(self, scheme):
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": "reduce"}])

    def evaluate(self, expression):
        """The value of an expression. If that is a promise, its result."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in result:
            raise AssertionError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def wait_for(self, expression, what):
        """Waits until an expression is true. Returns its value."""
        end = time.monotonic() + LONGEST
        while True:
            value = self.evaluate(expression)
            if value:
                return value
            if time.monotonic() > end:
                raise AssertionError(f"waited {LONGEST} s without success: {what}; "
                                     f"complaints: {self.complaints()}")
            time.sleep(0.05)

    def press(self, key):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key,
                      windowsVirtualKeyCode={"Tab": 9, "Enter": 13, "ArrowLeft": 37,
                                             "ArrowRight": 39}.get(key, 0),
                      text="\r" if key == "Enter" else "")

    def complaints(self):
        """The errors so far, and the requests that the security policy refused."""
        found = [event["exceptionDetails"].get("exception", {}).get("description", str(event))
                 for event in self._browser.events(self.session, "Runtime.exceptionThrown")]
        found += [event["entry"]["text"] for event in
                  self._browser.events(self.session, "Log.entryAdded")
                  if event["entry"]["level"] in ("error", "warning")]
        return found

    def asked_for(self):
        """The addresses that the page has requested."""
        return [event["request"]["url"] for event in
                self._browser.events(self.session, "Network.requestWillBeSent")]

    def picture(self, path, whole=True):
        """Writes a PNG: of the whole page, or of what the window shows."""
        if whole:
            height = self.evaluate("document.documentElement.scrollHeight")
            width = self.evaluate("innerWidth")
            self.resize(width, height)
            self.evaluate("new Promise(done => requestAnimationFrame(() => "
                          "requestAnimationFrame(done)))")
        data = self.call("Page.captureScreenshot", format="png")["data"]
        path.write_bytes(base64.b64decode(data))
