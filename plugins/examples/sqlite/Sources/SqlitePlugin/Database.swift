import Glibc
import NBridgePlugin
import Synchronization

/// What statements are run in.
protocol Session: HandleObject {
  var connection: Connection { get }
}

/// An open database.
final class Database: Session {
  static let handle = HandleType("database", "An open database.")
  let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  /// A transaction has a connection of its own: what is done beside it is no part of it.
  func begin() throws -> Transaction { Transaction(try Connection(connection.path, isTransaction: true)) }

  func close() { connection.close() }

  /// Where a database of the app's lies.
  static func path(_ name: String, _ app: AppEnvironment) throws -> String {
    try app.container.create()
    // The way to the folder may have links; the one to the file has none.
    guard let folder = realpath(app.container.applicationSupport, nil) else {
      throw BridgeError.system("find", app.container.applicationSupport)
    }
    defer { free(folder) }
    return String(cString: folder) + "/" + name
  }
}

/// An open transaction.
final class Transaction: Session {
  static let handle = HandleType("transaction", "An open transaction; closing it undoes it.")
  let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  func close() { connection.close() }
}

/// Reads a statement's rows, some at a time.
final class Cursor: Sendable {
  static let batch = 64

  private let connection: Connection
  private let query: Statement
  private let interrupt: Interrupt
  private let statement = Mutex<Pointer?>(nil)

  init(_ connection: Connection, _ query: Statement, _ interrupt: Interrupt) {
    (self.connection, self.query, self.interrupt) = (connection, query, interrupt)
  }

  deinit { if let open = statement.withLock(\.self) { connection.abandon(open) } }

  /// The next rows; fewer than a batch at the end. May wait for a disk.
  func read() throws -> [Row] {
    try statement.withLock { try connection.read(Self.batch, &$0, query, interrupt) }
  }
}

/// The rows of a statement: the next ones are read when the last one has been taken.
struct Rows: AsyncSequence, Sendable {
  let cursor: Cursor

  func makeAsyncIterator() -> Iterator { Iterator(cursor: cursor) }

  struct Iterator: AsyncIteratorProtocol {
    let cursor: Cursor
    private var ready: ArraySlice<Row> = []
    private var isOver = false

    init(cursor: Cursor) { self.cursor = cursor }

    mutating func next() async throws -> Row? {
      if ready.isEmpty, !isOver {
        let rows = try await Blocking.run { [cursor] in try cursor.read() }
        isOver = rows.count < Cursor.batch
        ready = rows[...]
      }
      return ready.popFirst()
    }
  }
}
