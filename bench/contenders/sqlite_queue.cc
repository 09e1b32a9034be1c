#include "bench/contenders/sqlite_queue.h"

#include <chrono>
#include <string>
#include <string_view>

namespace holdfast::bench {
namespace {

constexpr std::int64_t kLeaseMicroseconds = 30'000'000;

std::int64_t now_microseconds() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

// The page cache is as large as the engine's block cache.
constexpr const char* kSchema =
    "PRAGMA journal_mode = WAL;"
    "PRAGMA synchronous = NORMAL;"
    "PRAGMA cache_size = -65536;"
    "CREATE TABLE messages ("
    "  id INTEGER PRIMARY KEY,"
    "  visible_at INTEGER NOT NULL,"
    "  deliveries INTEGER NOT NULL,"
    "  body BLOB NOT NULL);";

constexpr const char* kInsertSql = "INSERT INTO messages (visible_at, deliveries, body) VALUES (?1, 0, ?2)";
constexpr const char* kLeaseSql =
    "UPDATE messages SET visible_at = ?1, deliveries = deliveries + 1 WHERE id IN"
    " (SELECT id FROM messages WHERE visible_at <= ?2 ORDER BY id LIMIT ?3)"
    " RETURNING id, body";
constexpr const char* kRemoveSql = "DELETE FROM messages WHERE id = ?1";

}  // namespace

SqliteQueue::SqliteQueue(const std::filesystem::path& file, const Workload& workload)
    : fsync_(workload.durability == Durability::kFsync) {
  sqlite3* database = nullptr;
  const int opened = sqlite3_open(file.c_str(), &database);
  database_.reset(database);
  check(opened, "open");
  check(sqlite3_exec(database, kSchema, nullptr, nullptr, nullptr), "schema");
  begin_ = prepare("BEGIN IMMEDIATE");
  commit_ = prepare("COMMIT");
  insert_ = prepare(kInsertSql);
  lease_ = prepare(kLeaseSql);
  remove_ = prepare(kRemoveSql);
}

void SqliteQueue::check(int code, const char* what) const {
  if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW) return;
  throw BenchError(std::string("SQLite: ") + what + ": " + sqlite3_errmsg(database_.get()));
}

SqliteQueue::Statement SqliteQueue::prepare(const char* sql) {
  sqlite3_stmt* statement = nullptr;
  check(sqlite3_prepare_v3(database_.get(), sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr), sql);
  return Statement(statement);
}

void SqliteQueue::execute(const Statement& statement) {
  check(sqlite3_step(statement.get()), "step");
  check(sqlite3_reset(statement.get()), "reset");
}

void SqliteQueue::synchronous(bool full) {
  const char* sql = full ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL";
  check(sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr), sql);
}

std::uint64_t SqliteQueue::run(Bodies bodies) {
  const std::size_t count = bodies.size();
  if (fsync_) synchronous(true);
  send(bodies);
  if (fsync_) synchronous(false);
  const std::uint64_t sum = receive(count);
  if (fsync_) synchronous(true);
  ack();
  return sum;
}

void SqliteQueue::send(const Bodies& bodies) {
  execute(begin_);
  for (const auto& body : bodies) {
    check(sqlite3_bind_int64(insert_.get(), 1, now_microseconds()), "bind");
    check(sqlite3_bind_blob64(insert_.get(), 2, body.data(), body.size(), SQLITE_STATIC), "bind");
    execute(insert_);
  }
  execute(commit_);
}

std::uint64_t SqliteQueue::receive(std::size_t count) {
  const std::int64_t now = now_microseconds();
  sqlite3_stmt* lease = lease_.get();
  execute(begin_);
  check(sqlite3_bind_int64(lease, 1, now + kLeaseMicroseconds), "bind");
  check(sqlite3_bind_int64(lease, 2, now), "bind");
  check(sqlite3_bind_int64(lease, 3, static_cast<sqlite3_int64>(count)), "bind");
  std::uint64_t sum = 0;
  leased_.clear();
  int code = SQLITE_ROW;
  while ((code = sqlite3_step(lease)) == SQLITE_ROW) {
    leased_.push_back(sqlite3_column_int64(lease, 0));
    const auto* body = static_cast<const char*>(sqlite3_column_blob(lease, 1));
    sum += stamp_of({body, static_cast<std::size_t>(sqlite3_column_bytes(lease, 1))});
  }
  check(code, "receive");
  check(sqlite3_reset(lease), "reset");
  execute(commit_);
  return sum;
}

void SqliteQueue::ack() {
  execute(begin_);
  for (const sqlite3_int64 id : leased_) {
    check(sqlite3_bind_int64(remove_.get(), 1, id), "bind");
    execute(remove_);
  }
  execute(commit_);
}

}  // namespace holdfast::bench
