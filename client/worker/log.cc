#include "client/worker/log.h"

#include <spdlog/spdlog.h>

#include "engine/base/helpers/escaped_text.h"
#include "engine/base/validation/validate.h"
#include "holdfast/limits.h"

namespace holdfast::worker {

void log_failed(const FailedDelivery& failed) {
  const auto& [category, reason, code, stack_trace, causes, partial_output] = failed.failure;
  std::string why;
  if (!category.empty()) why += ", " + category;
  if (!code.empty()) why += " (" + code + ")";
  if (!reason.empty()) why += ": " + bounded_text(reason, limits::kJournalReasonBytes);
  why = escaped(why);  // exceptions may say anything, and people read a log line by line in a terminal
  const auto level = failed.dies ? spdlog::level::err : spdlog::level::warn;
  spdlog::log(level, "{}: delivery {} of message {} failed{}{}", failed.queue, failed.delivery.deliveries,
              failed.delivery.id.to_string(), failed.dies ? ", and the message is dead-lettered" : "", why);
}

}  // namespace holdfast::worker
