// SPDX-License-Identifier: MIT

/// What a new plugin may have that is not Swift.
extension TemplatePart {
  // MARK: - JavaScript of its own

  static func face(_ service: String) -> String {
    """
    (\(service)) => {
      "use strict";
      // What the plugin adds to its face: methods that read better in JavaScript than actions would. Taken
      // now, since a script may change the face afterwards.
      const { hello } = \(service);

      \(service).helloAll = (...names) => Promise.all(names.map((name) => hello(name)));
    }

    """
  }

  static let members = """
    /** Greets several people at once. */
    helloAll(...names: string[]): Promise<{ text: string; polite: boolean }[]>;

    """

  // MARK: - C

  static func checked(_ name: String) -> String {
    let imports = ["import C\(name)", "import NBridgePlugin"].sorted().joined(separator: "\n")
    return """
      \(imports)

      struct Checked: Codable {
        var bytes: Bytes

        var checksum: Int { bytes.withUnsafeBytes { Int(checksum_adler32($0.baseAddress, $0.count)) } }
      }

      """
  }

  static let header = """
    #ifndef CHECKSUM_H
    #define CHECKSUM_H

    #include <stddef.h>
    #include <stdint.h>

    /// Adler-32 (RFC 1950) of so many bytes.
    uint32_t checksum_adler32(const void *_Nullable bytes, size_t count);

    #endif

    """

  static let checksum = """
    #include "checksum.h"

    uint32_t checksum_adler32(const void *bytes, size_t count) {
      const uint8_t *byte = bytes;
      uint32_t low = 1, high = 0;
      for (size_t i = 0; i < count; i++) {
        low = (low + byte[i]) % 65521;
        high = (high + low) % 65521;
      }
      return high << 16 | low;
    }

    """
}
