// nbridge run --plugin . demo.js
// Writes a thousand words in one transaction, reads a few of them, and fails as databases do.
const database = await nbridge.sqlite.open("words.db");
await database.exec("DROP TABLE IF EXISTS word; CREATE TABLE word (id INTEGER PRIMARY KEY, text TEXT UNIQUE)");

const transaction = await database.transaction();
for (let i = 1; i <= 1000; i++) await transaction.run("INSERT INTO word (text) VALUES (?)", [`word ${i}`]);
await transaction.commit();
await transaction.close();

let read = 0;
for await (const { id, text } of database.query("SELECT * FROM word WHERE id % ? = 0", [250])) console.log(id, text);
for await (const row of database.query("SELECT * FROM word")) if (++read === 10) break;
console.log(read, "of 1000, read ahead at most", (await database.rowsRead()) <= 4 + 3 * 64);

const undone = await database.transaction();
console.log(await undone.run("DELETE FROM word"));
await undone.close();
for await (const { count } of database.query("SELECT count(*) AS count FROM word")) console.log("still", count);

try {
  await database.run("INSERT INTO word (text) VALUES (?)", ["word 7"]);
} catch (error) { console.log(error.code, error.message, error.details); }
await database.close();
