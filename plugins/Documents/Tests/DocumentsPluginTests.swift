// SPDX-License-Identifier: MIT

import BothWays
import DocumentsPlugin
import Foundation
import NBridge
import NBridgePlugin
import NBridgeTesting
import Testing

@Suite(.bothWays) struct DocumentsPluginTests {
}
