// Rules that say, by the type of an exception, what happens to the message whose handler threw it.
//
//   ExceptionRules()
//       .on<ParseError>([](const ParseError& e) {
//         return Work::reject({.category = "parse", .reason = e.what()});
//       })
//       .on<ConnectionLost>(Work::unavailable())
//       .on<std::exception>(Work::retry_with_backoff(1s, 5min))
#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "holdfast/work.h"

namespace holdfast {

// ExceptionRules is a list of rules, which WorkerOptions::classify takes.
class ExceptionRules {
 public:
  // Adds a rule for exceptions of this type and of types derived from it. The first rule that fits is used.
  // `rule` must not throw.
  template <class Exception>
  ExceptionRules& on(std::function<Work(const Exception&)> rule) {
    rules_.push_back([rule = std::move(rule)](const std::exception_ptr& thrown) -> std::optional<Work> {
      try {
        std::rethrow_exception(thrown);
      } catch (const Exception& exception) {
        return rule(exception);
      } catch (...) {
        return std::nullopt;
      }
    });
    return *this;
  }

  // Adds a rule that always gives the same answer.
  template <class Exception>
  ExceptionRules& on(Work work) {
    return on<Exception>(
        std::function<Work(const Exception&)>([work = std::move(work)](const Exception&) { return work; }));
  }

  // Applies the rules. An exception that no rule fits is a retry.
  Work operator()(const std::exception_ptr& thrown) const {
    for (const auto& rule : rules_) {
      if (auto work = rule(thrown)) return *std::move(work);
    }
    return Work::retry();
  }

 private:
  std::vector<std::function<std::optional<Work>(const std::exception_ptr&)>> rules_;
};

}  // namespace holdfast
