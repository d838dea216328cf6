#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Has Chromium measure the page of `pages/`. The words are the program that serves it, which prints its address."""
import json, os, re, subprocess, sys, time, urllib.request

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

    def end(self):
        self.post("", {}, method="DELETE")


driver = begin(["chromedriver", "--port=0"])
server = begin(sys.argv[1:])
try:
    browser = Driver(find(driver, r"on port ([1-9]\d*)"))
    address = find(server, r"(http://\S+|^\d+)")
    browser.post("/url", {"url": address if address.startswith("http") else f"http://127.0.0.1:{address}/"})
    figures = None
    while figures is None:
        time.sleep(0.1)
        figures = browser.post("/execute/sync", {"script": "return window.figures", "args": []})
    browser.end()
    if "failed" in figures:
        raise SystemExit(figures["failed"])
    for name, value in figures.items():
        print(f"{name}\t{value}")
finally:
    for child in (server, driver):
        child.terminate()
        child.wait()
