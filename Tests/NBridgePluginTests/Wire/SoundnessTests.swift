// SPDX-License-Identifier: MIT

import Testing

@testable import NBridgePlugin

/// A text from another process is a value that the bridge could have written, or is not taken.
@Suite struct SoundnessTests {
  @Test(arguments: [
    "1", "null", #""$nb""#, #"["$nb"]"#, #"{"a":"$nb"}"#, #"{"$nb":["u"]}"#, #"{"$nb":["n","NaN"]}"#,
    #"{"$nb":["n","-0"]}"#,
    #"{"$nb":["n","Infinity"]}"#, #"{"$nb":["n","-Infinity"]}"#, #"{"$nb":["i","0"]}"#,
    #"{"$nb":["i","-12345678901234567890"]}"#,
    #"{"$nb":["d",0]}"#, #"{"$nb":["d",-1.5]}"#, #"{"$nb":["d",null]}"#, #"{"$nb":["m",[]]}"#,
    #"{"$nb":["m",[[1,2],["a",{"$nb":["u"]}]]]}"#,
    #"{"$nb":["s",[]]}"#, #"{"$nb":["s",[1,{"$nb":["d",0]}]]}"#, #"{"$nb":["o",{"$nb":1}]}"#,
    #"{"$nb":["o",{"a":1,"$nb":["u"]}]}"#,
    #"{"$nb":["o",{"$nb":{"$nb":["d",0]}}]}"#, #"{"$nb":["b",0,"Uint8Array"]}"#,
    #"{"$nb":["b",0,"Float64Array"]}"#, #"{"$nb":["b",1]}"#,
    #"{"$nb":["b",1,"DataView"]}"#, #"{"a":[{"b":{"$nb":["b",0,"BigInt64Array"]}}]}"#, #"{"\u0024":1}"#,
    #""\u0024nb""#,
  ])
  func whatTheBridgeWritesIsSound(_ text: String) {
    #expect(wire(text, [Bytes([UInt8](repeating: 0, count: 8)), Bytes([1, 2, 3])]).isSound)
  }

  @Test(arguments: [
    "", "{", "[1,]", #"{"$nb":1}"#, #"{"$nb":[]}"#, #"{"$nb":["x"]}"#, #"{"$nb":["uu"]}"#, #"{"$nb":[1]}"#,
    #"{"$nb":"u"}"#, #"{"a":1,"$nb":["u"]}"#,
    #"{"$nb":["n","1"]}"#, #"{"$nb":["n",1]}"#, #"{"$nb":["n"]}"#, #"{"$nb":["i",""]}"#,
    #"{"$nb":["i","-"]}"#, #"{"$nb":["i","1.5"]}"#,
    #"{"$nb":["i","0x10"]}"#, #"{"$nb":["i","1 "]}"#, #"{"$nb":["i"]}"#, #"{"$nb":["d","now"]}"#,
    #"{"$nb":["d",{}]}"#, #"{"$nb":["d"]}"#,
    #"{"$nb":["m",{}]}"#, #"{"$nb":["m",[1]]}"#, #"{"$nb":["m",[[1]]]}"#, #"{"$nb":["m",[[1,2,3]]]}"#,
    #"{"$nb":["m",[[]]]}"#, #"{"$nb":["m"]}"#,
    #"{"$nb":["s",{}]}"#, #"{"$nb":["s"]}"#, #"{"$nb":["o",[]]}"#, #"{"$nb":["o"]}"#,
    #"{"$nb":["b",2,"Uint8Array"]}"#, #"{"$nb":["b",-1]}"#,
    #"{"$nb":["b","0"]}"#, #"{"$nb":["b"]}"#, #"{"$nb":["b",0.0]}"#, #"{"$nb":["b",1,"Int16Array"]}"#,
    #"{"$nb":["b",0,"Array"]}"#, #"{"$nb":["b",0,7]}"#,
    #"{"\u0024nb":["u"]}"#, #"{"a":{"$n\u0062":1}}"#, #"{"$nb":["\u0075"]}"#, #"[[{"x":{"$nb":["z"]}}]]"#,
    #"{"$nb":["o",{"x":{"$nb":2}}]}"#,
  ])
  func whatItCannotWriteIsNot(_ text: String) {
    #expect(!wire(text, [Bytes([UInt8](repeating: 0, count: 8)), Bytes([1, 2, 3])]).isSound)
  }

  @Test func aBigIntIsOfBoundedLength() {
    let digits = String(repeating: "9", count: 4096)
    #expect(wire(#"{"$nb":["i","\#(digits)"]}"#).isSound)
    #expect(!wire(#"{"$nb":["i","\#(digits)1"]}"#).isSound)
  }

  @Test func everyViewHasItsElementsSize() {
    let sizes = [
      "ArrayBuffer": 1, "Uint8Array": 1, "Int8Array": 1, "Uint8ClampedArray": 1, "DataView": 1,
      "Int16Array": 2, "Uint16Array": 2,
      "Int32Array": 4, "Uint32Array": 4, "Float32Array": 4, "Float64Array": 8, "BigInt64Array": 8,
      "BigUint64Array": 8,
    ]
    for (view, size) in sizes {
      for count in 0..<20 {
        let value = wire(#"{"$nb":["b",0,"\#(view)"]}"#, [Bytes([UInt8](repeating: 1, count: count))])
        #expect(value.isSound == (count % size == 0), "\(view) of \(count) bytes")
      }
    }
  }
}

/// The places in a text where a tagged value may stand, by its dollar.
@Suite struct TagTests {
  @Test(arguments: [
    ("", false), ("$", false), ("$n", false), ("$nb", true), ("$$nb", true), ("$n$nb", true), ("nb$", false),
    ("$nB", false), ("$ nb", false),
    ("x$nbx", true), ("$n\\u0062", false), ("$$$$", false), ("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa$nb", true),
    ("$na$nc$nb", true),
  ])
  func theKeyIsFound(_ text: String, _ expected: Bool) {
    #expect(Array(text.utf8).withUnsafeBufferPointer { WireTag.mayStand(in: $0) } == expected)
  }

  @Test func aTagIsReadWithItsPayload() throws {
    for (text, tag, payload) in [
      (#"{"$nb":["u"]}"#, WireTag.undefined, 4), (#"{"$nb":["d",5]}"#, .date, 4),
      (#"{"$nb":["m",[[1,2]]]}"#, .map, 4),
      (#"{ "$nb" : [ "o" , {"$nb":1} ] }"#, .object, 4),
    ] {
      try Array(text.utf8).withUnsafeBufferPointer { text in
        let source = try WireSource(text)
        let found = source.tag(at: 0)
        #expect(found?.tag == tag)
        #expect(found?.payload == payload)
      }
    }
  }

  @Test(arguments: [
    #"{}"#, #"{"a":["u"]}"#, #"{"$nb":{}}"#, #"{"$nb":[]}"#, #"{"$nb":["q"]}"#, #"{"$nb":["uu"]}"#,
    #"["$nb",["u"]]"#, #"{"a":1,"$nb":["u"]}"#, #""$nb""#,
    #"{"$nbx":["u"]}"#, #"{"$nb":[117]}"#,
  ])
  func whatIsNoneIsPlain(_ text: String) throws {
    try Array(text.utf8).withUnsafeBufferPointer { text in
      let source = try WireSource(text)
      #expect(source.tag(at: 0) == nil)
    }
  }

  @Test func pathsLeadToEachNode() throws {
    let text = #"{"a":[1,{"b c":[]}],"d":{"e":null}}"#
    try Array(text.utf8).withUnsafeBufferPointer { text in
      let source = try WireSource(text)
      let paths = (0..<source.tape.count).map { source.path(to: $0) }
      #expect(paths[0] == "")
      #expect(paths[2] == ".a")
      #expect(paths[3] == ".a[0]")
      #expect(paths[4] == ".a[1]")
      #expect(paths[6] == ".a[1].b c")
      #expect(paths.last == "")
      #expect(paths.contains(".d.e"))
    }
  }

  @Test func partsHaveTheirText() throws {
    let text = #"{"a": [1, "x\n"] ,"b":{ }}"#
    try Array(text.utf8).withUnsafeBufferPointer { text in
      let source = try WireSource(text)
      let parts = (0..<source.tape.count).map { String(decoding: source.text(of: $0), as: UTF8.self) }
      #expect(parts[1] == #""a""#)
      #expect(parts[2] == #"[1, "x\n"]"#)
      #expect(parts[3] == "1")
      #expect(parts[4] == #""x\n""#)
      #expect(parts[7] == "{ }")
      #expect(parts[0] == #"{"a": [1, "x\n"] ,"b":{ }}"#)
    }
  }
}
