import NBridgePlugin

/// What scripts see as `nbridge.sqlite`.
public struct SqlitePlugin: Plugin {
  public static let manifest = PluginManifest(
    service: "sqlite", version: "0.1.0", help: "Databases of the app's own, by SQLite.")

  public init() {}

  public var body: PluginBody {
    Detached("open", "Opens a database of the app's, and makes it when there is none.") {
      (options: Open, call) in
      call.hold(Database(try Connection(Database.path(options.path, call.app))))
    }
    // A name, not a path: nothing leads out of the app's folder.
    .positional("path").pattern("path", "[A-Za-z0-9_][A-Za-z0-9_. -]{0,99}")
    .parameter("path", "The name of a file in the app's own folder.")
    .errors(.notFound, .ioError, .conflict, "sql_error").blocking()

    Handles(Database.self) {
      statements(of: Database.self)

      Detached("transaction", "Begins a transaction: all of what is done in it happens, or nothing.") {
        (database: Database, call) in
        call.hold(try database.begin())
      }
      .errors(.conflict, .ioError, "sql_error").blocking()
    }

    Handles(Transaction.self) {
      statements(of: Transaction.self)

      for end in ["commit", "rollback"] {
        Detached(end, end == "commit" ? "Makes it happen." : "Undoes it, as closing it does.") {
          (transaction: Transaction, call) throws in
          try transaction.connection.exec(end, Interrupt(call))
        }
        .errors(.closed, .conflict, .ioError, "constraint", "sql_error").blocking()
      }
    }
  }

  /// What databases and transactions have in common.
  @PluginBuilder private func statements<Object: Session>(of type: Object.Type) -> PluginBody {
    Detached("exec", "Runs statements, and answers nothing.") {
      (object: Object, options: Script, call) throws in
      try object.connection.exec(options.sql, Interrupt(call))
    }
    .positional("sql").errors(.closed, .conflict, .ioError, .tooLarge, "constraint", "sql_error").blocking()

    Detached("run", "Runs a statement, and answers what it changed.") {
      (object: Object, options: Statement, call) in
      try object.connection.run(options.sql, options.parameters, Interrupt(call))
    }
    .positional("sql", "parameters").parameter("parameters", "What stands for each `?`.")
    .errors(.closed, .conflict, .ioError, .tooLarge, "constraint", "sql_error").blocking()

    // Read as fast as the script takes the rows: 64 at once from the database, 64 that wait.
    Watch("query", "Answers the rows of a statement, one after the other.") {
      (object: Object, options: Statement, call) in
      Rows(cursor: Cursor(object.connection, options, Interrupt(call)))
    }
    .positional("sql", "parameters").buffering(.wait(Cursor.batch))
    .errors(.closed, .conflict, .ioError, .tooLarge, "constraint", "sql_error")

    Immediate("rowsRead", "How many rows all queries have read from the database so far.") {
      (object: Object, _) in object.connection.rowsRead
    }
  }
}

struct Open: Codable { var path: String }

struct Script: Codable { var sql: String }

struct Statement: Codable {
  var sql: String
  @Default var parameters: [SQLValue] = []
}

struct Changes: Codable {
  var changes: Int
  var lastInsertRowid: WholeNumber
}
