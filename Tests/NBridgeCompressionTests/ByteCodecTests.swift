// SPDX-License-Identifier: MIT

import Foundation
import NBridgeSystem
import Testing

@testable import NBridgeCompression

/// Streams of compressed bytes: whole, in pieces, damaged, too short and too long, and read by others.
@Suite struct ByteCodecTests {
  /// What a codec makes of bytes that come in pieces of a size.
  static func all(_ codec: ByteCodec, _ bytes: [UInt8], piece: Int = .max) throws(CompressionFault)
    -> [UInt8]
  {
    var made: [UInt8] = []
    var at = 0
    while at < bytes.count {
      let end = min(bytes.count, at + min(piece, bytes.count))
      bytes[at..<end].withUnsafeBytes { codec.feed($0) }
      at = end
      while let next = try codec.next() { made += next }
    }
    codec.end()
    while let next = try codec.next() { made += next }
    return made
  }

  static func compressed(_ bytes: [UInt8], _ format: CompressionFormat, piece: Int = .max) throws -> [UInt8] {
    try all(ByteCodec(compressing: format), bytes, piece: piece)
  }

  static func restored(_ bytes: [UInt8], _ format: CompressionFormat, piece: Int = .max) throws -> [UInt8] {
    try all(ByteCodec(decompressing: format), bytes, piece: piece)
  }

  /// Text, bytes of chance, and much of the same.
  static let samples: [[UInt8]] = {
    var dice = SystemRandomNumberGenerator()
    return [
      [], [0], Array("The same again. ".utf8), Array(String(repeating: "and again, ", count: 50_000).utf8),
      (0..<200_000).map { _ in UInt8.random(in: 0...255, using: &dice) },
      [UInt8](repeating: 7, count: 3_000_000),
    ]
  }()

  @Test(arguments: CompressionFormat.allCases)
  func whatIsCompressedComesBack(_ format: CompressionFormat) throws {
    for sample in Self.samples {
      for piece in sample.count < 1000 ? [1, .max] : [1000, 65_536, .max] {
        let small = try Self.compressed(sample, format, piece: piece)
        #expect(!small.isEmpty)
        let back = try Self.restored(small, format, piece: max(1, piece / 7))
        #expect(back == sample, "\(format), \(sample.count) bytes in pieces of \(piece)")
      }
    }
  }

  /// As `cat one.gz two.gz` joins them: where they may be, and where what is behind the end is wrong.
  @Test(arguments: [CompressionFormat.gzip, .zstd])
  func membersBehindOneAnotherAreReadWhereTheyMayBe(_ format: CompressionFormat) throws {
    let one = try Self.compressed(Array("one and ".utf8), format)
    let two = try Self.compressed(Array("two".utf8), format)
    for piece in [1, 7, .max] {
      func read(_ bytes: [UInt8], members: Bool = true) throws -> [UInt8] {
        try Self.all(ByteCodec(decompressing: format, members: members), bytes, piece: piece)
      }
      #expect(try read(one + two + two) == Array("one and twotwo".utf8), "\(piece)")
      #expect(throws: CompressionFault.truncated) { try read(one + two.dropLast(2)) }
      #expect(throws: CompressionFault.trailing) { try read(one + [0]) }
      #expect(throws: CompressionFault.trailing) { try read(one + two, members: false) }
    }
  }

  /// Half a million last blocks of nothing: each begins the decoder anew, at no cost that grows.
  @Test func blocksBehindTheLastOneAreReadWhereTheyMayBe() throws {
    let hello: [UInt8] = [0xf3, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00]
    let nothing = Array(repeating: [0x03, 0x00] as [UInt8], count: 500_000).flatMap { $0 }
    func read(_ bytes: [UInt8], members: Bool) throws -> [UInt8] {
      try Self.all(ByteCodec(decompressing: .deflateRaw, members: members), bytes)
    }
    #expect(try read(hello + nothing + hello, members: true) == Array("HelloHello".utf8))
    #expect(throws: CompressionFault.trailing) { try read(hello + nothing, members: false) }
    #expect(throws: CompressionFault.truncated) { try read(hello + hello.dropLast(), members: true) }
  }

  /// Each second piece is read where it stays, the others are copied; one waits while another comes.
  @Test(arguments: CompressionFormat.allCases)
  func bytesThatStayAreReadWhereTheyAre(_ format: CompressionFormat) throws {
    let sample = Self.samples[4]
    let codec = try ByteCodec(compressing: format)
    var small: [UInt8] = []
    for (number, at) in stride(from: 0, to: sample.count, by: 20_000).enumerated() {
      try sample[at..<at + 20_000].withUnsafeBytes { bytes in
        if number % 2 == 0 { codec.feed(staying: bytes) } else { codec.feed(bytes) }
        while let next = try codec.next() { small += next }
      }
    }
    codec.end()
    while let next = try codec.next() { small += next }
    #expect(try Self.restored(small, format) == sample)
    let back = try ByteCodec(decompressing: format)
    try small.withUnsafeBytes { bytes in
      back.feed(UnsafeRawBufferPointer(rebasing: bytes[..<100]))
      back.feed(staying: UnsafeRawBufferPointer(rebasing: bytes[100..<70_000]))
      back.feed(staying: UnsafeRawBufferPointer(rebasing: bytes[70_000..<80_000]))
      back.feed(UnsafeRawBufferPointer(rebasing: bytes[80_000...]))
      var made: [UInt8] = []
      while let next = try back.next() { made += next }
      #expect(made == sample)
    }
  }

  @Test(arguments: CompressionFormat.allCases)
  func whatEndsTooEarlyIsTold(_ format: CompressionFormat) throws {
    let small = try Self.compressed(Self.samples[3], format)
    for count in Set([0, 1, small.count / 2, small.count - 1]) {
      #expect(throws: CompressionFault.truncated, "\(format), \(count) of \(small.count)") {
        try Self.restored(Array(small.prefix(count)), format)
      }
    }
  }

  @Test(arguments: CompressionFormat.allCases)
  func whatStandsBehindTheEndIsTold(_ format: CompressionFormat) throws {
    let small = try Self.compressed(Self.samples[2], format)
    #expect(throws: CompressionFault.trailing) { try Self.restored(small + [0], format) }
    // Also where it comes with a chunk of its own, and where it would be a stream.
    let twice = small + small
    #expect(throws: CompressionFault.trailing) { try Self.restored(twice, format, piece: small.count) }
  }

  @Test(arguments: CompressionFormat.allCases)
  func whatIsOfAnotherFormatIsTold(_ format: CompressionFormat) throws {
    let bytes = Array("This is neither of the formats, and long enough to say so.".utf8)
    #expect(throws: CompressionFault.self, "\(format)") { try Self.restored(bytes, format) }
  }

  @Test(arguments: CompressionFormat.allCases)
  func aFaultIsToldAtEachLaterCall(_ format: CompressionFormat) throws {
    let codec = try ByteCodec(decompressing: format)
    [UInt8](repeating: 0xFF, count: 100).withUnsafeBytes { codec.feed($0) }
    codec.end()
    let first = #expect(throws: CompressionFault.self) { while try codec.next() != nil {} }
    let second = #expect(throws: CompressionFault.self) { try codec.next() }
    #expect(first != nil && first == second)
  }

  /// gzip and zlib's have sums; a bit that changes is found.
  @Test(arguments: [CompressionFormat.gzip, .deflate])
  func aBitThatChangedIsFound(_ format: CompressionFormat) throws {
    var small = try Self.compressed(Self.samples[2], format)
    small[small.count - 2] ^= 1
    #expect(throws: CompressionFault.malformed) { try Self.restored(small, format) }
  }

  /// Whoever reads decides how far it unfolds.
  @Test(arguments: CompressionFormat.allCases)
  func aBombUnfoldsPieceByPiece(_ format: CompressionFormat) throws {
    let small = try Self.compressed([UInt8](repeating: 0, count: 50_000_000), format)
    #expect(small.count < 100_000)
    let codec = try ByteCodec(decompressing: format)
    small.withUnsafeBytes { codec.feed($0) }
    var total = 0
    while let piece = try codec.next() {
      #expect(piece.count <= ByteCodec.piece)
      total += piece.count
    }
    #expect(total == 50_000_000)
  }

  /// The system's own programs read what we write, and write what we read.
  @Test(arguments: [(CompressionFormat.gzip, "gzip", "gzip -d"), (.zstd, "zstd -q", "zstd -dq")])
  func theSystemsProgramsUnderstandIt(_ format: CompressionFormat, _ pack: String, _ unpack: String) throws {
    let sample = Self.samples[3]
    #expect(try Self.piped(Self.compressed(sample, format), unpack) == sample)
    #expect(try Self.restored(Self.piped(sample, pack), format) == sample)
  }

  /// What a command of the shell makes of bytes on its stdin.
  static func piped(_ bytes: [UInt8], _ command: String) throws -> [UInt8] {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data(bytes).write(to: folder.appendingPathComponent("in"))
    let shell = try ChildProcess.start("/bin/sh", ["-c", "cd '\(folder.path)' && \(command) < in > out"])
    #expect(shell.wait() == 0, "\(command)")
    return [UInt8](try Data(contentsOf: folder.appendingPathComponent("out")))
  }
}
