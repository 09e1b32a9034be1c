// A verdict says what the redrive policy of a dead letter queue does with one of its dead letters.
#pragma once

#include <cstdint>

#include "holdfast/dead_letter.h"
#include "holdfast/policy.h"

namespace holdfast {

enum class RedriveVerdict : std::uint8_t { kLeave, kRedrive, kPark, kArchive };

struct RedriveMoment {
  Timestamp opened_at{};  // when the engine was opened
  Timestamp time{};
};

RedriveVerdict judge(const AutoRedrive& policy, const FailureRecord& record, const Triage& triage,
                     const RedriveMoment& now);

}  // namespace holdfast
