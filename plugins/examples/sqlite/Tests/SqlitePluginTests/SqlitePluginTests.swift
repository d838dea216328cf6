import NBridgeTesting
import SqlitePlugin
import Testing

/// Real files in a container that is thrown away; each test runs in every way in which a plugin comes into a
/// program.
@Suite struct SqlitePluginTests {
  func run(_ way: PluginWay, _ script: String) async -> String {
    await ScriptHarness.$way.withValue(way) {
      var harness = ScriptHarness(plugins: [SqlitePlugin()])
      harness.usesRealTime = true
      let result = await harness.run(
        """
        const { sqlite } = nbridge;
        const database = await sqlite.open("test.db");
        const all = (sql, parameters) => Array.fromAsync(database.query(sql, parameters));
        const show = (promise) => promise.then((value) => console.log(value),
          ({ code, message, details }) => console.log(code, "-", message, details?.sqlite ?? ""));

        """ + script)
      return result.output + result.errors
    }
  }

  @Test(arguments: PluginWay.allCases) func everyKindOfValueComesBack(_ way: PluginWay) async {
    let output = await run(
      way,
      """
      const values = [null, 1, -2.5, 2 ** 53, 2n ** 60n, "", "gr\\u00fcezi \\0 \\ud83d\\ude00",
        new Uint8Array(0), new Uint8Array([0, 255])];
      await database.exec("CREATE TABLE t (id INTEGER PRIMARY KEY, value)");
      for (const value of values) await database.run("INSERT INTO t (value) VALUES (?)", [value]);
      const rows = await all("SELECT value FROM t ORDER BY id");
      const told = (value) => `${typeof value} ${value}`;
      console.log(rows.length, rows.every(({ value }, i) => told(value) === told(values[i])));
      const types = await all("SELECT typeof(value) AS type FROM t ORDER BY id");
      console.log(types.map(({ type }) => type).join());
      """)
    #expect(output == "9 true\nnull,integer,real,integer,integer,text,text,blob,blob\n")
  }

  @Test(arguments: PluginWay.allCases) func aStatementTellsWhatItChanged(_ way: PluginWay) async {
    let output = await run(
      way,
      """
      await database.exec("CREATE TABLE t (id INTEGER PRIMARY KEY, n)");
      console.log(await database.run("INSERT INTO t (n) VALUES (1), (2), (3)"));
      console.log(await database.run("UPDATE t SET n = 0 WHERE n > ?", [1]));
      const [row] = await all("SELECT n, id FROM t");
      console.log((await database.run("SELECT 1")).changes, Object.keys(row));
      """)
    #expect(
      output == """
        { changes: 3, lastInsertRowid: 3 }
        { changes: 2, lastInsertRowid: 3 }
        0 [ 'n', 'id' ]

        """)
  }

  /// A reader that has stopped: other work goes on for as long as reading ahead would take, and no row of the
  /// endless statement is read meanwhile.
  @Test(arguments: PluginWay.allCases) func rowsAreReadAsTheyAreTaken(_ way: PluginWay) async {
    let output = await run(
      way,
      """
      const endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n";
      const rows = database.query(endless);
      for (let i = 1; i <= 10; i++) await rows.next();
      await all(`${endless} LIMIT 20000`);
      const ahead = (await database.rowsRead()) - 20000;
      console.log(ahead >= 10, ahead <= 10 + 2 * 64, ahead);
      for (let i = 0; i < 1000; i++) await rows.next();
      console.log((await rows.next()).value.i);
      await rows.return();
      """)
    #expect(output.hasPrefix("true true ") && output.hasSuffix("\n1011\n"), "\(output)")
  }

  @Test(arguments: PluginWay.allCases) func aReaderThatLeavesEndsTheStatement(_ way: PluginWay) async {
    let output = await run(
      way,
      """
      await database.exec("CREATE TABLE t (n); INSERT INTO t VALUES (1), (2), (3)");
      for await (const row of database.query("SELECT * FROM t")) break;
      await database.exec("DROP TABLE t");
      // Without a single row, in the middle of SQLite's work.
      const stop = new AbortController();
      const endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n";
      const never = `${endless} WHERE i < 0`;
      const next = database.query(never, [], undefined, { signal: stop.signal }).next();
      const run = database.run(never, [], { timeout: 200 });
      stop.abort();
      await show(next);
      await show(run);
      console.log(await all("SELECT 1 AS one"));
      """)
    #expect(
      output == """
        cancelled - 'sqlite.database.query' was cancelled by its signal\u{20}
        timeout - 'sqlite.database.run' did not answer within 200 ms; raise its timeout or cancel it\u{20}
        [ { one: 1 } ]

        """)
  }

  @Test(arguments: PluginWay.allCases) func aTransactionHappensOrDoesNot(_ way: PluginWay) async {
    let output = await run(
      way,
      """
      await database.exec("CREATE TABLE t (n)");
      const count = async (of) => (await Array.fromAsync(of.query("SELECT count(*) AS n FROM t")))[0].n;
      const end = async (how) => {
        const transaction = await database.transaction();
        await transaction.run("INSERT INTO t VALUES (1)");
        const inside = [await count(transaction), await count(database)];
        await transaction[how]();
        if (how !== "close") await show(transaction.run("INSERT INTO t VALUES (2)"));
        await transaction.close();
        console.log(how, inside.join(), await count(database));
      };
      for (const how of ["commit", "rollback", "close"]) await end(how);
      const first = await database.transaction();
      await show(database.transaction());
      await first.close();
      await (await database.transaction()).close();
      """)
    #expect(
      output == """
        closed - the transaction is over\u{20}
        commit 1,0 1
        closed - the transaction is over\u{20}
        rollback 2,1 1
        close 2,1 1
        conflict - database is locked 5

        """)
  }

  @Test(arguments: PluginWay.allCases) func errorsAreSQLites(_ way: PluginWay) async {
    let output = await run(
      way,
      """
      await database.exec("CREATE TABLE t (n UNIQUE); INSERT INTO t VALUES (1)");
      await show(database.run("INSERT INTO t VALUES (1)"));
      await show(database.exec("SELEKT 1"));
      await show(all("SELECT * FROM missing"));
      await show(database.run("SELECT 1; SELECT 2"));
      await show(database.run("SELECT ?", []));
      await show(database.run("SELECT ?", [true]));
      await show(database.run("SELECT ?", [2n ** 70n]));
      await database.close();
      await show(database.exec("SELECT 1"));
      """)
    #expect(
      output == """
        constraint - UNIQUE constraint failed: t.n 2067
        sql_error - near "SELEKT": syntax error 1
        sql_error - no such table: missing 1
        sql_error - this takes one statement; exec takes several, without parameters\u{20}
        invalid_parameter - the statement has 1 parameters, not 0\u{20}
        invalid_parameter - parameters[0] is not valid: no SQL value: boolean\u{20}
        invalid_parameter - parameters[0] must be an integer, not a BigInt\u{20}
        closed - the database is closed\u{20}

        """, "\(output)")
  }

  @Test(arguments: PluginWay.allCases) func noOtherFileIsReached(_ way: PluginWay) async {
    let output = await run(
      way,
      """
      for (const name of ["../other.db", "/tmp/other.db", "", ".hidden"]) {
        await sqlite.open(name).catch(({ code }) => console.log(code));
      }
      await show(database.exec("ATTACH '/tmp/other.db' AS other"));
      await show(database.run("ATTACH ? AS other", ["/tmp/other.db"]));
      await show(database.exec("PRAGMA temp_store_directory = '/tmp'"));
      await show(database.exec("VACUUM INTO '/tmp/other.db'"));
      await show(database.exec("VACUUM"));
      """)
    #expect(
      output == String(repeating: "invalid_parameter\n", count: 4)
        + String(repeating: "sql_error - not authorized 23\n", count: 3)
        + "sql_error - authorization denied 23\nundefined\n", "\(output)")
  }
}
