# SPDX-License-Identifier: MIT
# The protocol of peers, written a second time from its description: for tests that speak it as an enemy would. Keys by
# OpenSSL through ctypes. `Keys` are somebody's, a `Link` is a connected socket, `listen` is a socket that others connect to.
import ctypes, fcntl, hashlib, hmac, json, os, socket, struct, sys, threading, time

crypto = ctypes.CDLL("libcrypto.so.3")
for name in ("EVP_PKEY_new_raw_private_key", "EVP_PKEY_new_raw_public_key", "EVP_MD_CTX_new", "EVP_PKEY_CTX_new"):
    getattr(crypto, name).restype = ctypes.c_void_p
ED25519, X25519 = 1087, 1034
HELLO, INVITE, ANSWER, JOINED, GOSSIP, DIGEST, BEAT, DATA, ACK, BYE, PROOF, ADMITTED = range(1, 13)
INVITATION, OVERLAY, DIRECT = range(3)
CONNECTOR, LISTENER = 1, 2
RELIABLE, LAST, RELAYED = 1, 2, 4
MOST = 2**64 - 1


def label(what):
    return b"nBridge peers 2: " + what.encode() + b"\0"


def blob(data):
    return struct.pack("<I", len(data)) + data


def text(data):
    return struct.pack("<H", len(data)) + data


def public_key(key):
    out, size = ctypes.create_string_buffer(32), ctypes.c_size_t(32)
    assert crypto.EVP_PKEY_get_raw_public_key(ctypes.c_void_p(key), out, ctypes.byref(size)) == 1
    return out.raw


class Keys:
    def __init__(self):
        new = crypto.EVP_PKEY_new_raw_private_key
        self._sign = new(ED25519, None, os.urandom(32), ctypes.c_size_t(32))
        self._agree = new(X25519, None, os.urandom(32), ctypes.c_size_t(32))
        self.key, self.agreement = public_key(self._sign), public_key(self._agree)
        self.id = wire_id(self.key)
        self.name = hashlib.sha256(self.key).digest()[:16].hex()

    def sign(self, message):
        context = ctypes.c_void_p(crypto.EVP_MD_CTX_new())
        out, size = ctypes.create_string_buffer(64), ctypes.c_size_t(64)
        assert crypto.EVP_DigestSignInit(context, None, None, None, ctypes.c_void_p(self._sign)) == 1
        assert crypto.EVP_DigestSign(context, out, ctypes.byref(size), message, ctypes.c_size_t(len(message))) == 1
        return out.raw

    def secret(self, other):
        key = ctypes.c_void_p(crypto.EVP_PKEY_new_raw_public_key(X25519, None, other, ctypes.c_size_t(32)))
        context = ctypes.c_void_p(crypto.EVP_PKEY_CTX_new(ctypes.c_void_p(self._agree), None))
        out, size = ctypes.create_string_buffer(32), ctypes.c_size_t(32)
        assert crypto.EVP_PKEY_derive_init(context) == 1 and crypto.EVP_PKEY_derive_set_peer(context, key) == 1
        assert crypto.EVP_PKEY_derive(context, out, ctypes.byref(size)) == 1
        return out.raw

    def pair_key(self, record):
        """What this one and the owner of a record have in common."""
        sides = sorted([(self.name, self.id, self.agreement), (record["name_of_id"], record["id"], record["agreement"])])
        return hashlib.sha256(label("key of two members") + self.secret(record["agreement"]) + b"".join(i + k for _, i, k in sides)).digest()


def is_signed(message, key, signature):
    key = ctypes.c_void_p(crypto.EVP_PKEY_new_raw_public_key(ED25519, None, key, ctypes.c_size_t(32)))
    context = ctypes.c_void_p(crypto.EVP_MD_CTX_new())
    return (crypto.EVP_DigestVerifyInit(context, None, None, None, key) == 1
            and crypto.EVP_DigestVerify(context, signature, ctypes.c_size_t(64), message, ctypes.c_size_t(len(message))) == 1)


def wire_id(key):
    digest = hashlib.sha256(key).digest()
    return digest[7::-1] + digest[15:7:-1]


def id_text(wire):
    return (wire[7::-1] + wire[15:7:-1]).hex()


def hello(key, purpose=INVITATION, name=b"Mallory", service=b"test", challenge=None, version=2):
    return (bytes([HELLO]) + struct.pack("<I", 0x7250426E) + bytes([version, version]) + key
            + (challenge or os.urandom(32)) + text(name) + text(service) + bytes([purpose]))


def own_binding(process=None):
    return struct.pack("<Qi", os.stat("/proc/self/ns/pid").st_ino, process or os.getpid())


def transcript(role, connector, listener, binding):
    return label("proof of a link") + bytes([role]) + blob(connector) + blob(listener) + blob(binding)


def proof(keys, role, connector, listener, token=None, binding=None):
    binding = own_binding() if binding is None else binding
    signed = transcript(role, connector, listener, binding)
    code = hmac.new(token, label("proof of membership") + blob(signed), hashlib.sha256).digest()[:16] if token else bytes(16)
    return bytes([PROOF]) + keys.sign(signed) + code + blob(binding)


def invite(nonce, milliseconds=20000):
    return bytes([INVITE]) + struct.pack("<QI", nonce, milliseconds) + blob(b"")


def record(keys, version, links=(), token=None, name=b"Mallory", id=None, key=None, left=False, signer=None):
    body = ((id or keys.id) + struct.pack("<Q", version) + (key or keys.key) + keys.agreement + (token or bytes(32))
            + bytes([left]) + text(name) + text((id_text(id or keys.id)).encode()) + struct.pack("<I", len(links)) + b"".join(links))
    return body + (signer or keys).sign(label("member's record") + body)


def gossip(*records):
    return bytes([GOSSIP]) + b"".join(blob(r) for r in records)


def read_record(data):
    body, signature = data[:-64], data[-64:]
    r = {"id": body[:16], "version": struct.unpack("<Q", body[16:24])[0], "key": body[24:56], "agreement": body[56:88],
         "token": body[88:120], "signed": data, "name_of_id": id_text(body[:16])}
    assert wire_id(r["key"]) == r["id"] and is_signed(label("member's record") + body, r["key"], signature)
    length = struct.unpack("<H", body[121:123])[0]
    r["name"] = body[123:123 + length].decode()
    return r


def beat():
    return bytes([BEAT]) + struct.pack("<QI", 1, 1)


def digest(wants=True, entries=()):
    return bytes([DIGEST, wants]) + struct.pack("<I", len(entries)) + b"".join(i + struct.pack("<Q", v) for i, v in entries)


def string(data):
    return b"\x03" + data.encode()


def data(payload, number=0, epoch=1, flags=RELIABLE | LAST, channel=0):
    return bytes([DATA, flags]) + struct.pack("<IQQ", channel, number, epoch) + payload


def data_code(key, sender, target, payload, number, epoch, flags, channel):
    coded = (label("data") + bytes([flags | RELAYED]) + struct.pack("<I", channel) + sender + target
             + struct.pack("<QQ", number, epoch) + hashlib.sha256(payload).digest())
    return hmac.new(key, coded, hashlib.sha256).digest()[:16]


def carried(sender, target, payload, number=0, epoch=1, flags=RELIABLE | LAST, channel=0, code=bytes(16)):
    return (bytes([DATA, flags | RELAYED]) + struct.pack("<I", channel) + sender + bytes([32]) + struct.pack("<H", 1) + target
            + struct.pack("<QQ", number, epoch) + code + payload)


def ack(channel=0, epoch=1, instance=1, next=0, credit=MOST, refuses=False, ranges=(), carried_as=None):
    head = bytes([0]) if carried_as is None else bytes([1]) + carried_as[0] + carried_as[1] + bytes([32]) + bytes(16)
    return (bytes([ACK]) + head + struct.pack("<IQQQQ", channel, epoch, instance, next, credit)
            + bytes([refuses, len(ranges)]) + b"".join(struct.pack("<QQ", a, b) for a, b in ranges))


class Link:
    """A connected socket. What comes is kept in `came`, as frames."""

    def __init__(self, sock):
        self.socket, self.came, self.is_over, self.lock = sock, [], False, threading.Lock()
        self.buffer, self.records = b"", {}
        sock.settimeout(0.05)

    @staticmethod
    def to(folder, name):
        s = socket.socket(socket.AF_UNIX)
        s.settimeout(20)
        s.connect(os.path.join(folder, name))
        return Link(s)

    def send(self, *frames):
        with self.lock:
            try:
                self.socket.settimeout(20)
                self.socket.sendall(b"".join(blob(f) for f in frames))
            except OSError:
                self.is_over = True
        return self

    def pump(self):
        """Takes what came, for a moment."""
        try:
            self.socket.settimeout(0.05)
            part = self.socket.recv(1 << 20)
            if not part:
                self.is_over = True
            self.buffer += part
        except socket.timeout:
            pass
        except OSError:
            self.is_over = True
        while len(self.buffer) >= 4 and len(self.buffer) - 4 >= struct.unpack("<I", self.buffer[:4])[0]:
            length = struct.unpack("<I", self.buffer[:4])[0]
            frame, self.buffer = self.buffer[4:4 + length], self.buffer[4 + length:]
            self.came.append(frame)
            if frame[0] == GOSSIP:
                at = 1
                while at < len(frame):
                    size = struct.unpack("<I", frame[at:at + 4])[0]
                    r = read_record(frame[at + 4:at + 4 + size])
                    self.records[r["name"]] = r
                    at += 4 + size

    def wait(self, holds, seconds=20):
        """Until `holds(link)`, or the link's end: what it answered last."""
        end = time.monotonic() + seconds
        while True:
            found = holds(self)
            if found or time.monotonic() > end:
                return found
            if self.is_over:
                return holds(self)
            self.pump()

    def frame(self, kind, seconds=20):
        return self.wait(lambda link: next((f for f in link.came if f[0] == kind), None), seconds)

    def kinds(self):
        return [f[0] for f in self.came]

    def ends(self, seconds=20):
        """Whether the other side closes it."""
        return bool(self.wait(lambda link: link.is_over, seconds))

    def greet(self, keys, purpose=INVITATION, token=None, name=b"Mallory", wanted=None):
        """The handshake, as who connects; answers whether the other side proved itself."""
        own = hello(keys.key, purpose, name)
        self.send(own)
        theirs, shown = self.frame(HELLO), self.frame(PROOF)
        if not theirs or not shown:
            return False
        binding = shown[85:]
        assert is_signed(transcript(LISTENER, own, theirs, binding), theirs[7:39], shown[1:65]), "the listener proves itself"
        self.remote = wire_id(theirs[7:39])
        self.send(proof(keys, CONNECTOR, own, theirs, token))
        return True

    def join(self, keys, name=b"Mallory", nonce=None, links=()):
        """Is invited in, as anybody can be who is accepted; then keeps the link alive."""
        nonce = nonce or int.from_bytes(os.urandom(7), "little")
        assert self.greet(keys, name=name)
        self.send(invite(nonce))
        answer = self.frame(ANSWER)
        if not answer or answer[9] != 0:
            return False
        self.send(bytes([JOINED]) + struct.pack("<Q", nonce), beat(), gossip(record(keys, 1, [self.remote], name=name)), digest())
        self.stays = True
        def keep():
            while self.stays and not self.is_over:
                self.send(beat())
                time.sleep(0.3)
        threading.Thread(target=keep, daemon=True).start()
        return True

    def close(self):
        self.stays = False
        self.socket.close()


def peers(folder):
    """The ids of the sockets in a folder of one type of service, by what they are announced as."""
    found = {}
    for name in os.listdir(folder):
        if name.endswith(".peer"):
            try:
                with open(os.path.join(folder, name)) as file:
                    ad = json.load(file)
                found[ad["name"]] = ad
            except (OSError, ValueError):
                pass
    return found


def announcement(keys, name="Mallory", service="test", info=None, address=None, signer=None, key=None, id=None):
    info = info or {}
    id = id or keys.name
    ad = {"id": id, "name": name, "info": info, "address": address or id, "key": (key or keys.key).hex()}
    signed = label("advertisement") + b"".join(blob(t.encode()) for t in (service, ad["id"], name, ad["address"]))
    signed += b"".join(blob(k.encode()) + blob(v.encode()) for k, v in sorted(info.items()))
    ad["signature"] = (signer or keys).sign(signed).hex()
    return ad


def announce(folder, ad, name=None):
    """Puts an announcement and holds it, as whoever lives does; answers the open file."""
    path = os.path.join(folder, (name or ad["id"]) + ".peer")
    file = open(path + ".tmp", "w")
    fcntl.flock(file, fcntl.LOCK_EX)
    file.write(json.dumps(ad))
    file.flush()
    os.rename(path + ".tmp", path)
    return file


def said(condition, what):
    print("ok" if condition else "NOT", what, flush=True)
