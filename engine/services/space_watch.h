// Watches the free space of the store's device, so that sends stop before it is used up. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "engine/storage/store.h"
#include "engine/sync/mutex.h"
#include "holdfast/error.h"
#include "holdfast/time.h"

namespace holdfast {

class SpaceWatch {
 public:
  // `reserve` is how many bytes stay free. With 0, nothing is refused.
  SpaceWatch(const Store& store, std::uint64_t reserve) : store_(store), reserve_(reserve) {}

  // A claim is for bytes that were admitted and may not be on the device yet. The caller keeps the claim
  // until they are committed.
  class Claim {
   public:
    Claim() = default;
    Claim(Claim&& other) noexcept { swap(other); }
    Claim& operator=(Claim&& other) noexcept {
      Claim(std::move(other)).swap(*this);
      return *this;
    }
    ~Claim() {
      if (watch_ != nullptr) watch_->note_written(bytes_);
    }

   private:
    friend class SpaceWatch;
    Claim(SpaceWatch& watch, std::uint64_t bytes) : watch_(&watch), bytes_(bytes) {}
    void swap(Claim& other) noexcept {
      std::swap(watch_, other.watch_);
      std::swap(bytes_, other.bytes_);
    }

    SpaceWatch* watch_ = nullptr;
    std::uint64_t bytes_ = 0;
  };

  // Admits `bytes` more. kDiskFull if less than the reserve would stay free. It asks the device only if what
  // was written since it was last asked may make a difference, and before each refusal.
  Result<Claim> admit(std::size_t bytes);
  // Admits bytes of a call that also settles messages. Such calls are the way in which space returns, so they
  // may use half of the reserve.
  Result<Claim> admit_with_settled(std::size_t bytes);
  // Asks the device if the last look is a second old, because others write there too.
  void look(Timestamp now);
  // Returns the free bytes, or nothing if the device does not say.
  std::optional<std::uint64_t> free_bytes() const;
  std::uint64_t reserve() const { return reserve_; }

 private:
  Result<Claim> keep_free(std::uint64_t keep, std::uint64_t bytes);
  void ask();
  void note_written(std::uint64_t bytes);
  // Returns by how many bytes `free_` may still have to shrink.
  std::uint64_t unseen() const HOLDFAST_REQUIRES(mutex_) { return claimed_ + (written_ - seen_); }

  const Store& store_;
  const std::uint64_t reserve_;
  sync::Mutex mutex_;  // not held while the device is asked
  std::uint64_t free_ HOLDFAST_GUARDED_BY(mutex_) = 0;
  std::uint64_t claimed_ HOLDFAST_GUARDED_BY(mutex_) = 0;  // bytes of the claims that are alive
  std::uint64_t written_ HOLDFAST_GUARDED_BY(mutex_) = 0;  // bytes of the claims that ended
  std::uint64_t seen_ HOLDFAST_GUARDED_BY(mutex_) = 0;     // part of written_ that free_ reflects for certain
  Timestamp looked_at_ HOLDFAST_GUARDED_BY(mutex_) = Timestamp::min();
};

}  // namespace holdfast
