// Ledger is what the campaign of cuts (cuts_test.cc) knows: which calls there are, what each was answered,
// and what it has done.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iostream>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "holdfast/error.h"

namespace holdfast::testing {

// CutVerb is a way in which the campaign uses a call of the protocol.
struct CutVerb {
  std::string_view name;
  std::string_view call;
};

inline constexpr std::array kCutVerbs = {
    CutVerb{"send", "sendBatch"},
    CutVerb{"send_batch", "sendBatch"},
    CutVerb{"buffered send", "sendBatch"},
    CutVerb{"send in a crowd", "sendBatch"},
    CutVerb{"send to others", "sendBatch"},
    CutVerb{"send among purges", "sendBatch"},
    CutVerb{"send among deletions", "sendBatch"},
    CutVerb{"receive", "receive"},
    CutVerb{"ack", "ackBatch"},
    CutVerb{"ack among purges", "ackBatch"},
    CutVerb{"ack among deletions", "ackBatch"},
    CutVerb{"ack of a stream", "ackBatch"},
    CutVerb{"extend", "extendBatch"},
    CutVerb{"start", "startBatch"},
    CutVerb{"release", "releaseBatch"},
    CutVerb{"release to others", "releaseBatch"},
    CutVerb{"reject", "rejectBatch"},
    CutVerb{"reject among redrives", "rejectBatch"},
    CutVerb{"reject among alterations", "rejectBatch"},
    CutVerb{"subscribe", "subscribe"},
    CutVerb{"redrive", "redrive"},
    CutVerb{"redrive among discards", "redrive"},
    CutVerb{"park", "redrive"},
    CutVerb{"started redrive", "redrive"},
    CutVerb{"cancel_redrive", "cancelRedrive"},
    CutVerb{"change_dead_letters", "changeDeadLetters"},
    CutVerb{"discard_dead_letters", "discardDeadLetters"},
    CutVerb{"import_dead_letters", "importDeadLetters"},
    CutVerb{"create_queue", "createQueue"},
    CutVerb{"alter_queue", "alterQueue"},
    CutVerb{"pause_queue", "pauseQueue"},
    CutVerb{"resume_queue", "resumeQueue"},
    CutVerb{"purge_queue", "purgeQueue"},
    CutVerb{"delete_queue", "deleteQueue"},
    CutVerb{"backup", "backup"},
    CutVerb{"drain", "drain"},
    CutVerb{"resume", "resume"},
};

// The calls that may be made any number of times: they look, or say who calls. compact changes files, but
// nothing that is stored in them. `grant` belongs to a subscription, and ends with it.
inline constexpr auto kCallsWithoutEffect = std::to_array<std::string_view>(
    {"hello", "authenticate", "describeQueue", "listQueues", "peek", "messageHistory", "compact",
     "listDeadLetters", "findDeadLetters", "groupDeadLetters", "deadLetterStatistics", "redriveStatus",
     "listRedrives", "verify", "statistics", "queueStatistics", "drainStatus", "grant"});

// Said is what the answer to a call says of what was done.
enum class Said { kDone, kNothing, kUnknown };

template <class T>
Said said_by(const Result<T>& result) {
  if (result) return Said::kDone;
  return result.error().code == ErrorCode::kOutcomeUnknown ? Said::kUnknown : Said::kNothing;
}

inline bool agrees(Said said, std::uint64_t times) {
  switch (said) {
    case Said::kDone:
      return times == 1;
    case Said::kNothing:
      return times == 0;
    case Said::kUnknown:
      break;
  }
  return times <= 1;
}

// Counts for each verb what was said, and fails the test where that does not agree with what was done.
class Ledger {
 public:
  // `verb` is one of kCutVerbs.
  template <class T>
  void note(const std::string& verb, const std::string& name, const Result<T>& result, std::uint64_t times) {
    const Said said = said_by(result);
    const std::scoped_lock lock(mutex_);
    Counts& counts = counts_[verb];
    ++(said == Said::kDone ? counts.done : said == Said::kNothing ? counts.nothing : counts.unknown);
    if (said == Said::kUnknown && times == 1) ++counts.unknown_and_done;
    judge(verb, name, result, times);
  }

  // Judges a call that was noted before, by what it has done by now. Its effect may have come later, or
  // twice.
  template <class T>
  void note_again(const std::string& verb, const std::string& name, const Result<T>& result,
                  std::uint64_t times) {
    const std::scoped_lock lock(mutex_);
    judge(verb + " (looked at again at the end)", name, result, times);
  }

  void report(std::uint64_t cuts, std::uint64_t kills) const {
    std::cout << cuts << " cuts, " << kills
              << " kills; per verb: done, nothing done, unknown (of these done)\n";
    for (const auto& [verb, counts] : counts_) {
      std::cout << "  " << verb << ": " << counts.done << ", " << counts.nothing << ", " << counts.unknown
                << " (" << counts.unknown_and_done << ")\n";
    }
  }

  // A campaign that never came to a verb says nothing of the verb.
  void expect_each_verb_done() const {
    const std::scoped_lock lock(mutex_);
    for (const CutVerb& verb : kCutVerbs) EXPECT_TRUE(is_done(verb)) << verb.name << " never succeeded";
  }
  bool is_complete() const {
    const std::scoped_lock lock(mutex_);
    return std::ranges::all_of(kCutVerbs, [&](const CutVerb& verb) { return is_done(verb); });
  }

 private:
  struct Counts {
    std::uint64_t done = 0;
    std::uint64_t nothing = 0;
    std::uint64_t unknown = 0;
    std::uint64_t unknown_and_done = 0;
  };

  bool is_done(const CutVerb& verb) const {
    const auto counted = counts_.find(verb.name);
    return counted != counts_.end() && counted->second.done > 0;
  }

  template <class T>
  static void judge(const std::string& verb, const std::string& name, const Result<T>& result,
                    std::uint64_t times) {
    if (agrees(said_by(result), times)) return;
    const std::string answer = result ? "success" : to_string(result.error());
    ADD_FAILURE() << verb << " of " << name.substr(0, name.find('.')) << " was done " << times
                  << " times, and answered: " << answer;
  }

  mutable std::mutex mutex_;
  std::map<std::string, Counts, std::less<>> counts_;
};

}  // namespace holdfast::testing
