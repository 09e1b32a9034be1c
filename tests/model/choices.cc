#include "tests/model/choices.h"

#include <vector>

namespace holdfast::testing {

std::string Choices::any_queue() {
  static const std::vector<std::string> names{"a", "a", "a",    "b",    "b",      "c",
                                              "d", "e", "dead", "dead", "parked", "spare"};
  return random_.pick(names);
}

std::string Choices::any_source() {
  static const std::vector<std::string> names{"a", "a", "a", "b", "b", "c", "d", "e"};
  return random_.pick(names);
}

std::string Choices::any_dead_letter_queue() {
  static const std::vector<std::string> names{"dead", "dead", "parked", "spare"};
  return random_.pick(names);
}

std::optional<Durability> Choices::any_durability() {
  if (!loses_unsynced_) {
    return random_.one_in(50) ? std::nullopt : std::optional(Durability::kBuffered);
  }
  if (random_.one_in(2)) return std::nullopt;
  return random_.one_in(4) ? Durability::kFsync : Durability::kBuffered;
}

std::string Choices::any_body() {
  const std::size_t size = random_.one_in(400)  ? (300U << 10)
                           : random_.one_in(20) ? random_.below(5000)
                                                : random_.below(100);
  return std::to_string(++bodies_) + ":" + random_.bytes(size);
}

Failure Choices::any_failure(std::uint64_t step) {
  Failure failure;
  if (random_.one_in(2)) failure.category = "category-" + std::to_string(random_.below(3));
  if (random_.one_in(2)) failure.reason = "reason " + std::to_string(step);
  if (random_.one_in(4)) failure.code = std::to_string(step);
  if (random_.one_in(4)) failure.stack_trace = "main\nstep " + std::to_string(step);
  if (random_.one_in(4)) failure.causes = {{"E" + std::to_string(step), "why"}};
  if (random_.one_in(4)) failure.partial_output = "output " + std::to_string(step);
  return failure;
}

DeadLetterFilter Choices::any_category() {
  DeadLetterFilter filter;
  if (random_.one_in(2))
    filter.category = random_.one_in(4) ? "" : "category-" + std::to_string(random_.below(3));
  return filter;
}

}  // namespace holdfast::testing
