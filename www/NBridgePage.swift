// SPDX-License-Identifier: MIT

/// The JavaScript half of the bridge: the same file in the runtime and in a page.
public enum NBridgePage {
  /// `nbridge.js`, ASCII.
  public static var script: [UInt8] { PackageResources.nbridge_js }
}
