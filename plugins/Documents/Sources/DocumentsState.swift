// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import Synchronization

/// The plugin's state while a program runs.
final class DocumentsState: Sendable {
  private let made = Mutex<Files?>(nil)
  let writers = Writers()
  let documents = LivingDocuments()
  let progress = ProgressTable()

  func files(_ app: AppEnvironment) -> Files {
    made.withLock { made in
      if let made { return made }
      let files = Files(app)
      made = files
      return files
    }
  }

  func close() {
    let files = made.withLock { $0.take() }
    writers.clear()
    documents.clear()
    progress.clear()
    files?.staging.close()
  }
}
