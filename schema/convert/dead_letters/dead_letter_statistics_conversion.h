// Converts statistics of dead letters between the API and the protocol.
#pragma once

#include <string_view>

#include "holdfast/dead_letter_statistics.h"
#include "holdfast/error.h"
#include "holdfast/wire/dead_letter.capnp.h"

namespace holdfast::convert {

struct DeadLetterStatisticsCall {
  std::string_view queue;  // a view into the request
  DeadLetterStatisticsOptions options;
};

void write(std::string_view queue, const DeadLetterStatisticsOptions& options,
           wire::DeadLetterStatisticsRequest::Builder to);
DeadLetterStatisticsCall read(wire::DeadLetterStatisticsRequest::Reader from);

void write(const Result<DeadLetterStatistics>& from, wire::DeadLetterStatisticsReply::Builder to);
Result<DeadLetterStatistics> read(wire::DeadLetterStatisticsReply::Reader from);

void write(const ArrivalTotals& from, wire::ArrivalTotals::Builder to);
ArrivalTotals read(wire::ArrivalTotals::Reader from);

}  // namespace holdfast::convert
