// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import NBridgeScript

/// The modules that a text names.
@Suite struct ImportScanTests {
  @Test(arguments: [
    ("import a from 'b'", true), ("import 'b'", true), ("import {a} from 'b'", true),
    ("import * as a from 'b'", true), ("import('b')", true), ("import.meta.url", true),
    ("export const a = 1", true), ("export default 1", true), ("export {a}", true),
    ("export * from 'b'", true), ("require('./a')", true), ("const a = require(\"a\")", true),
    ("x.import('b')", false), ("x.require('b')", false), ("'import a'", false),
    ("// import a from 'b'", false), ("/* export default */", false), ("`import('a')`", false),
    ("`${import('a')}`", true),
    ("require(name)", false), ("require", false), ("function require(a) {} require('b')", false),
    ("(function (require) { require('a') })", false), ("(require, module) => require('a')", false),
    ("var require = f; require('a')", false), ("export", false), ("x.export {", false),
    ("importa 'x'", false), ("import", false), ("", false), ("exports.a = 1", true),
    ("module.exports = 1", true), ("require.main === module", true), ("f(__filename)", true),
    ("const exports = {}; exports.a = 1", false), ("x.exports.a = 1", false), ("a.__dirname", false),
    ("export_a = 1; '__filename'", false),
  ])
  func whatUsesModules(_ text: String, _ uses: Bool) { #expect(ImportScan(text).usesModules == uses) }

  /// Packages find Node's globals; what they declare themselves stays theirs.
  @Test(arguments: [
    (
      "exports.a = process.env",
      "(function(process){return(function(){exports.a = process.env\n}).call(this)})"
        + ".call(this,require(\"node:process\"));"
    ),
    (
      "exports.a = () => import('b'); global.c",
      "(function(global){return(function(){exports.a = () => import('b'); global.c\n}).call(this)})"
        + ".call(this,globalThis);"
    ),
    (
      "exports.a = global.process",
      "(function(globalThis){var global=globalThis;return(function(){exports.a = global.process\n})"
        + ".call(this)})"
        + ".call(this,((m,e)=>new Proxy(globalThis,{get:(t,n)=>n in t?e.includes(n)?t[n].bind(t):t[n]"
        + ":n in m?m[n]():void 0,has:(t,n)=>n in t||n in m,set:(t,n,v)=>{t[n]=v;return true}}))"
        + "({__proto__:null,process:()=>require(\"node:process\")},"
        + "[\"addEventListener\",\"removeEventListener\",\"dispatchEvent\"]));"
    ), ("exports.a = x.process", "exports.a = x.process"), ("exports.a = 'Buffer'", "exports.a = 'Buffer'"),
    (
      "export default Buffer.from('')",
      "export default Buffer.from('')\nimport {Buffer as Buffer} from \"node:buffer\";\n"
    ),
    ("import process from 'p'; export default process", "import process from 'p'; export default process"),
    ("export {}; const { Buffer } = x; Buffer", "export {}; const { Buffer } = x; Buffer"),
    (
      "export default Buffer === 1",
      "export default Buffer === 1\nimport {Buffer as Buffer} from \"node:buffer\";\n"
    ), ("export {}; var a = 1, Buffer = 2", "export {}; var a = 1, Buffer = 2"),
    ("export const a = global", "var global=globalThis;export const a = global"),
    (
      "exports.a = setTimeout(f)",
      "(function(setTimeout){return(function(){exports.a = setTimeout(f)\n}).call(this)})"
        + ".call(this,require(\"node:timers\").setTimeout);"
    ),
    (
      "export default clearInterval",
      "export default clearInterval\nimport {clearInterval as clearInterval} from \"node:timers\";\n"
    ), ("exports.a = globalThis.setTimeout", "exports.a = globalThis.setTimeout"),
    (
      "import { setTimeout } from 't'; export default setTimeout",
      "import { setTimeout } from 't'; export default setTimeout"
    ),
  ])
  func globalsOfNode(_ text: String, _ expected: String) {
    #expect(String(decoding: ImportScan(text).withNodeGlobals(Array(text.utf8)), as: UTF8.self) == expected)
  }

  /// Code that esbuild 0.17 can't read is put otherwise, lines and columns as they were.
  @Test(arguments: [
    ("import a from 'b' with { type: 'json' };", "import a from 'b?as=json'              ;"),
    ("import a from \"b\" with {type:\"text\"}", "import a from \"b?as=text\"           "),
    ("import 'b' assert { type: 'json' }", "import 'b?as=json'                "),
    ("export {a} from 'b' with { 'type': 'bytes' }", "export {a} from 'b?as=bytes'                "),
    ("import('b', { with: { type: 'json' } })", "import('b?as=json'                    )"),
    ("import a from 'b'", "import a from 'b'"),
    ("import a from 'b' with { type: 'json'", "import a from 'b' with { type: 'json'"),
    ("import a from 'b\nwith { type: 'json' }", "import a from 'b\nwith { type: 'json' }"),
    ("import('b', c)", "import('b', c)"),
    (
      "import a from 'b'\nwith (x) {}",
      "import a from 'b'\nwith (x) {}"
    ), ("import a from 'b' with {}", "import a from 'b?as=?'   "),
  ])
  func preparedTexts(_ text: String, _ expected: String) {
    let prepared = String(decoding: ImportScan(text).prepared(text), as: UTF8.self)
    #expect(prepared == expected)
    #expect(prepared.utf8.count == text.utf8.count)
  }

  @Test(arguments: [
    "import a from 'b' with {\n  type: 'json'\n};\nc",
    "import(\n'b',\n{ with: { type: 'json' } }\n); d", "import a from 'b' with {\r\n type: 'json' }; e",
  ])
  func linesStay(_ text: String) {
    let prepared = ImportScan(text).prepared(text)
    #expect(
      prepared.count == text.utf8.count
        && prepared.count { $0 == 0x0A }
          == text.utf8.count { $0 == 0x0A }
    )
    #expect(
      prepared.last == text.utf8.last
        && String(decoding: prepared, as: UTF8.self).contains(
          "'b?as=json'")
    )
  }

  @Test(arguments: 0..<10)
  func anyTextKeepsItsLengthAndLines(_ seed: Int) {
    var random = SeededGenerator(seed: seed + 77)
    let parts =
      LexerTests.fragments + [
        "import", "with", "{ type: 'json' }", "'a'", "require",
        "import.meta", "import(", "type:", "assert",
      ]
    for _ in 0..<300 {
      let text = random.text(of: parts, count: 0...20)
      let prepared = ImportScan(text).prepared(text)
      #expect(
        prepared.count == text.utf8.count
          && prepared.count { $0 == 0x0A }
            == text.utf8.count { $0 == 0x0A },
        "\(text.debugDescription)")
    }
  }

  @Test(arguments: [
    ("fs", true), ("node:anything", true), ("fs/promises", true), ("fsx", false),
    ("", false), ("./fs", false), ("@scope/fs", false), ("worker_threads", true), ("FS", false),
  ])
  func namesOfNodesModules(_ name: String, _ isOne: Bool) { #expect(NodeModules.has(name) == isOne) }
}

/// esbuild's protocol, byte for byte.
@Suite struct EsbuildPacketTests {
  static let values: [EsbuildValue] = [
    .null, .bool(true), .bool(false), .int(0), .int(-1), .int(.max), .int(.min), .string(""),
    .string("é😀"), .bytes([]), .bytes([0, 255]), .array([]),
    .array([.null, .int(5), .array([.bool(true)])]),
    .object([:]), .object(["a": .int(1), "é": .object(["b": .array([.string("c")])])]),
  ]

  @Test(arguments: values)
  func valuesComeBack(_ value: EsbuildValue) {
    for id in [0, 1, 77, UInt32.max >> 1] {
      for isRequest in [true, false] {
        let packet = EsbuildPacket(id: id, isRequest: isRequest, value: value)
        let bytes = packet.encoded
        #expect(
          bytes.prefix(4).enumerated().reduce(0) { $0 | Int($1.element) << (8 * $1.offset) }
            == bytes.count - 4)
        #expect(EsbuildPacket(body: Array(bytes.dropFirst(4))) == packet)
      }
    }
  }

  @Test func aPacketsBytes() {
    let packet = EsbuildPacket(id: 3, isRequest: false, value: .object(["k": .string("v")]))
    #expect(
      packet.encoded == [
        20, 0, 0, 0, 7, 0, 0, 0, 6, 1, 0, 0, 0, 1, 0, 0, 0, 0x6B, 3, 1, 0, 0, 0, 0x76,
      ])
  }

  @Test(arguments: values.indices)
  func everyCutIsNone(_ index: Int) {
    let body = Array(EsbuildPacket(id: 1, isRequest: true, value: Self.values[index]).encoded.dropFirst(4))
    for length in 0..<body.count { #expect(EsbuildPacket(body: Array(body.prefix(length))) == nil) }
    #expect(EsbuildPacket(body: body + [0]) == nil)
  }

  @Test(
    arguments: [
      [0, 0, 0, 0, 7], [0, 0, 0, 0, 255], [0, 0, 0, 0, 5, 255, 255, 255, 255],
      [0, 0, 0, 0, 6, 255, 255, 255, 255], [0, 0, 0, 0, 3, 255, 255, 255, 255, 1], [0, 0, 0, 0, 1],
      [0, 0, 0],
    ] as [[UInt8]])
  func whatIsNoPacket(_ body: [UInt8]) { #expect(EsbuildPacket(body: body) == nil) }

  /// Lists in lists without end do not end the program.
  @Test(arguments: [(60, true), (64, false), (100_000, false)])
  func depthHasABound(_ depth: Int, _ isRead: Bool) {
    let level: [UInt8] = [5, 1, 0, 0, 0]
    let body = [UInt8](repeating: 0, count: 4) + Array(repeatElement(level, count: depth).joined()) + [0]
    #expect((EsbuildPacket(body: body) != nil) == isRead)
  }

  @Test func membersThatAreNotThereAreNull() {
    let value = EsbuildValue.object(["a": .int(1)])
    #expect(
      value["a"].int == 1 && value["b"] == .null && EsbuildValue.null["a"] == .null
        && value["a"].string == nil && value.array.isEmpty && value.bytes == nil)
  }

  @Test(arguments: 0..<10)
  func anyBytesAreReadOrNot(_ seed: Int) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let body =
        [0, 0, 0, 0]
        + (0..<random.number(0...30)).map { _ in
          random.pick([0, 0, 1, 2, 3, 4, 5, 6, 255]) as UInt8
        }
      if let packet = EsbuildPacket(body: body) {
        #expect(
          EsbuildPacket(body: Array(packet.encoded.dropFirst(4))) == packet)
      }
    }
  }
}
