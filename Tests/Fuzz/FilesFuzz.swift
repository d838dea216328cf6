// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import NBridgeSystem

/// What libFuzzer calls: property lists, names on disks and patterns may hold anything.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFiles(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  guard size > 0 else { return 0 }
  let bytes = Array(UnsafeBufferPointer(start: data + 1, count: size - 1))
  switch data[0] & 3 {
  case 0, 1: propertyList(bytes)
  case 2: name(bytes)
  default: pattern(bytes)
  }
  return 0
}

/// A value that was read can be written, and is the same when it is read again.
private func propertyList(_ bytes: [UInt8]) {
  guard let path = try? FilePath("f"), let value = try? PropertyList.decode(Bytes(bytes), path) else {
    return
  }
  for binary in [false, true] {
    // Characters that XML has no place for, and the top values that Foundation does not write, are refused.
    guard let written = try? PropertyList.encode(value, binary: binary, path) else { continue }
    guard let again = try? PropertyList.decode(written, path) else {
      precondition(!binary, "what was written can't be read")
      continue
    }
    precondition(!binary || again.text == value.text, "what was written is something else")
  }
}

/// Every name of bytes has a text, and that text means those bytes.
private func name(_ bytes: [UInt8]) {
  precondition(PathText.encode(PathText.decode(bytes)) == bytes)
  if let path = try? FilePath(PathText.decode(bytes)), let (parent, last) = try? path.split() {
    precondition(
      !last.isEmpty && !last.contains(UInt8(ascii: "/")) && parent.bytes.count < path.bytes.count + 1)
  }
}

private func pattern(_ bytes: [UInt8]) {
  let halves = bytes.split(separator: 0, maxSplits: 1).map(Array.init)
  guard halves.count == 2 else { return }
  _ = Glob(PathText.decode(halves[0])).matches(halves[1])
}
