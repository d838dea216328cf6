// SPDX-License-Identifier: MIT

package import JSEngine
internal import NBridgeCrypto

/// Digests of `node:crypto`, by OpenSSL, which is opened with the first one.
package enum NodeDigest {
  /// What scripts of the runtime have of a digest; undefined for a name that there is none by.
  ///
  /// Called with bytes, an `ArrayBuffer` or a view of one, and how many of them, it takes these; called with
  /// nothing it answers another one that has come as far; called with a number, the digest of so many bytes
  /// in hexadecimal, after which it takes no more. Its members are `size`, `blockSize` and `isExtendable`.
  package static func make(_ name: String, in context: JSContext) throws(JSException) -> JSValue {
    do throws(CryptoFault) {
      guard let digest = try RunningDigest(name) else { return context.undefined }
      return function(of: digest, in: context)
    } catch { throw JSException(message: error.text) }
  }

  private static func function(of digest: RunningDigest, in context: JSContext) -> JSValue {
    // The engine keeps the digest with the function; it ends before the context.
    let function = JSFunction.make(in: context) { [unowned context] frame throws(JSException) in
      do throws(CryptoFault) {
        if let bytes = frame[0].bytes {
          digest.add(UnsafeRawBufferPointer(rebasing: bytes.prefix(max(0, frame[1].integer))))
          return frame.undefined
        }
        if frame[0].isUndefined { return Self.function(of: try digest.copy(), in: context) }
        return frame.make(hexadecimal(try digest.finish(size: max(0, frame[0].integer))))
      } catch { throw JSException(message: error.text) }
    }
    context.set(function, "size", context.make(Double(digest.size)))
    context.set(function, "blockSize", context.make(Double(digest.blockSize)))
    context.set(function, "isExtendable", context.make(digest.isExtendable))
    return function
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
