// SPDX-License-Identifier: MIT

package import CNBridgeGLib

/// What GLib says of a failure.
package struct GLibFailure: Error {
  package let domain: UInt32
  package let code: Int32
  package let text: String

  /// Takes an error over, and frees it.
  package static func taking(_ error: UnsafeMutablePointer<GError>?) -> GLibFailure {
    guard let error else { return GLibFailure(domain: 0, code: 0, text: "no reason was given") }
    defer { g_error_free(error) }
    return GLibFailure(
      domain: error.pointee.domain, code: error.pointee.code, text: String(cString: error.pointee.message))
  }

  package func isIO(_ kind: GIOErrorEnum) -> Bool {
    domain == g_io_error_quark() && code == Int32(bitPattern: UInt32(kind.rawValue))
  }
}
