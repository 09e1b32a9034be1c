// A DeadLetterScan is one look of a dead letter worker through its queue. It sees each new letter assigned to
// nobody once.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client/worker/failed_letters.h"
#include "engine/storage/files/archive_file.h"
#include "engine/sync/mutex.h"
#include "holdfast/dead_letter_worker.h"
#include "schema/http/post.h"

namespace holdfast::worker {

class DeadLetterScan {
 public:
  DeadLetterScan(Broker& broker, DeadLetterWorkerOptions options, std::optional<http::Poster> webhook);

  // Looks through the dead letters. An error means that a call failed that would fail for the other dead
  // letters too; these were left for the next pass.
  Result<void> run();

  void stop();
  bool stopped() const { return stopped_; }
  DeadLetterWorkerCounts counts() const;
  const DeadLetterWorkerOptions& options() const { return options_; }
  // Returns a time for waits, as ClockWait::now() does; it is no time of day.
  Timestamp now() const { return Timestamp(clock_.steady()); }
  Timestamp wall() const { return clock_.now(); }

 private:
  using Letters = std::vector<const DeadLetter*>;
  struct Fix {
    const DeadLetter* letter;
    RedriveEdit edit;
  };
  struct Case {
    const DeadLetter* letter;
    std::string note;
  };
  // Decisions are what the handlers decided about the dead letters of a page.
  struct Decisions {
    Letters redrive;
    std::vector<Fix> fix;
    std::vector<Case> escalate;
    Letters park;
    Letters archive;
  };

  Result<void> look_through(std::optional<std::string> category);
  // Returns whether the dead letter is due at `time`, which is the broker's.
  bool is_due(const DeadLetter& letter, Timestamp time);
  void decide(const DeadLetter& letter, Decisions& decisions);
  Result<void> carry_out(const Decisions& decisions);
  using Count = std::uint64_t DeadLetterWorkerCounts::*;
  Result<void> redrive(const Letters& letters, const RedriveEdit& edit, Count count);
  Result<void> park(const Letters& letters);
  Result<void> archive(const Letters& letters);
  Result<void> escalate(const Case& escalated);
  Result<void> tell(const Escalation& escalation);

  // Counts `moved` of the letters as done. The others are left, for the reason `otherwise`.
  void settle(const Letters& letters, std::uint64_t moved, Count count, const std::string& otherwise);
  // Leaves dead letters where they are, and counts them as failed. Returns the error if it would befall the
  // others too.
  Result<void> leave(const Letters& letters, std::uint64_t failed, const Error& error);

  DeadLetterFilter only(const Letters& letters) const;

  Broker& broker_;
  const DeadLetterWorkerOptions options_;
  const Clock& clock_;
  std::optional<http::Poster> webhook_;
  std::optional<ArchiveWriter> archive_;
  FailedLetters failures_;
  bool webhook_down_ = false;  // the webhook failed in this pass
  std::atomic<bool> stopped_ = false;
  mutable sync::Mutex mutex_;
  DeadLetterWorkerCounts counts_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast::worker
