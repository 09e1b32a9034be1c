#include "engine/base/options/validate_queue_options.h"

#include <algorithm>
#include <string>
#include <vector>

#include "engine/base/options/queue_option_table.h"
#include "engine/base/validation/validate.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

// --- options whose value has parts ---

Result<void> validate_target(const std::string& name, const std::string& field) {
  if (auto ok = validate_queue_name(name); !ok)
    return fail(ok.error().code, field + ": " + ok.error().message);
  return {};
}

Result<void> validate(const std::vector<DeadLetterRoute>& routes) {
  const std::string field = "dead_letter_routes";
  if (auto ok = at_most(routes.size(), limits::kDeadLetterRoutes, field, "entries"); !ok) return ok;
  for (auto route = routes.begin(); route != routes.end(); ++route) {
    if (route->category.empty()) {
      return fail(ErrorCode::kInvalidArgument,
                  field + ": a category is empty; messages without a category go to dead_letter_queue");
    }
    if (auto ok = at_most(route->category.size(), limits::kCategoryBytes, field + ": a category"); !ok)
      return ok;
    if (std::ranges::find(routes.begin(), route, route->category, &DeadLetterRoute::category) != route) {
      return fail(ErrorCode::kInvalidArgument, field + ": category '" + route->category + "' is given twice");
    }
    if (auto ok = validate_target(route->queue, field); !ok) return ok;
  }
  return {};
}

Result<void> validate(const DeadLetterSources& sources) {
  using Allow = DeadLetterSources::Allow;
  const std::string field = "dead_letter_sources";
  if (sources.allow != Allow::kAll && sources.allow != Allow::kNone && sources.allow != Allow::kListed) {
    return fail(ErrorCode::kInvalidArgument, field + " is neither all, none nor a list");
  }
  if (sources.allow != Allow::kListed && !sources.queues.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                field + " names queues, but does not say that they are the allowed ones");
  }
  if (auto ok = at_most(sources.queues.size(), limits::kDeadLetterSources, field, "entries"); !ok) return ok;
  for (const std::string& name : sources.queues) {
    if (auto ok = validate_target(name, field); !ok) return ok;
  }
  return {};
}

Result<void> validate(const std::vector<std::string>& names) {
  const std::string field = "searched_attributes";
  if (auto ok = at_most(names.size(), limits::kSearchedAttributes, field, "entries"); !ok) return ok;
  for (auto name = names.begin(); name != names.end(); ++name) {
    if (name->empty()) return fail(ErrorCode::kInvalidArgument, field + ": a name is empty");
    if (auto ok = at_most(name->size(), limits::kAttributeNameBytes, field + ": a name"); !ok) return ok;
    if (std::find(names.begin(), name, *name) != name)
      return fail(ErrorCode::kInvalidArgument, field + ": '" + *name + "' is given twice");
  }
  return {};
}

Result<void> validate_base(const RetryPolicy& retry) {
  const bool used = retry.kind == RetryKind::kFixed || retry.kind == RetryKind::kExponential;
  if (used) return within(retry.base, Duration{1}, limits::kDelayMax, "retry.base");
  if (retry.base == Duration{0}) return {};
  return fail(ErrorCode::kInvalidArgument,
              "retry.base is set, but only fixed and exponential retries have one");
}

Result<void> validate_cap(const RetryPolicy& retry) {
  if (retry.kind == RetryKind::kExponential) {
    return within(retry.cap, retry.base, limits::kDelayMax, "retry.cap");
  }
  if (retry.cap == Duration{0}) return {};
  return fail(ErrorCode::kInvalidArgument, "retry.cap is set, but only exponential retries have one");
}

Result<void> validate_stages(const RetryPolicy& retry) {
  const bool used = retry.kind == RetryKind::kStages;
  if (used == retry.stages.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                used ? "retry.stages is empty" : "retry.stages is set, but the kind is not stages");
  }
  if (auto ok = at_most(retry.stages.size(), limits::kRetryStages, "retry.stages", "waits"); !ok) return ok;
  for (const Duration wait : retry.stages) {
    if (auto ok = within(wait, Duration{0}, limits::kDelayMax, "a wait of retry.stages"); !ok) return ok;
  }
  return {};
}

Result<void> validate(const RetryPolicy& retry) {
  if (retry.kind > RetryKind::kStages) return fail(ErrorCode::kInvalidArgument, "retry.kind is unknown");
  if (retry.to > ReturnTo::kTail) {
    return fail(ErrorCode::kInvalidArgument, "retry.to is neither head nor tail");
  }
  if (auto ok = validate_base(retry); !ok) return ok;
  if (auto ok = validate_cap(retry); !ok) return ok;
  if (auto ok = validate_stages(retry); !ok) return ok;
  const bool bounded = retry.jitter >= 0 && retry.jitter <= 1;  // false for NaN
  if (!bounded) return fail(ErrorCode::kInvalidArgument, "retry.jitter must be 0..1");
  if (retry.kind == RetryKind::kImmediate && retry.jitter > 0) {
    return fail(ErrorCode::kInvalidArgument, "retry.jitter is set, but immediate retries have no wait");
  }
  return {};
}

Result<void> validate(const JournalOptions& journal) {
  if (journal.max_entries == 0 && journal.keep > Duration{0}) {
    return fail(ErrorCode::kInvalidArgument, "journal.keep is set, but journal.max_entries is 0");
  }
  if (journal.max_entries != 0 && journal.max_entries < limits::kJournalEntriesMin) {
    return fail(ErrorCode::kInvalidArgument,
                "journal.max_entries must be 0 or at least " + std::to_string(limits::kJournalEntriesMin));
  }
  if (auto ok = within(journal.max_entries, 0, limits::kJournalEntriesMax, "journal.max_entries"); !ok)
    return ok;
  return within(journal.keep, Duration{0}, limits::kKeepMax, "journal.keep");
}

Result<void> validate(const Tags& tags) {
  if (auto ok = at_most(tags.size(), limits::kTags, "the queue", "tags"); !ok) return ok;
  for (const auto& [name, value] : tags) {
    if (name.empty()) return fail(ErrorCode::kInvalidArgument, "a tag's name is empty");
    if (auto ok = at_most(name.size(), limits::kTagNameBytes, "a tag's name"); !ok) return ok;
    if (auto ok = at_most(value.size(), limits::kTagValueBytes, "tag '" + name + "'"); !ok) return ok;
  }
  return {};
}

// --- each option by itself ---

template <OptionEnum T>
Result<void> validate_word(T value, std::string_view name) {
  if (is_known(value)) return {};
  std::string words;
  for (const auto& [known, word] : option_table::kWords<T>)
    words += (words.empty() ? "" : ", ") + std::string(word);
  return fail(ErrorCode::kInvalidArgument, std::string(name) + " is unknown, it must be one of: " + words);
}

template <class T>
Result<void> validate_value(const QueueOption<T>& option, const T& value) {
  if constexpr (BoundedOption<T>) {
    return option.bounds ? within(value, option.bounds->min, option.bounds->max, option.name)
                         : Result<void>();
  } else if constexpr (OptionEnum<T>) {
    return validate_word(value, option.name);
  } else if constexpr (std::is_same_v<T, std::string>) {
    const bool names_a_queue = option.notation == Notation::kQueue && !value.empty();
    return names_a_queue ? validate_target(value, std::string(option.name)) : Result<void>();
  } else if constexpr (!std::is_same_v<T, bool>) {
    return validate(value);
  } else {
    return {};
  }
}

// --- options that depend on each other ---

Result<void> validate_order(const QueueOptions& options) {
  if (options.priority.levels > 1 && options.grouping.mode != Grouping::kNone) {
    return fail(ErrorCode::kInvalidArgument,
                "priorities and grouping contradict each other: a queue has one or the other");
  }
  if (options.retry.policy.to == ReturnTo::kTail && options.grouping.mode == Grouping::kOrdered)
    return fail(ErrorCode::kInvalidArgument, "retry.to is tail, but the queue is ordered");
  return {};
}

Result<void> validate_expiry(const QueueOptions& options) {
  if (options.expiry.time_to_live == Duration{0} || can_expire(options)) return {};
  return fail(ErrorCode::kInvalidArgument,
              "time_to_live is set and on_expiry is dead_letter, but there is no dead letter queue");
}

Result<void> validate_overflow(const QueueOptions& options) {
  if (options.limits.max_length == 0 && options.limits.max_bytes == 0 &&
      options.limits.on_overflow != OverflowPolicy::kRejectSend) {
    return fail(ErrorCode::kInvalidArgument, "on_overflow is set, but there is no max_length or max_bytes");
  }
  if (options.limits.on_overflow == OverflowPolicy::kDeadLetterHead && options.dead_letters.queue.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "on_overflow is dead_letter_head, but there is no dead letter queue");
  }
  return {};
}

}  // namespace

Result<void> validate(const QueueOptions& options) {
  Result<void> valid;
  for_each_option([&](const auto& option) {
    if (valid) valid = validate_value(option, option.place(options));
  });
  if (!valid) return valid;
  if (auto ok = validate_order(options); !ok) return ok;
  if (auto ok = validate_expiry(options); !ok) return ok;
  return validate_overflow(options);
}

}  // namespace holdfast
