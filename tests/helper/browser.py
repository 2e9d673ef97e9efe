#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""browser.py PAGE [--dark] [--shot FILE] [--width N] [EXPRESSION...]: opens a file in a headless Chromium, evaluates the expressions there one after another and
prints each value as JSON. Exit code 1, with the reason on stderr: an error or warning on the console, an exception, a request for anything but
files and data. Speaks the DevTools protocol over the pipe (file descriptors 3 and 4); no other program is needed."""
import argparse, base64, json, os, shutil, subprocess, sys, tempfile

p = argparse.ArgumentParser()
p.add_argument("page")
p.add_argument("--dark", action="store_true")
p.add_argument("--shot")
p.add_argument("--width", type=int, default=1400)
p.add_argument("expression", nargs="*")
a = p.parse_intermixed_args()

home = tempfile.mkdtemp()
to_read, to_write = os.pipe()
from_read, from_write = os.pipe()


def child():
    # 3 and 4 may be among the pipes' own numbers: move them out of the way first
    r, w = os.dup(to_read), os.dup(from_write)
    while r < 5 or w < 5:
        r, w = (os.dup(r) if r < 5 else r), (os.dup(w) if w < 5 else w)
    os.dup2(r, 3)
    os.dup2(w, 4)


browser = subprocess.Popen(["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
                            "--user-data-dir=" + home, "--remote-debugging-pipe", "about:blank"],
                           preexec_fn=child, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
os.close(to_read)
os.close(from_write)
out, inp = os.fdopen(to_write, "wb", 0), os.fdopen(from_read, "rb", 0)
buffer, last, bad, loaded = b"", 0, [], False


def message():
    global buffer
    while b"\0" not in buffer:
        got = inp.read(1 << 16)
        if not got:
            sys.exit("browser.py: chromium ended")
        buffer += got
    one, buffer = buffer.split(b"\0", 1)
    return json.loads(one)


def event(m):
    global loaded
    kind, v = m.get("method"), m.get("params", {})
    if kind == "Runtime.exceptionThrown":
        bad.append("exception: " + v["exceptionDetails"].get("text", "") + " " + v["exceptionDetails"].get("exception", {}).get("description", ""))
    elif kind == "Runtime.consoleAPICalled" and v["type"] in ("error", "warning", "assert"):
        bad.append("console: " + json.dumps(v["args"]))
    elif kind == "Log.entryAdded" and v["entry"]["level"] in ("error", "warning"):
        bad.append("log: " + v["entry"]["text"])
    elif kind == "Network.requestWillBeSent" and not v["request"]["url"].startswith(("file:", "data:")):
        bad.append("request: " + v["request"]["url"])
    elif kind == "Page.loadEventFired":
        loaded = True


def call(method, session=None, **params):
    global last
    last += 1
    out.write(json.dumps({"id": last, "method": method, "params": params, **({"sessionId": session} if session else {})}).encode() + b"\0")
    while True:
        m = message()
        if m.get("id") == last:
            if "error" in m:
                sys.exit("browser.py: %s: %s" % (method, m["error"]["message"]))
            return m["result"]
        event(m)


try:
    target = call("Target.createTarget", url="about:blank")["targetId"]
    s = call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
    for d in ("Page", "Runtime", "Log", "Network"):
        call(d + ".enable", s)
    call("Emulation.setDeviceMetricsOverride", s, width=a.width, height=900, deviceScaleFactor=1, mobile=False)
    call("Emulation.setEmulatedMedia", s, features=[{"name": "prefers-color-scheme", "value": "dark" if a.dark else "light"}])
    call("Page.navigate", s, url="file://" + os.path.realpath(a.page))
    while not loaded:
        event(message())
    for e in a.expression:
        r = call("Runtime.evaluate", s, expression=e, returnByValue=True)
        if "exceptionDetails" in r:
            bad.append("%s: %s" % (e, r["exceptionDetails"].get("exception", {}).get("description", "")))
        print(json.dumps(r["result"].get("value")))
    if a.shot:
        open(a.shot, "wb").write(base64.b64decode(call("Page.captureScreenshot", s, format="png", captureBeyondViewport=True)["data"]))
finally:
    browser.kill()
    browser.wait()
    shutil.rmtree(home, ignore_errors=True)
for b in bad:
    print(b, file=sys.stderr)
sys.exit(1 if bad else 0)
