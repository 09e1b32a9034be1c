// An engine is opened, watched and closed here. Options with which sends alone could fill the device are
// refused, and an error about a damaged directory says what its owner can do.
#include "holdfast/engine.h"

#include <string>
#include <utility>

#include "engine/base/helpers/units.h"
#include "engine/engine/engine_impl.h"
#include "engine/engine/engine_inside.h"
#include "engine/storage/rocksdb/rocksdb_store.h"
#include "engine/upkeep/due_work.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

// Returns how much an opening has to write on a full device: the tables made of the log, which may be a
// little longer than the write buffer, and RocksDB's lists of them.
std::uint64_t ballast_of(std::uint64_t write_buffer) { return write_buffer + write_buffer / 2 + (1 << 20); }

// Checks that the reserve is large enough. A flush writes as much as the write buffer, while the log that it
// makes needless is still there. A compaction rewrites the first level, which has twice that
// (rocksdb_options.cc), together with what was flushed. With a smaller reserve, sends alone would use the
// device up.
Result<void> check_reserve(const EngineOptions& options) {
  const std::uint64_t reserve = options.free_space_reserve;
  const std::uint64_t least = limits::kReserveWriteBuffers * options.write_buffer_bytes;
  if (reserve == 0 || reserve >= least) return {};
  return fail(ErrorCode::kInvalidArgument,
              "free_space_reserve is " + format_bytes(reserve) + ", and must be 0 or at least " +
                  format_bytes(least) + ", " + std::to_string(limits::kReserveWriteBuffers) +
                  " times write_buffer_bytes, which flushes and compactions need");
}

}  // namespace

EngineHandle::EngineHandle(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
EngineHandle::EngineHandle(EngineHandle&&) noexcept = default;
EngineHandle::~EngineHandle() = default;

Engine::Engine(std::unique_ptr<Impl> impl) : EngineOperationVerbs(std::move(impl)) {}
Engine::Engine(Engine&&) noexcept = default;

Engine& Engine::operator=(Engine&& other) noexcept {
  if (this != &other) {
    (void)close();
    impl_ = std::move(other.impl_);
  }
  return *this;
}

Engine::~Engine() { (void)close(); }

namespace {

// Adds to the error of a damaged directory what its owner can do.
Error with_advice(Error error, const std::filesystem::path& directory) {
  if (error.code != ErrorCode::kCorruption) return error;
  error.message += "; restore a backup, or run 'holdfast salvage " + directory.string() +
                   " NEW', which brings what can be read into the new directory NEW and says what was lost";
  return error;
}

}  // namespace

Result<Engine> Engine::open(const std::filesystem::path& directory, EngineOptions options) {
  if (auto ok = check_reserve(options); !ok) return tl::unexpected(ok.error());
  RocksdbStoreOptions store_options;
  store_options.create_if_missing = options.create_if_missing;
  store_options.block_cache_bytes = options.block_cache_bytes;
  store_options.write_buffer_bytes = options.write_buffer_bytes;
  if (options.free_space_reserve > 0) store_options.ballast_bytes = ballast_of(options.write_buffer_bytes);
  auto store = open_rocksdb_store(directory, store_options);
  if (!store) return tl::unexpected(with_advice(store.error(), directory));
  if (options.archive_directory.empty() && !options.archive)
    options.archive_directory = directory / "archive";
  auto engine = EngineInside::open_over(std::move(*store), std::move(options));
  if (!engine) return tl::unexpected(with_advice(engine.error(), directory));
  return engine;
}

Result<Engine> EngineInside::open_over(std::unique_ptr<Store> store, EngineOptions options) {
  if (options.clock == nullptr) return fail(ErrorCode::kInvalidArgument, "EngineOptions::clock is null");
  if (options.archive && !options.archive_directory.empty())
    return fail(ErrorCode::kInvalidArgument, "EngineOptions: archive and archive_directory are both set");
  auto impl = std::make_unique<Engine::Impl>(std::move(store), std::move(options));
  if (auto ok = impl->open(); !ok) return tl::unexpected(ok.error());
  return Engine(std::move(impl));
}

Timestamp EngineOperationVerbs::now() const { return impl_->clock.now(); }

Result<void> Engine::close() { return impl_ ? impl_->close() : Result<void>(); }

Timestamp Engine::run_due() {
  const auto call = impl_->calls.begin();
  return call ? impl_->clock.to_wall(impl_->due_work.run_due()) : Timestamp::max();
}

Health Engine::health() const {
  Health health;
  const auto call = impl_->calls.keep_open();
  if (!call) {
    health.writes = tl::unexpected(call.error());
    return health;
  }
  health.writes = impl_->pipeline.healthy();
  health.free_bytes = impl_->space.free_bytes();
  health.reserve_bytes = impl_->space.reserve();
  health.has_space = health.free_bytes.value_or(health.reserve_bytes) >= health.reserve_bytes;
  return health;
}

ArchiveHealth Engine::archive_health() const { return impl_->archiving.health(); }

}  // namespace holdfast
