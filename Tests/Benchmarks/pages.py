#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Has Chromium measure the page of `pages/`. The words are the program that serves it, which prints its address. Of ours also what
tabs take that rest. Nobody debugs the page that measures, as a driver does: V8 then keeps more of each call's place."""
import json, os, re, shutil, signal, subprocess, sys, tempfile, threading, time, urllib.request

from resting import idle, resident

HERE = os.path.dirname(os.path.abspath(__file__))
ARGUMENTS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]


def begin(words):
    return subprocess.Popen(words, cwd=HERE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def find(child, pattern):
    """What a line of a program's says."""
    for line in child.stdout:
        found = re.search(pattern, line)
        if found:
            return found.group(1)
    raise SystemExit("a program ended before it said where it is")


class Driver:
    """A browser, by WebDriver's protocol."""

    def __init__(self, port):
        self.base = f"http://127.0.0.1:{port}"
        wanted = {"alwaysMatch": {"goog:chromeOptions": {"args": ARGUMENTS}}}
        self.base += "/session/" + self.post("/session", {"capabilities": wanted})["sessionId"]

    def post(self, path, body, method="POST"):
        request = urllib.request.Request(
            self.base + path, json.dumps(body).encode(), {"Content-Type": "application/json"}, method=method)
        return json.load(urllib.request.urlopen(request, timeout=120))["value"]

    def show(self, address):
        self.post("/url", {"url": address})

    def add(self):
        """One more tab, which is the one that is meant from then on."""
        self.post("/window", {"handle": self.post("/window/new", {"type": "tab"})["handle"]})

    def ask(self, script):
        """What a page answers, once it answers something."""
        for _ in range(3000):
            answer = self.post("/execute/sync", {"script": f"return {script}", "args": []})
            if answer:
                return answer
            time.sleep(0.1)
        raise SystemExit(f"the page never had {script}")

    def end(self):
        self.post("", {}, method="DELETE")


def measured(address):
    """What the page says that it measured, in a browser of its own."""
    profile = tempfile.mkdtemp()
    words = ["chromium", *ARGUMENTS, "--enable-logging=stderr", f"--user-data-dir={profile}", address]
    child = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True)
    alarm = threading.Timer(120, os.killpg, (child.pid, signal.SIGKILL))
    alarm.start()
    try:
        for line in child.stderr:
            found = re.search(r"figures (\{.*\})", line)
            if found:
                return json.loads(found.group(1).replace('\\"', '"'))
        raise SystemExit("the page measured nothing")
    finally:
        alarm.cancel()
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        shutil.rmtree(profile, ignore_errors=True)


TABS = 10


def rest(browser, address, server):
    """What a tab takes that has made a call and rests: MiB, and processor time with all tabs open."""
    def open_one(place):
        browser.show(place)
        browser.ask('document.title === "resting"')

    open_one(address)
    before = resident(server)
    for _ in range(TABS):
        browser.add()
        open_one(address.partition("?")[0] + "quiet.html")
    return {"session": (resident(server) - before) / TABS, "idle": idle(server)}


def resting(words):
    """What tabs of ours take."""
    driver, server, browser = begin(["chromedriver", "--port=0"]), begin(words), None
    try:
        browser = Driver(find(driver, r"on port ([1-9]\d*)"))
        return rest(browser, find(server, r"(http://\S+)"), server.pid)
    finally:
        # A browser outlives its driver.
        if browser:
            browser.end()
        end(server, driver)


def end(*children):
    for child in children:
        child.terminate()
        child.wait()


words = sys.argv[1:]
is_ours = words[-1].endswith("quiet.html")
figures = resting(words) if is_ours else {}
# A link lets one browser in.
server = begin([*words[:-1], "pages/index.html"] if is_ours else words)
try:
    address = find(server, r"(http://\S+|^\d+)")
    figures |= measured(address if is_ours else f"http://127.0.0.1:{address}/")
finally:
    end(server)
if "failed" in figures:
    raise SystemExit(figures["failed"])
for name, value in figures.items():
    print(f"{name}\t{value}")
