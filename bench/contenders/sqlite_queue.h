// SQLite as an embedded queue, which an application might use instead.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "bench/contenders/lifecycle.h"

namespace holdfast::bench {

// SqliteQueue is one table in WAL mode, with prepared statements and one transaction per step. With kFsync,
// sends and acks have synchronous=FULL and the receive's lease has NORMAL, as the engine promises it. With
// kBuffered, everything has NORMAL.
class SqliteQueue final : public Lifecycle {
 public:
  SqliteQueue(const std::filesystem::path& file, const Workload& workload);

  std::uint64_t run(Bodies bodies) override;

 private:
  struct Close {
    void operator()(sqlite3* database) const { sqlite3_close(database); }
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  using Statement = std::unique_ptr<sqlite3_stmt, Close>;

  Statement prepare(const char* sql);
  void execute(const Statement& statement);
  void synchronous(bool full);
  void check(int code, const char* what) const;

  void send(const Bodies& bodies);
  std::uint64_t receive(std::size_t count);
  void ack();

  bool fsync_;
  std::unique_ptr<sqlite3, Close> database_;  // it must outlive its statements
  Statement begin_;
  Statement commit_;
  Statement insert_;
  Statement lease_;
  Statement remove_;
  std::vector<sqlite3_int64> leased_;
};

}  // namespace holdfast::bench
