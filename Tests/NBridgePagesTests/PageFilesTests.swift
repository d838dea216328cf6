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
    let program = try ServedProgram(["sub/a.txt": "a", ".hidden": "h", "sub/.git/config": "g"])
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
  }
}
