# SPDX-License-Identifier: MIT
# How many numbers each program logged into the file `out`, and whether each is there once and in order.
import collections
import json

seen = collections.defaultdict(list)
for line in open("out"):
    record = json.loads(line)
    if "i" in record.get("fields", {}): seen[record["pid"]].append(record["fields"]["i"])
numbers = seen.values()
print(len(seen), sorted(len(each) for each in numbers), all(each == sorted(set(each)) for each in numbers))
