// RawRocksdb is the reference: what a careful user of RocksDB writes without a queue engine. It has the
// engine's own RocksDB options and families, so the two differ only in what they write. It has one queue and
// one caller, who keeps the head in memory, and no redelivery, delivery limit or dead letters.
#pragma once

#include <rocksdb/db.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "bench/contenders/lifecycle.h"
#include "engine/storage/store.h"

namespace holdfast::bench {

enum class RowPer { kBatch, kMessage };

// Every step is one DB::Write. Sends and acks are synced as the workload says, and leases never.
// kBatch:   send puts one row with all bodies; receive puts one lease row and gets the batch's row; ack
//           removes both rows.
// kMessage: each message has a row of its own in either family, and each step is one WriteBatch.
class RawRocksdb final : public Lifecycle {
 public:
  RawRocksdb(const std::filesystem::path& directory, RowPer row_per, const Workload& workload);
  ~RawRocksdb() override;

  std::uint64_t run(Bodies bodies) override;

  // These calls are for the redrive reference: send() leaves a batch where it is, and move_all() moves all
  // that is left to another queue.
  void send(const Bodies& bodies);
  std::uint64_t move_all();

 private:
  using Key = std::array<char, 16>;  // queue and seq, big-endian

  rocksdb::ColumnFamilyHandle* handle(Family family) const;
  static Key key(std::uint64_t queue, std::uint64_t seq);
  std::uint64_t receive_batch();
  std::uint64_t receive_messages(std::size_t count);
  void ack(std::size_t rows);
  void write(rocksdb::WriteBatch& batch, bool sync);

  RowPer row_per_;
  bool sync_;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> handles_;
  rocksdb::ColumnFamilyHandle* messages_ = nullptr;
  rocksdb::ColumnFamilyHandle* leases_ = nullptr;
  std::uint64_t head_ = 0;
  std::uint64_t tail_ = 0;
  std::string row_;  // kept so that its memory is reused
};

}  // namespace holdfast::bench
