#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Has Chromium measure the page of `pages/`. The words are the program that serves it, which prints its address. Of ours also what
tabs take that rest."""
import json, os, re, subprocess, sys, time, urllib.request

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


driver = begin(["chromedriver", "--port=0"])
server = begin(sys.argv[1:])
browser = None
try:
    browser = Driver(find(driver, r"on port ([1-9]\d*)"))
    address = find(server, r"(http://\S+|^\d+)")
    is_ours = address.startswith("http")
    if not is_ours:
        address = f"http://127.0.0.1:{address}/"
    resting = rest(browser, address, server.pid) if is_ours else {}
    browser.show(address.partition("?")[0] + ("index.html" if is_ours else ""))
    figures = browser.ask("window.figures") | resting
    if "failed" in figures:
        raise SystemExit(figures["failed"])
    for name, value in figures.items():
        print(f"{name}\t{value}")
finally:
    # A browser outlives its driver.
    if browser:
        browser.end()
    for child in (server, driver):
        child.terminate()
        child.wait()
