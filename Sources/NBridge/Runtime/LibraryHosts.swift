// SPDX-License-Identifier: MIT

internal import JSEngine

extension Runtime {
  func consoleHost() -> JSValue { context.undefined }
  func inspectHost() -> JSValue { context.undefined }
  func dialogsHost() -> JSValue { context.undefined }
  func eventsHost() -> JSValue { context.undefined }
  func pageHost() -> JSValue { context.undefined }
  func startPage(_ path: String, calls: [String]) throws {}
}
