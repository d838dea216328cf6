// SPDX-License-Identifier: MIT

/// Names that can't be guessed and that no file has.
public enum RandomName {
  /// 32 hexadecimal digits of the kernel's randomness.
  public static func make() -> String {
    var random = SystemRandomNumberGenerator()
    return (0..<16).map { _ in String(UInt16(random.next() as UInt8) + 256, radix: 16).dropFirst() }.joined()
  }
}
