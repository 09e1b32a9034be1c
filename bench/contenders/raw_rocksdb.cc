#include "bench/contenders/raw_rocksdb.h"

#include <rocksdb/listener.h>
#include <rocksdb/write_batch.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <vector>

#include "engine/storage/rocksdb/opening/rocksdb_options.h"
#include "holdfast/engine.h"

namespace holdfast::bench {
namespace {

constexpr std::uint64_t kQueueNumber = 1;
constexpr std::uint64_t kMovedQueue = 2;
constexpr auto kLease = std::chrono::seconds(30);

void check(const rocksdb::Status& status, const char* what) {
  if (!status.ok()) throw BenchError(std::string("raw RocksDB: ") + what + ": " + status.ToString());
}

template <std::size_t N>
rocksdb::Slice slice(const std::array<char, N>& bytes) {
  return {bytes.data(), N};
}

// Returns when the lease ends, and how often the row was handed out.
std::array<char, 12> lease_value() {
  const std::int64_t deadline = (std::chrono::system_clock::now() + kLease).time_since_epoch().count();
  const std::uint32_t deliveries = 1;
  std::array<char, 12> value{};
  std::memcpy(value.data(), &deadline, sizeof(deadline));
  std::memcpy(value.data() + sizeof(deadline), &deliveries, sizeof(deliveries));
  return value;
}

// Writes the bodies, each after its length.
void encode(const Bodies& bodies, std::string& row) {
  row.clear();
  for (const auto& body : bodies) {
    const auto size = static_cast<std::uint32_t>(body.size());
    row.append(reinterpret_cast<const char*>(&size), sizeof(size));
    row.append(body);
  }
}

std::uint64_t sum_stamps(std::string_view row) {
  std::uint64_t sum = 0;
  while (row.size() >= sizeof(std::uint32_t)) {
    std::uint32_t size = 0;
    std::memcpy(&size, row.data(), sizeof(size));
    sum += stamp_of(row.substr(sizeof(size), size));
    row.remove_prefix(sizeof(size) + size);
  }
  return sum;
}

}  // namespace

RawRocksdb::RawRocksdb(const std::filesystem::path& directory, RowPer row_per, const Workload& workload)
    : row_per_(row_per), sync_(workload.durability == Durability::kFsync) {
  const EngineOptions engine;
  const RocksdbStoreOptions options{.block_cache_bytes = engine.block_cache_bytes,
                                    .write_buffer_bytes = engine.write_buffer_bytes};
  rocksdb::DB* db = nullptr;
  check(rocksdb::DB::Open(database_options(options, directory, {}), directory.string(),
                          plan_families(options).built_in, &handles_, &db),
        "open");
  db_.reset(db);
  messages_ = handle(Family::kMessages);
  leases_ = handle(Family::kDeliveries);
}

RawRocksdb::~RawRocksdb() {
  for (auto* handle : handles_) db_->DestroyColumnFamilyHandle(handle).PermitUncheckedError();
}

rocksdb::ColumnFamilyHandle* RawRocksdb::handle(Family family) const {
  return *std::ranges::find(handles_, family_name(family), &rocksdb::ColumnFamilyHandle::GetName);
}

RawRocksdb::Key RawRocksdb::key(std::uint64_t queue, std::uint64_t seq) {
  const std::uint64_t words[] = {__builtin_bswap64(queue), __builtin_bswap64(seq)};
  Key bytes;
  std::memcpy(bytes.data(), words, sizeof(words));
  return bytes;
}

void RawRocksdb::write(rocksdb::WriteBatch& batch, bool sync) {
  rocksdb::WriteOptions options;
  options.sync = sync;
  check(db_->Write(options, &batch), "write");
}

std::uint64_t RawRocksdb::run(Bodies bodies) {
  const std::size_t count = bodies.size();
  send(bodies);
  const std::uint64_t sum = row_per_ == RowPer::kBatch ? receive_batch() : receive_messages(count);
  ack(row_per_ == RowPer::kBatch ? 1 : count);
  return sum;
}

void RawRocksdb::send(const Bodies& bodies) {
  rocksdb::WriteBatch batch;
  if (row_per_ == RowPer::kBatch) {
    encode(bodies, row_);
    check(batch.Put(messages_, slice(key(kQueueNumber, tail_++)), row_), "put");
  } else {
    for (const auto& body : bodies)
      check(batch.Put(messages_, slice(key(kQueueNumber, tail_++)), body), "put");
  }
  write(batch, sync_);
}

std::uint64_t RawRocksdb::receive_batch() {
  rocksdb::WriteBatch batch;
  check(batch.Put(leases_, slice(key(kQueueNumber, head_)), slice(lease_value())), "put");
  write(batch, false);

  rocksdb::PinnableSlice row;
  check(db_->Get({}, messages_, slice(key(kQueueNumber, head_)), &row), "get");
  return sum_stamps(row.ToStringView());
}

std::uint64_t RawRocksdb::receive_messages(std::size_t count) {
  rocksdb::WriteBatch batch;
  std::vector<Key> keys(count);
  std::vector<rocksdb::Slice> slices;
  slices.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    keys[i] = key(kQueueNumber, head_ + i);
    slices.push_back(slice(keys[i]));
    check(batch.Put(leases_, slices.back(), slice(lease_value())), "put");
  }
  write(batch, false);

  std::vector<rocksdb::PinnableSlice> values(count);
  std::vector<rocksdb::Status> statuses(count);
  db_->MultiGet({}, messages_, count, slices.data(), values.data(), statuses.data(), true);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    check(statuses[i], "get");
    sum += stamp_of(values[i].ToStringView());
  }
  return sum;
}

void RawRocksdb::ack(std::size_t rows) {
  rocksdb::WriteBatch batch;
  for (std::size_t i = 0; i < rows; ++i, ++head_) {
    check(batch.SingleDelete(messages_, slice(key(kQueueNumber, head_))), "remove");
    check(batch.SingleDelete(leases_, slice(key(kQueueNumber, head_))), "remove");
  }
  write(batch, sync_);
}

std::uint64_t RawRocksdb::move_all() {
  std::uint64_t moved = 0;
  const std::unique_ptr<rocksdb::Iterator> rows(db_->NewIterator({}, messages_));
  for (rows->Seek(slice(key(kQueueNumber, head_))); rows->Valid() && head_ < tail_;
       rows->Next(), ++head_, ++moved) {
    rocksdb::WriteBatch batch;
    check(batch.Put(messages_, slice(key(kMovedQueue, head_)), rows->value()), "put");
    check(batch.SingleDelete(messages_, rows->key()), "remove");
    write(batch, false);
  }
  check(rows->status(), "scan");
  check(db_->FlushWAL(true), "sync");
  return moved;
}

}  // namespace holdfast::bench
