// SPDX-License-Identifier: MIT
// What a pasteboard can't do without, in C: `pasteboard commit DB COUNT` prints the microseconds of a transaction that
// changes one row of a kilobyte and notes the change, in a log as ours is; `pasteboard memcpy` the milliseconds of
// copying 64 MiB twice, memory touched before.
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement;
  if (sqlite3_prepare_v2(db, sql, -1, &statement, 0) != SQLITE_OK) { fprintf(stderr, "%s\n", sqlite3_errmsg(db)); exit(1); }
  return statement;
}

static void run(sqlite3_stmt *statement) {
  if (sqlite3_step(statement) != SQLITE_DONE) { fprintf(stderr, "a statement failed\n"); exit(1); }
  sqlite3_reset(statement);
}

static int commit(const char *path, int count) {
  sqlite3 *db;
  if (sqlite3_open(path, &db) != SQLITE_OK) return 1;
  sqlite3_exec(db, "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=4000;"
    "CREATE TABLE IF NOT EXISTS c (n INTEGER PRIMARY KEY, b BLOB); CREATE TABLE IF NOT EXISTS l (n INTEGER PRIMARY KEY, t TEXT)", 0, 0, 0);
  char *bytes = malloc(1000);
  memset(bytes, 'x', 1000);
  sqlite3_stmt *begin = prepare(db, "BEGIN IMMEDIATE"), *end = prepare(db, "COMMIT");
  sqlite3_stmt *put = prepare(db, "INSERT OR REPLACE INTO c VALUES (1, ?)"), *note = prepare(db, "INSERT INTO l (t) VALUES ('general set text/plain')");
  double start = now();
  for (int i = 0; i < count; i++) {
    run(begin);
    sqlite3_bind_blob(put, 1, bytes, 1000, SQLITE_TRANSIENT);
    run(put);
    run(note);
    run(end);
  }
  printf("%.2f\n", (now() - start) / count);
  return 0;
}

static int copies(void) {
  size_t size = 64 << 20;
  char *a = malloc(size), *b = malloc(size), *c = malloc(size);
  memset(a, 1, size); memset(b, 2, size); memset(c, 3, size);
  double start = now();
  memcpy(b, a, size);
  memcpy(c, b, size);
  double took = now() - start;
  fprintf(stderr, "%d\n", c[size - 1]); // so that nothing is left out
  printf("%.2f\n", took / 1000);
  return 0;
}

int main(int count, char **words) {
  if (count == 4 && !strcmp(words[1], "commit")) return commit(words[2], atoi(words[3]));
  if (count == 2 && !strcmp(words[1], "memcpy")) return copies();
  return 2;
}
