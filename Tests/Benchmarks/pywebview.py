#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Calls of a page in a window of pywebview's, one by one. Of those of one turn it takes the last alone: each is the page's title."""
import webview

PAGE = """<!doctype html><script>
window.addEventListener("pywebviewready", async () => {
  const times = 20, call = () => pywebview.api.echo(7);
  await pywebview.api.say("begun");
  await call();
  const start = performance.now();
  for (let index = 0; index < times; index++) await call();
  const alone = (performance.now() - start) / times * 1000;
  await pywebview.api.say(`figures ${JSON.stringify({ alone })}`);
});
</script>"""


class Calls:
    def echo(self, value):
        return value

    def say(self, text):
        print(text, flush=True)


webview.create_window("How long calls of a page take", html=PAGE, js_api=Calls())
webview.start(gui="gtk")
