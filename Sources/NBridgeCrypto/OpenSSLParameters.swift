// SPDX-License-Identifier: MIT

internal import Glibc

/// One named value for OpenSSL, as it lies in C (`OSSL_PARAM`, openssl/core.h): a name, a kind, where the
/// value lies, how long it is, and how much of it OpenSSL wrote. Swift lays stored properties out in their
/// order, each at its alignment, as C does.
struct OpenSSLParameter {
  var name: UnsafePointer<UInt8>?
  var kind: UInt32 = 0
  var data: UnsafeMutableRawPointer?
  var size = 0
  var written = -1

  /// OSSL_PARAM_INTEGER, _UNSIGNED_INTEGER, _UTF8_STRING and _OCTET_STRING.
  static let (signed, number): (UInt32, UInt32) = (1, 2)
  static let (text, octets): (UInt32, UInt32) = (4, 5)
}

/// A list of named values for OpenSSL. Numbers that it copies are wiped when it goes: they may be a key.
struct OpenSSLParameters: ~Copyable {
  private var list: [OpenSSLParameter] = []
  private var copies: [UnsafeMutableRawBufferPointer] = []

  init() {}

  deinit {
    for copy in copies {
      if let base = copy.baseAddress { explicit_bzero(base, copy.count) }
      copy.deallocate()
    }
  }

  mutating func add(_ name: StaticString, text: StaticString) {
    // OpenSSL reads it only.
    let data = UnsafeMutableRawPointer(mutating: text.utf8Start)
    let memory = UnsafeMutableRawBufferPointer(start: data, count: text.utf8CodeUnitCount)
    add(name, OpenSSLParameter.text, memory)
  }

  /// A number's bytes, the highest first. OpenSSL takes them in the machine's order.
  mutating func add(_ name: StaticString, number: UnsafeRawBufferPointer) {
    let copy = allocate(number.count)
    for index in number.indices { copy[number.count - 1 - index] = number[index] }
    add(name, OpenSSLParameter.number, copy)
  }

  mutating func add(_ name: StaticString, size: Int) {
    let copy = allocate(MemoryLayout<Int>.size)
    copy.storeBytes(of: size, as: Int.self)
    add(name, OpenSSLParameter.number, copy)
  }

  /// The same for numbers that OpenSSL takes with a sign.
  mutating func add(_ name: StaticString, signed: Int) {
    let copy = allocate(MemoryLayout<Int>.size)
    copy.storeBytes(of: signed, as: Int.self)
    add(name, OpenSSLParameter.signed, copy)
  }

  mutating func add(_ name: StaticString, octets: UnsafeRawBufferPointer) {
    let copy = allocate(octets.count)
    copy.copyMemory(from: octets)
    add(name, OpenSSLParameter.octets, copy)
  }

  private mutating func allocate(_ count: Int) -> UnsafeMutableRawBufferPointer {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(8, count), alignment: 8)
    copy.initializeMemory(as: UInt8.self, repeating: 0)
    copies.append(copy)
    return UnsafeMutableRawBufferPointer(rebasing: copy[..<count])
  }

  private mutating func add(_ name: StaticString, _ kind: UInt32, _ value: UnsafeMutableRawBufferPointer) {
    list.append(
      OpenSSLParameter(name: name.utf8Start, kind: kind, data: value.baseAddress, size: value.count))
  }

  /// Calls `body` with the list, behind whose last value stands one without a name.
  borrowing func withList<R>(_ body: (UnsafeMutableRawPointer?) -> R) -> R {
    var ended = list + [OpenSSLParameter()]
    return ended.withUnsafeMutableBytes { body($0.baseAddress) }
  }
}
