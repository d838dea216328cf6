# SPDX-License-Identifier: MIT
# What strangers of the tests begin with: the room that they are in, and who else is there.
import sys
import time

from wire import *

room, folder = sys.argv[2], sys.argv[2] + "/.run/peers/test"


def printed(name, text, seconds=20):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if text in open(f"{room}/{name}.out").read():
            return True
        time.sleep(0.01)
    return False


def to(name):
    return Link.to(folder, peers(folder)[name]["address"])
