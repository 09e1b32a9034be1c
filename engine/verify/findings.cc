#include "engine/verify/findings.h"

#include <algorithm>
#include <utility>

namespace holdfast::verify {
namespace {

// Returns whether findings of this kind may be the reason for all others.
bool is_cause(std::string_view kind) { return kind == "unreadable"; }

}  // namespace

void Findings::add(std::string_view kind, std::string where, std::string what) {
  ++found_;
  if (listed_.size() == VerifyReport::kFindingsListed) {
    if (!is_cause(kind) || is_cause(listed_.back().kind)) return;
    listed_.pop_back();
  }
  const auto at =
      is_cause(kind) ? std::ranges::find_if_not(listed_, is_cause, &Finding::kind) : listed_.end();
  listed_.insert(at, {std::string(kind), std::move(where), std::move(what)});
}

std::string place(std::string_view family, std::string_view queue_name, QueueId queue) {
  return std::string(family) + ": queue '" + std::string(queue_name) + "' (id " +
         std::to_string(static_cast<std::uint64_t>(queue)) + ")";
}

std::string place(std::string_view family, std::string_view queue_name, QueueId queue, Seq seq) {
  return place(family, queue_name, queue) + ", seq " + to_string(seq);
}

}  // namespace holdfast::verify
