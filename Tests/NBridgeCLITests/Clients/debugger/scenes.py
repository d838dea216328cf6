# SPDX-License-Identifier: MIT
"""What a debugger does, by the name of the scene; prints what it saw. Run in the folder of the files."""
import json, os, socket, subprocess, sys, time
from devtools import Debugger, Program, places, shown


def steps():
    program = Program("main.ts")
    debugger = program.debugger()
    paused = debugger.begin()
    print(paused["reason"], places(paused))
    paused = debugger.go_on("stepOver")
    print(places(paused), debugger.value(paused["callFrames"][0], "who"))
    # The function is another module's: its name is one of a member here.
    paused = debugger.go_on("stepInto")
    print(places(paused))
    paused = debugger.go_on("stepOut")
    print(places(paused))
    print(debugger.value(paused["callFrames"][0], "greet({ name: 'Eve' })"))
    debugger.call("Debugger.resume")
    print(program.end())


def breakpoints():
    program = Program("main.ts")
    debugger = program.debugger()
    debugger.call("Runtime.enable")
    debugger.call("Debugger.enable")
    # Before any script has run, by a pattern and with a condition.
    answer = debugger.call("Debugger.setBreakpointByUrl", urlRegex=".*/greet\\.ts$", lineNumber=5,
                           condition="who.name === 'Ada'")
    print(answer["locations"], debugger.call("Debugger.setBreakpointByUrl", urlRegex=".*/greet\\.ts$", lineNumber=5))
    debugger.call("Runtime.runIfWaitingForDebugger")
    debugger.wait("Debugger.paused")
    resolved = debugger.wait("Debugger.breakpointResolved")
    print(resolved["breakpointId"] == answer["breakpointId"], resolved["location"]["lineNumber"])
    paused = debugger.go_on()
    print(paused["hitBreakpoints"] == [answer["breakpointId"]], places(paused))
    print(debugger.locals(paused["callFrames"][0]))
    source = debugger.call("Debugger.getScriptSource", scriptId=paused["callFrames"][0]["location"]["scriptId"])
    print(source["scriptSource"].splitlines()[0])
    debugger.call("Debugger.removeBreakpoint", breakpointId=answer["breakpointId"])
    debugger.call("Debugger.resume")
    print(program.end())


def values():
    program = Program("values.js", "--inspect=0")
    debugger = program.debugger()
    debugger.call("Runtime.enable")

    def evaluate(expression, **more):
        return debugger.call("Runtime.evaluate", expression=expression, replMode=True, **more)

    for text in ["1 + 1", "-0", "NaN", "10n", "'é' + '\\u{1F600}'", "undefined", "throw new TypeError('no')",
                 "syntax error", "await Promise.resolve(5)", "(await nbridge.app.appInfo()).name"]:
        print(text, "→", shown(evaluate(text)))
    thing = evaluate("thing", generatePreview=True)["result"]
    print(thing["description"], [(entry["name"], entry["type"]) for entry in thing["preview"]["properties"]])
    answer = debugger.call("Runtime.getProperties", objectId=thing["objectId"], ownProperties=True)
    print([(entry["name"], entry["value"].get("description")) for entry in answer["result"]],
          [entry["name"] for entry in answer["internalProperties"]])
    map = evaluate("thing.map")["result"]["objectId"]
    inner = debugger.call("Runtime.getProperties", objectId=map, ownProperties=True)["internalProperties"]
    print([(entry["name"], entry["value"]["description"]) for entry in inner])
    print(shown(debugger.call("Runtime.callFunctionOn", objectId=thing["objectId"], arguments=[{"value": 1}],
                              functionDeclaration="function (at) { return this.list[at] }")))
    print(shown(evaluate("new Promise((done) => setTimeout(() => done(7), 20))", awaitPromise=True)))
    print(shown(evaluate("1", throwOnSideEffect=True)))
    broken = debugger.call("Runtime.compileScript", expression="let x = ", sourceURL="", persistScript=False)
    print(broken["exceptionDetails"]["text"])
    evaluate("done()")
    print(program.end())


def stopped():
    program = Program("danger.js")
    debugger = program.debugger()
    print(debugger.begin()["reason"])
    print(program.stop())
    program = Program("danger.js")
    print(program.stop())
    # In a promise's job, paused and in a loop.
    program = Program("later.js")
    debugger = program.debugger()
    debugger.begin()
    debugger.go_on()
    print(program.stop())
    program = Program("endless.js")
    debugger = program.debugger()
    debugger.begin()
    debugger.call("Debugger.resume")
    debugger.call("Runtime.evaluate", expression="1")
    print(program.stop())


def gone():
    """A debugger that goes lets the program go on; the next one is told all."""
    program = Program("twice.js")
    debugger = program.debugger()
    debugger.begin()
    second = program.debugger()
    print("a second one:", second.status)
    debugger.socket.close()
    while True:
        debugger = program.debugger()
        if debugger.status == 101:
            break
        debugger.socket.close()
    debugger.call("Debugger.enable")
    print([message["params"]["url"].rsplit("/", 1)[-1] for message in debugger.events
           if message["method"] == "Debugger.scriptParsed" and message["params"]["url"]])
    debugger.call("Runtime.evaluate", expression="begin()")
    print(places(debugger.wait("Debugger.paused")))
    debugger.call("Debugger.resume")
    print(program.end())


def waits():
    """Nothing of the program runs while it is paused."""
    program = Program("timers.js", "--inspect=0")
    debugger = program.debugger()
    debugger.call("Debugger.enable")
    debugger.call("Runtime.evaluate", expression="begin()")
    paused = debugger.wait("Debugger.paused")
    # The timer is due long before this.
    before = shown(debugger.call("Runtime.evaluate", expression="ticks"))
    for _ in range(20):
        debugger.call("Runtime.evaluate", expression="1")
        time.sleep(0.01)
    print(places(paused), shown(debugger.call("Runtime.evaluate", expression="ticks")) == before)
    debugger.call("Debugger.resume")
    print(program.end())


def busy():
    """A loop that began after the debugger came is paused."""
    program = Program("busy.js", "--inspect=0")
    debugger = program.debugger()
    debugger.call("Debugger.enable")
    debugger.call("Runtime.evaluate", expression="begin()")
    debugger.call("Debugger.pause")
    paused = debugger.wait("Debugger.paused")
    print(places(paused)[0].split(":")[0], debugger.value(paused["callFrames"][0], "typeof timer"))
    debugger.call("Runtime.evaluate", expression="globalThis.isOver = true")
    debugger.call("Debugger.resume")
    print(program.end())


def thrown():
    program = Program("thrown.js")
    debugger = program.debugger()
    debugger.begin()
    debugger.call("Debugger.setPauseOnExceptions", state="uncaught")
    paused = debugger.go_on()
    print(paused["reason"], paused["data"]["description"], places(paused))
    debugger.call("Debugger.resume")
    print(program.end()[2])


def strangers():
    program = Program("values.js", "--inspect=0")
    script = f"import os, urllib.request; os.setuid(65534); urllib.request.urlopen('http://127.0.0.1:{program.port}/json')"
    other = subprocess.run([sys.executable, "-c", script], stderr=subprocess.PIPE, text=True)
    print("another user:", os.getuid() != 0 or other.returncode != 0)
    status, text = program.get("/json")
    page = json.loads(text)[0]
    print(status, page["type"], page["title"], page["url"].rsplit("/", 1)[-1],
          page["webSocketDebuggerUrl"].endswith(program.path))
    print(program.get("/json/version"))
    print(program.get("/json", Host="evil.example:9229"), program.get("/json", Host="localhost:1")[0])
    print(program.get("/json", Origin="https://evil.example")[0], program.get("/secret")[0])
    print(Debugger(program.port, "/" + "0" * 36).status)
    print(Debugger(program.port, program.path, Origin="http://evil.example").status)
    print(Debugger(program.port, program.path, **{"Sec-WebSocket-Version": "8"}).status)
    # What is no protocol at all, a frame that is against it, and one that never ends.
    for garbage in [b"\x16\x03\x01\x02\x00\x01\x00", b"GET / HTTP/1.1\nx", b"x" * 20000, b"\r\n\r\n"]:
        with socket.create_connection(("127.0.0.1", program.port), timeout=5) as stranger:
            stranger.sendall(garbage)
    debugger = program.debugger()
    debugger.socket.sendall(b"\x81\x05hello")
    print(debugger.frame())
    while True:
        debugger = program.debugger()
        if debugger.status == 101:
            break
    debugger.send(b"no json")
    print(debugger.message()["error"]["message"])
    debugger.send(b'{"id": 1, "method"', last=False)
    debugger.send(b"ping", kind=9)
    debugger.send(b': "Nope.none"}', kind=0)
    print(debugger.frame(), debugger.message()["error"]["message"])
    most = 2**63 - 1
    place = {"scriptId": "1", "lineNumber": most, "columnNumber": most}
    for method in ["setBreakpointByUrl", "continueToLocation", "getPossibleBreakpoints"]:
        debugger.call(f"Debugger.{method}", url="y", lineNumber=most, columnNumber=most, location=place, start=place)
    debugger.send(b"[" * 100000)
    print(debugger.message()["error"]["message"])
    print(debugger.call("Debugger.getScriptSource", scriptId="9999"))
    print(debugger.call("Debugger.setBreakpointByUrl", lineNumber=-1, url="x"))
    print(debugger.call("Debugger.setBreakpointByUrl", lineNumber=1, urlRegex="("))
    # One that asks for much, takes nothing and then speaks nonsense keeps no thread busy and nobody out.
    for _ in range(6):
        debugger.send(b'{"id":1,"method":"Runtime.evaluate","params":{"expression":"\'y\'.repeat(3000000)"}}')
    time.sleep(0.5)
    debugger.socket.sendall(b"\x81\x05hello")
    while True:
        debugger = program.debugger()
        if debugger.status == 101:
            break
        time.sleep(0.05)
    debugger.call("Runtime.evaluate", expression="done()")
    print(program.end())


globals()[sys.argv[1]]()
