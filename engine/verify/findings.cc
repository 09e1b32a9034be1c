#include "verify/findings.h"

#include <utility>

namespace holdfast::verify {

void Findings::add(std::string_view kind, std::string where, std::string what) {
  ++found_;
  if (listed_.size() == VerifyReport::kFindingsListed) return;
  listed_.push_back({std::string(kind), std::move(where), std::move(what)});
}

std::string place(std::string_view family, std::string_view queue_name, QueueId queue) {
  return std::string(family) + ": queue '" + std::string(queue_name) + "' (id " +
         std::to_string(static_cast<std::uint64_t>(queue)) + ")";
}

std::string place(std::string_view family, std::string_view queue_name, QueueId queue, Seq seq) {
  return place(family, queue_name, queue) + ", seq " + std::to_string(static_cast<std::uint64_t>(seq));
}

}  // namespace holdfast::verify
