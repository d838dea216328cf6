# SPDX-License-Identifier: MIT
# Each record of the file `out`: its level and its message, or how long that is.
import json

for line in open("out", encoding="utf-8"):
    record = json.loads(line)
    message = record.get("message", record.get("msg"))
    print(record["level"], len(message) if len(message) > 100 else ascii(message))
