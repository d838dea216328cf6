// SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import Testing

/// What of a folder is served.
@Suite struct PageFilesTests {
  @Test func aPageGetsTheBridgeBeforeItsOwnScripts() throws {
    let page = "\u{FEFF}<!-- x > -->\n<!DOCTYPE html>\n<html lang=en><script src=a.js></script>"
    let program = try ServedProgram(["index.html": page, "b.html": "<p>no type</p>", "a.js": "1"])
    defer { program.end() }
    let cookie = try program.enter()
    let served = try program.get("/index.html", cookie)
    let bridged =
      "\u{FEFF}<!-- x > -->\n<!DOCTYPE html><script src=\"/.nbridge/bridge.js\"></script>\n"
      + "<html lang=en><script src=a.js></script>"
    #expect(served.body == bridged)
    #expect(served.header("Content-Security-Policy")?.contains("default-src 'self'") == true)
    let other = try program.get("/b.html", cookie)
    #expect(other.body == "<script src=\"/.nbridge/bridge.js\"></script><p>no type</p>")
    let script = try program.get("/a.js", cookie)
    #expect(script.body == "1" && script.header("Content-Type")?.hasPrefix("text/javascript") == true)
  }

  @Test func nothingOutsideOfTheFolderIsServed() throws {
    let program = try ServedProgram([
      "sub/a.txt": "a", "empty.txt": "", ".hidden": "h", "sub/.git/config": "g",
    ])
    defer { program.end() }
    let secret = program.folder + ".secret"
    try "secret".write(toFile: secret, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: secret) }
    let name = secret.split(separator: "/").last ?? ""
    #expect(symlink(secret, program.folder + "/link.txt") == 0)
    #expect(symlink("/etc", program.folder + "/etc") == 0)
    #expect(mkfifo(program.folder + "/pipe", 0o600) == 0)
    let cookie = try program.enter()
    for path in [
      "/../\(name)", "/%2e%2e/\(name)", "/..%2f\(name)", "/sub/../../\(name)", "//etc/passwd",
      "/etc/passwd", "/link.txt",
      "/.hidden", "/sub/.git/config", "/sub", "/pipe", "/sub/a.txt%00.html", "/%ff", "/nothing",
    ] {
      let answer = try program.get(path, cookie)
      #expect([400, 404].contains(answer.status) && !answer.body.contains("secret\n"), "\(path): \(answer)")
    }
    let found = try program.get("/sub/a.txt", cookie)
    #expect(found.body == "a")
    let empty = try program.get("/empty.txt", cookie, ["Range": "bytes=0-"])
    #expect(empty.status == 416 && empty.body == "")
    #expect(try program.get("/empty.txt", cookie).header("Content-Length") == "0")
  }

  /// As a film is looked at: by parts, of which this machine's browsers get no copy.
  @Test(arguments: [nil, []] as [[String]?])
  func aPartOfALargeFileIsThatPart(_ hosts: [String]?) throws {
    let text = String(repeating: "0123456789", count: 200_000)
    let program = try ServedProgram(["large.txt": text], hosts: hosts)
    defer { program.end() }
    let cookie = try program.enter()
    let part = try program.get("/large.txt", cookie, ["Range": "bytes=1000003-1000012"])
    #expect(part.status == 206 && part.body == "3456789012", "\(part)")
    #expect(part.header("Content-Range") == "bytes 1000003-1000012/2000000")
    let whole = try program.get("/large.txt", cookie)
    #expect(whole.status == 200 && whole.body == text && whole.header("Content-Length") == "2000000")
    #expect(whole.header("Content-Type") == "text/plain; charset=utf-8")
    let many = try program.get("/large.txt", cookie, ["Range": "bytes=0-,1-,2-"])
    #expect(many.status == 200 && many.body == text)
    let marked = try program.get("/large.txt", cookie, ["Range": "bytes=0-1", "If-Range": "\"x\""])
    #expect(marked.status == 200)
    let behind = try program.get("/large.txt", cookie, ["Range": "bytes=2000000-"])
    #expect(behind.status == 416, "\(behind.head)")
  }

  /// More than 32 bits count, of which nothing but the part is read: it would not fit into memory.
  @Test func aPartNearTheEndOfAHugeFileIsThatPart() throws {
    let program = try ServedProgram()
    defer { program.end() }
    let path = program.folder + "/huge.bin", size = 40 << 30
    #expect(FileManager.default.createFile(atPath: path, contents: nil) && truncate(path, size) == 0)
    let file = open(path, O_WRONLY)
    #expect(pwrite(file, "end", 3, size - 3) == 3 && close(file) == 0)
    let part = try program.get("/huge.bin", try program.enter(), ["Range": "bytes=-3"])
    #expect(part.status == 206 && part.body == "end", "\(part)")
    #expect(part.header("Content-Range") == "bytes \(size - 3)-\(size - 1)/\(size)")
  }

  /// Whole, and by parts, of which this process reads nothing.
  @Test(arguments: ["", "Range: bytes=0-\r\n", "Range: bytes=0-99,5-\r\n", "Range: bytes=-60000000\r\n"])
  func aLargeFileThatIsCutWhileItIsSentEndsItsConnectionOnly(_ range: String) throws {
    let program = try ServedProgram(["small.txt": "small"])
    defer { program.end() }
    let cookie = try program.enter()
    let path = program.folder + "/large.bin"
    #expect(FileManager.default.createFile(atPath: path, contents: nil) && truncate(path, 64 << 20) == 0)
    let wire = try Wire(program.port)
    let request = "GET /large.bin HTTP/1.1\r\nHost: 127.0.0.1:\(program.port)\r\nCookie: \(cookie)\r\n"
    try wire.send(Array((request + range + "\r\n").utf8))
    #expect(try wire.receiveHead().contains("Content-Length: 6"))
    #expect(truncate(path, 4096) == 0)
    var count = 0
    while let more = try? wire.receive(), !more.isEmpty { count += more.count }
    #expect(count < 64 << 20)
    #expect(try program.get("/small.txt", cookie).body == "small")
  }
}
