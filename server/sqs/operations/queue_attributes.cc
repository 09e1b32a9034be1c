#include "server/sqs/operations/queue_attributes.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "engine/base/helpers/utf8.h"
#include "engine/codec/encoding/json.h"
#include "engine/codec/encoding/request_json.h"
#include "holdfast/limits.h"
#include "server/sqs/format/sqs_limits.h"
#include "server/sqs/format/sqs_names.h"
#include "server/sqs/format/sqs_values.h"

namespace holdfast::server::sqs {
namespace {

using std::chrono::seconds;

constexpr std::string_view kOwnTags = "aws:sqs:";
constexpr std::string_view kReservedTags = "aws:";
constexpr std::string_view kNoText = "It has characters that are not allowed.";
constexpr std::string_view kWaitTime = "ReceiveMessageWaitTimeSeconds";
constexpr std::string_view kScope = "DeduplicationScope";
constexpr std::string_view kThroughput = "FifoThroughputLimit";
constexpr std::string_view kTrue = "true";
constexpr std::string_view kFalse = "false";

struct Setting {
  std::string_view name;
  const std::string& value;
  std::string_view queue;
  const SqsOptions& sqs;
};

tl::unexpected<Fault> wrong_value(std::string_view name) {
  return refuse(FaultCode::kInvalidAttributeValue,
                "Invalid value for the parameter " + std::string(name) + ".");
}

tl::unexpected<Fault> unknown_attribute(std::string_view name) {
  return refuse(FaultCode::kInvalidAttributeName, "Unknown Attribute " + std::string(name) + ".");
}

Outcome<std::int64_t> number_of(const Setting& setting, const limits::Range& range) {
  std::int64_t number = 0;
  const char* const end = setting.value.data() + setting.value.size();
  const auto read = std::from_chars(setting.value.data(), end, number);
  const bool is_good =
      read.ec == std::errc() && read.ptr == end && number >= range.least && number <= range.most;
  if (is_good) return number;
  return wrong_value(setting.name);
}

Outcome<bool> truth_of(const Setting& setting) {
  if (setting.value == kTrue) return true;
  if (setting.value == kFalse) return false;
  return wrong_value(setting.name);
}

std::string text_of(bool truth) { return std::string(truth ? kTrue : kFalse); }

std::string seconds_of(Duration duration) {
  return std::to_string(std::chrono::duration_cast<seconds>(duration).count());
}

// --- policies ---

// Returns a discarded value if the text is not JSON, or can be read in several ways.
Json read_policy(const std::string& text) {
  return parse_request_json(text).value_or(Json(Json::value_t::discarded));
}

// Returns the maxReceiveCount, which comes as a number or as a text.
std::optional<std::int64_t> count_in(const Json& policy) {
  const auto found = policy.find("maxReceiveCount");
  if (found == policy.end()) return std::nullopt;
  if (found->is_number_integer()) return found->get<std::int64_t>();
  if (!found->is_string()) return std::nullopt;
  const auto& text = found->get_ref<const std::string&>();
  std::int64_t count = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), count);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return count;
}

struct RedrivePolicy {
  std::string target = {};  // empty: there is no target
  std::uint32_t most_receives = 0;
};

Outcome<RedrivePolicy> read_redrive_policy(const Setting& setting) {
  if (setting.value.empty()) return RedrivePolicy{};
  if (!is_sendable(setting.value)) return wrong_value(setting.name);
  const auto wrong = [&](std::string_view reason) {
    return invalid_value(setting.value, setting.name, reason);
  };
  const Json policy = read_policy(setting.value);
  if (!policy.is_object()) return wrong("Redrive policy is not a valid JSON map.");
  if (policy.empty())
    return refuse(FaultCode::kInvalidAttributeValue,
                  "Invalid value for the parameter RedrivePolicy: it has no deadLetterTargetArn and no "
                  "maxReceiveCount. An empty text clears the policy.");
  const auto arn = policy.find("deadLetterTargetArn");
  if (arn == policy.end() || !arn->is_string())
    return wrong("Redrive policy does not contain mandatory attribute: deadLetterTargetArn.");
  const auto count = count_in(policy);
  if (!count || *count < limits::kReceiveCount.least || *count > limits::kReceiveCount.most)
    return wrong("Invalid value for maxReceiveCount: must be an integer between 1 and 1000.");
  std::string target = queue_in_arn(arn->get_ref<const std::string&>(), setting.sqs);
  if (target.empty()) return wrong("Dead letter target does not exist.");
  return RedrivePolicy{std::move(target), static_cast<std::uint32_t>(*count)};
}

Outcome<void> set_redrive_policy(const Setting& setting, QueueOptions& options) {
  auto policy = read_redrive_policy(setting);
  if (!policy) return tl::unexpected(policy.error());
  options.dead_letters.queue = std::move(policy->target);
  if (!options.dead_letters.queue.empty()) options.retry.max_deliveries = policy->most_receives;
  return {};
}

std::string get_redrive_policy(const QueueOptions& options, const SqsOptions& sqs) {
  if (options.dead_letters.queue.empty()) return {};
  return Json({{"deadLetterTargetArn", arn_of(options.dead_letters.queue, sqs)},
               {"maxReceiveCount", options.retry.max_deliveries}})
      .dump();
}

Outcome<void> set_allow_policy(const Setting& setting, QueueOptions& options) {
  DeadLetterSources sources;
  const Json policy = setting.value.empty() ? Json::object() : read_policy(setting.value);
  if (!policy.is_object()) return wrong_value(setting.name);
  const Json permission = policy.value("redrivePermission", Json("allowAll"));
  const Json arns = policy.value("sourceQueueArns", Json::array());
  if (permission == Json("denyAll")) {
    sources.allow = DeadLetterSources::Allow::kNone;
  } else if (permission == Json("byQueue")) {
    sources.allow = DeadLetterSources::Allow::kListed;
  } else if (permission != Json("allowAll")) {
    return wrong_value(setting.name);
  }
  const bool is_listed = sources.allow == DeadLetterSources::Allow::kListed;
  if (!arns.is_array() || arns.empty() == is_listed || arns.size() > limits::kAllowedSources)
    return wrong_value(setting.name);
  for (const Json& arn : arns) {
    std::string source = arn.is_string() ? queue_in_arn(arn.get<std::string>(), setting.sqs) : std::string();
    if (source.empty()) return wrong_value(setting.name);
    sources.queues.push_back(std::move(source));
  }
  options.dead_letters.sources = std::move(sources);
  return {};
}

std::string get_allow_policy(const QueueOptions& options, const SqsOptions& sqs) {
  switch (options.dead_letters.sources.allow) {
    case DeadLetterSources::Allow::kAll:
      return {};
    case DeadLetterSources::Allow::kNone:
      return Json({{"redrivePermission", "denyAll"}}).dump();
    case DeadLetterSources::Allow::kListed:
      break;
  }
  Json arns = Json::array();
  for (const std::string& source : options.dead_letters.sources.queues) arns.push_back(arn_of(source, sqs));
  return Json({{"redrivePermission", "byQueue"}, {"sourceQueueArns", arns}}).dump();
}

// --- single attributes ---

// The lease of a queue whose visibility timeout is 0. It is 0 in whole seconds, in which SQS shows it.
constexpr Duration kBriefly = std::chrono::milliseconds(999);

Outcome<void> set_visibility(const Setting& setting, QueueOptions& options) {
  const auto number = number_of(setting, limits::kVisibility);
  if (!number) return tl::unexpected(number.error());
  // A lease of 0 would end before the answer is made, and would charge a delivery that nobody sees.
  options.lease = *number == 0 ? kBriefly : seconds(*number);
  return {};
}

Outcome<void> set_delay(const Setting& setting, QueueOptions& options) {
  const auto number = number_of(setting, limits::kDelay);
  if (!number) return tl::unexpected(number.error());
  options.delay = seconds(*number);
  return {};
}

// Sets the time to live. A queue that had none drops what expires, as SQS does. A queue that has one, perhaps
// from a client of another protocol, keeps its own way.
Outcome<void> set_retention(const Setting& setting, QueueOptions& options) {
  const auto number = number_of(setting, limits::kRetention);
  if (!number) return tl::unexpected(number.error());
  if (options.expiry.time_to_live == Duration{0}) options.expiry.policy = ExpiryPolicy::kDrop;
  options.expiry.time_to_live = seconds(*number);
  return {};
}

std::string get_retention(const QueueOptions& options, const SqsOptions& /*sqs*/) {
  // SQS has no word for "for ever".
  const bool is_endless = options.expiry.time_to_live == Duration{0};
  return is_endless ? std::to_string(limits::kRetention.most) : seconds_of(options.expiry.time_to_live);
}

Outcome<void> set_size(const Setting& setting, QueueOptions& options) {
  const auto number = number_of(setting, limits::kMaximumMessageSize);
  if (!number) return tl::unexpected(number.error());
  options.limits.max_body_bytes = static_cast<std::uint32_t>(*number);
  return {};
}

// Checks that the attribute agrees with what the queue is: a queue cannot become FIFO, or cease to be.
Outcome<void> check_fifo(const Setting& setting, QueueOptions& options) {
  const auto truth = truth_of(setting);
  if (!truth) return tl::unexpected(truth.error());
  const bool is_fifo = is_fifo_queue(setting.queue, options);
  if (!*truth && !is_fifo) return unknown_attribute(setting.name);
  if (*truth == is_fifo) return {};
  return wrong_value(setting.name);
}

Outcome<void> set_by_content(const Setting& setting, QueueOptions& options) {
  if (!is_fifo_queue(setting.queue, options)) return unknown_attribute(setting.name);
  const auto truth = truth_of(setting);
  if (!truth) return tl::unexpected(truth.error());
  options.deduplication.mode = *truth ? Deduplication::kByContent : Deduplication::kById;
  return {};
}

// --- attributes that are only kept ---

Outcome<void> keep(const Setting& setting, QueueOptions& options) {
  if (!is_sendable(setting.value)) return wrong_value(setting.name);
  keep_value(options.tags, setting.name, setting.value);
  return {};
}

Outcome<void> keep_wait(const Setting& setting, QueueOptions& options) {
  const auto number = number_of(setting, limits::kWait);
  if (!number) return tl::unexpected(number.error());
  keep_value(options.tags, setting.name, *number == 0 ? "" : setting.value);
  return {};
}

Outcome<void> keep_key_reuse(const Setting& setting, QueueOptions& options) {
  const auto number = number_of(setting, limits::kKeyReuse);
  if (!number) return tl::unexpected(number.error());
  return keep(setting, options);
}

Outcome<void> keep_truth(const Setting& setting, QueueOptions& options) {
  const auto truth = truth_of(setting);
  if (!truth) return tl::unexpected(truth.error());
  return keep(setting, options);
}

template <std::string_view const& first, std::string_view const& second>
Outcome<void> keep_choice(const Setting& setting, QueueOptions& options) {
  if (!is_fifo_queue(setting.queue, options)) return unknown_attribute(setting.name);
  if (setting.value != first && setting.value != second) return wrong_value(setting.name);
  return keep(setting, options);
}

constexpr std::string_view kScopeQueue = "queue";
constexpr std::string_view kScopeGroup = "messageGroup";
constexpr std::string_view kPerQueue = "perQueue";
constexpr std::string_view kPerGroup = "perMessageGroupId";

// Checks what a request makes of two attributes that belong together. Clients of other protocols can set the
// tags that keep them, so a queue in which they contradict each other can be altered in everything else.
Outcome<void> check_throughput(const Json& attributes, const QueueOptions& options) {
  const bool is_asked = attributes.contains(kScope) || attributes.contains(kThroughput);
  if (!is_asked || kept_value(options.tags, kThroughput) != kPerGroup || counts_ids_by_group(options))
    return {};
  return refuse(FaultCode::kInvalidAttributeValue,
                "Invalid value for the parameter FifoThroughputLimit. Reason: perMessageGroupId needs the "
                "DeduplicationScope messageGroup.");
}

Outcome<void> keep_policy(const Setting& setting, QueueOptions& options) {
  if (!setting.value.empty() && !read_policy(setting.value).is_object()) return wrong_value(setting.name);
  return keep(setting, options);
}

// --- the table ---

using Set = Outcome<void> (*)(const Setting&, QueueOptions&);
using Get = std::string (*)(const QueueOptions&, const SqsOptions&);

struct Row {
  std::string_view name;
  Set set;
  Get get;                             // null: the value is kept in a tag
  std::string_view fifo_default = {};  // the value of a FIFO queue that keeps none; empty: there is none
  bool only_fifo = false;
};

std::string get_visibility(const QueueOptions& options, const SqsOptions& /*sqs*/) {
  return seconds_of(options.lease);
}
std::string get_delay(const QueueOptions& options, const SqsOptions& /*sqs*/) {
  return seconds_of(options.delay);
}
std::string get_size(const QueueOptions& options, const SqsOptions& /*sqs*/) {
  return std::to_string(options.limits.max_body_bytes);
}
std::string get_wait(const QueueOptions& options, const SqsOptions& /*sqs*/) {
  return std::to_string(default_wait(options).count());
}
std::string get_true(const QueueOptions& /*options*/, const SqsOptions& /*sqs*/) {
  return std::string(kTrue);
}
std::string get_by_content(const QueueOptions& options, const SqsOptions& /*sqs*/) {
  return text_of(options.deduplication.mode == Deduplication::kByContent);
}

constexpr bool kOnlyFifo = true;

constexpr auto kRows = std::to_array<Row>({
    {"VisibilityTimeout", set_visibility, get_visibility},
    {"DelaySeconds", set_delay, get_delay},
    {"MessageRetentionPeriod", set_retention, get_retention},
    {"MaximumMessageSize", set_size, get_size},
    {kWaitTime, keep_wait, get_wait},
    {"RedrivePolicy", set_redrive_policy, get_redrive_policy},
    {"RedriveAllowPolicy", set_allow_policy, get_allow_policy},
    {"FifoQueue", check_fifo, get_true, {}, kOnlyFifo},
    {"ContentBasedDeduplication", set_by_content, get_by_content, {}, kOnlyFifo},
    {kScope, keep_choice<kScopeQueue, kScopeGroup>, nullptr, kScopeQueue, kOnlyFifo},
    {kThroughput, keep_choice<kPerQueue, kPerGroup>, nullptr, kPerQueue, kOnlyFifo},
    {"Policy", keep_policy, nullptr},
    {"KmsMasterKeyId", keep, nullptr},
    {"KmsDataKeyReusePeriodSeconds", keep_key_reuse, nullptr},
    {"SqsManagedSseEnabled", keep_truth, nullptr},
});

std::string value_of(const Row& row, const QueueInfo& queue, const SqsOptions& sqs) {
  if (row.only_fifo && !is_fifo_queue(queue.name, queue.options)) return {};
  if (row.get != nullptr) return row.get(queue.options, sqs);
  std::string kept = kept_value(queue.options.tags, row.name);
  return kept.empty() ? std::string(row.fifo_default) : kept;
}

// Returns the attributes that are known of a queue and cannot be set.
Json facts_of(const QueueInfo& queue, const SqsOptions& sqs) {
  const auto created =
      std::to_string(std::chrono::duration_cast<seconds>(queue.created_at.time_since_epoch()).count());
  const std::string modified = kept_value(queue.options.tags, "LastModifiedTimestamp");
  return {{"QueueArn", arn_of(queue.name, sqs)},
          {"ApproximateNumberOfMessages", std::to_string(queue.counts.ready)},
          {"ApproximateNumberOfMessagesNotVisible", std::to_string(queue.counts.leased)},
          {"ApproximateNumberOfMessagesDelayed", std::to_string(queue.counts.waiting)},
          {"CreatedTimestamp", created},
          {"LastModifiedTimestamp", modified.empty() ? created : modified}};
}

std::string part_name(std::string_view attribute, std::size_t part) {
  std::string name(kOwnTags);
  name += attribute;
  if (part > 0) name += "." + std::to_string(part);
  return name;
}

}  // namespace

QueueOptions new_queue(std::string_view name) {
  QueueOptions options;
  options.expiry.time_to_live = seconds(limits::kRetentionDefault);
  options.expiry.policy = ExpiryPolicy::kDrop;
  options.limits.max_leased = has_fifo_name(name) ? limits::kInFlightFifo : limits::kInFlight;
  options.dead_letters.direct_sends = true;  // in SQS, a queue for dead letters is a queue like any other
  if (has_fifo_name(name)) {
    options.grouping.mode = Grouping::kOrdered;
    options.deduplication.mode = Deduplication::kById;
  }
  return options;
}

Outcome<void> set_attributes(std::string_view queue, const Json& attributes, const SqsOptions& sqs,
                             QueueOptions& options) {
  for (const auto& [name, value] : attributes.items()) {
    const auto* row = std::ranges::find(kRows, name, &Row::name);
    if (row == kRows.end()) return unknown_attribute(name);
    if (auto ok = row->set({row->name, value.get_ref<const std::string&>(), queue, sqs}, options); !ok)
      return ok;
  }
  return check_throughput(attributes, options);
}

Outcome<std::optional<std::string>> redrive_target(std::string_view queue, const Json& attributes,
                                                   const SqsOptions& sqs) {
  constexpr std::string_view kName = "RedrivePolicy";
  const auto found = attributes.find(kName);
  if (found == attributes.end()) return std::optional<std::string>();
  auto policy = read_redrive_policy({kName, found->get_ref<const std::string&>(), queue, sqs});
  if (!policy) return tl::unexpected(policy.error());
  if (policy->target.empty()) return std::optional<std::string>();
  return std::optional(std::move(policy->target));
}

Outcome<Json> get_attributes(const QueueInfo& queue, const Json& names, const SqsOptions& sqs) {
  Json all = facts_of(queue, sqs);
  for (const Row& row : kRows) all[std::string(row.name)] = value_of(row, queue, sqs);
  Json wanted = Json::object();
  const auto add = [&](const std::string& name) {
    const std::string value = all[name].get<std::string>();
    if (!value.empty()) wanted[name] = value;
  };
  for (const Json& name : names) {
    const auto& asked = name.get_ref<const std::string&>();
    if (asked == "All") {
      for (const auto& [known, value] : all.items()) add(known);
    } else if (all.contains(asked)) {
      add(asked);
    } else {
      return unknown_attribute(asked);
    }
  }
  return wanted;
}

bool is_fifo_queue(std::string_view name, const QueueOptions& options) {
  return has_fifo_name(name) && options.grouping.mode == Grouping::kOrdered &&
         options.deduplication.mode != Deduplication::kNone;
}

seconds default_wait(const QueueOptions& options) {
  const std::string kept = kept_value(options.tags, kWaitTime);
  std::int64_t wait = 0;
  std::from_chars(kept.data(), kept.data() + kept.size(), wait);
  return seconds(std::clamp(wait, limits::kWait.least, limits::kWait.most));
}

bool counts_ids_by_group(const QueueOptions& options) {
  return kept_value(options.tags, kScope) == kScopeGroup;
}

std::string kept_value(const Tags& tags, std::string_view attribute) {
  std::string value;
  for (std::size_t part = 0;; ++part) {
    const auto found = tags.find(part_name(attribute, part));
    if (found == tags.end()) return value;
    value += found->second;
  }
}

// Keeps a value in tags. Each part is text by itself, since clients of other protocols get and check tags as
// texts.
void keep_value(Tags& tags, std::string_view attribute, std::string_view value) {
  for (std::size_t part = 0; tags.erase(part_name(attribute, part)) > 0; ++part) {
  }
  for (std::size_t part = 0; !value.empty(); ++part) {
    const auto piece = start_of_text(value, holdfast::limits::kTagValueBytes);
    tags[part_name(attribute, part)] = std::string(piece);
    value.remove_prefix(piece.size());
  }
}

bool is_own_tag(std::string_view name) { return name.starts_with(kOwnTags); }

Outcome<void> check_tag(std::string_view key, std::string_view value) {
  if (key.empty() || key.size() > limits::kTagKeyBytes)
    return invalid_value(key, "Tag.Key", "Must be of 1 to 128 bytes.");
  if (key.starts_with(kReservedTags))
    return invalid_value(key, "Tag.Key", "Keys that begin with aws: are reserved.");
  if (value.size() > limits::kTagValueBytes)
    return invalid_value(value, "Tag.Value", "Must be of at most 256 bytes.");
  if (!is_sendable(key)) return invalid_value(key, "Tag.Key", kNoText);
  if (!is_sendable(value)) return invalid_value(value, "Tag.Value", kNoText);
  return {};
}

}  // namespace holdfast::server::sqs
