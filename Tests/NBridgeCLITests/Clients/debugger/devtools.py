# SPDX-License-Identifier: MIT
"""A debugger's end of the DevTools protocol: starts a program and speaks with it, as far as tests need it."""
import base64, http.client, json, os, signal, socket, struct, subprocess, sys

PROGRAM = os.environ["NBRIDGE"]
TIME = 30  # seconds; a test that waits longer has failed


class Program:
    def __init__(self, file, *options):
        words = [PROGRAM, "run", *(options or ["--inspect-brk=0"]), file]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        self.port = int(line.split("127.0.0.1:")[1].split("/")[0])
        self.path = "/" + line.rsplit("/", 1)[1].strip()
        self.process.stderr.readline()

    def get(self, path, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIME)
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()

    def debugger(self, **more):
        return Debugger(self.port, self.path, **more)

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        return self.end()

    def end(self):
        """What it printed and its status."""
        try:
            output, errors = self.process.communicate(timeout=TIME)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return "it hangs"
        return output, errors, self.process.returncode


class Debugger:
    def __init__(self, port, path, **headers):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=TIME)
        self.bytes, self.last, self.events = b"", 0, []
        key = base64.b64encode(os.urandom(16)).decode()
        lines = {"Host": f"127.0.0.1:{port}", "Upgrade": "websocket", "Connection": "Upgrade",
                 "Sec-WebSocket-Key": key, "Sec-WebSocket-Version": "13", **headers}
        head = f"GET {path} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        self.socket.sendall((head + "\r\n").encode())
        while b"\r\n\r\n" not in self.bytes:
            self.more()
        head, self.bytes = self.bytes.split(b"\r\n\r\n", 1)
        self.status = int(head.split()[1])

    def more(self):
        piece = self.socket.recv(65536)
        if not piece:
            raise EOFError
        self.bytes += piece

    def take(self, count):
        while len(self.bytes) < count:
            self.more()
        taken, self.bytes = self.bytes[:count], self.bytes[count:]
        return taken

    def send(self, payload, kind=1, last=True):
        mask = os.urandom(4)
        size = len(payload)
        head = bytes([(0x80 if last else 0) | kind])
        if size < 126:
            head += bytes([0x80 | size])
        elif size < 65536:
            head += b"\xfe" + struct.pack(">H", size)
        else:
            head += b"\xff" + struct.pack(">Q", size)
        self.socket.sendall(head + mask + bytes(byte ^ mask[index & 3] for index, byte in enumerate(payload)))

    def frame(self):
        kind, size = self.take(2)
        if size == 126:
            size, = struct.unpack(">H", self.take(2))
        elif size == 127:
            size, = struct.unpack(">Q", self.take(8))
        return kind & 15, self.take(size)

    def message(self):
        while True:
            kind, payload = self.frame()
            if kind == 8:
                raise EOFError
            if kind == 1:
                return json.loads(payload)

    def call(self, method, **params):
        self.last += 1
        self.send(json.dumps({"id": self.last, "method": method, "params": params}).encode())
        while True:
            message = self.message()
            if message.get("id") == self.last:
                return message["result"] if "result" in message else message["error"]["message"]
            self.events.append(message)

    def wait(self, method):
        while True:
            for index, message in enumerate(self.events):
                if message.get("method") == method:
                    return self.events.pop(index)["params"]
            self.events.append(self.message())

    # What most tests do.

    def begin(self):
        self.call("Runtime.enable")
        self.call("Debugger.enable")
        self.call("Runtime.runIfWaitingForDebugger")
        return self.wait("Debugger.paused")

    def go_on(self, how="resume"):
        self.call(f"Debugger.{how}")
        return self.wait("Debugger.paused")

    def locals(self, frame):
        """The names that are a function's own, and their values."""
        found = {}
        for scope in frame["scopeChain"]:
            if scope["type"] == "local":
                answer = self.call("Runtime.getProperties", objectId=scope["object"]["objectId"], ownProperties=True)
                found.update((entry["name"], shown({"result": entry["value"]})) for entry in answer["result"])
        return sorted(found.items(), key=lambda item: item[0])

    def value(self, frame, expression):
        """Of an expression in a function that is paused."""
        answer = self.call("Debugger.evaluateOnCallFrame", callFrameId=frame["callFrameId"], expression=expression,
                           returnByValue=True)
        return shown(answer)


def shown(answer):
    if isinstance(answer, str):
        return answer
    if "exceptionDetails" in answer:
        return answer["exceptionDetails"].get("exception", answer["exceptionDetails"]).get("description")
    result = answer["result"]
    return result.get("value", result.get("unserializableValue", result.get("description")))


def places(paused):
    """The functions on the stack: name, file and line, from 1."""
    return [f"{frame['functionName'] or '-'} {frame['url'].rsplit('/', 1)[-1]}:{frame['location']['lineNumber'] + 1}"
            for frame in paused["callFrames"]]
