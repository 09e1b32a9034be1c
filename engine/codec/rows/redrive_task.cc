#include "engine/codec/rows/redrive_task.h"

#include <algorithm>
#include <utility>

#include "engine/codec/dead_letters/dead_letter_filter.h"
#include "engine/codec/encoding/tagged.h"

namespace holdfast {
namespace {

// Tags are never changed and never used again; 5, 7 and 12 are not in use.
enum Tag : std::uint32_t {
  kQueue = 1,
  kCursor = 2,
  kEnd = 3,
  kFilter = 4,
  kMoved = 6,
  kAction = 8,
  kQueueName = 9,
  kTarget = 10,
  kTargetName = 11,
  kMax = 13,
  kMaxReplays = 14,
  kParkRefused = 15,
  kUnlessVersion = 16,
  kRate = 17,
  kPatch = 18,
  kSetAttribute = 19,  // repeated
  kDropAttribute = 20,
  kActor = 21,
  kTransforms = 22,
  kState = 23,
  kParked = 24,
  kTotal = 25,
  kStartedAt = 26,
  kFinishedAt = 27,
  kError = 28,
  kBody = 29,
  kCanary = 30,
  kCanaryPercent = 31,
  kCanarySeqs = 32,  // one varint each
  kCanaryPassed = 33,
  kCanaryAcked = 34,
  kCanaryFailed = 35,
  kRequestId = 36,
  kLeftAbandoned = 37,
  kLeftReplayLimit = 38,
  kLeftVersion = 39,
  kLeftEdit = 40,
  kLeftNoQueue = 41,
  kLeftLeased = 42,
  kCancelledBy = 43,
  kCanariesLost = 44,    // as kCanarySeqs
  kValueAttribute = 45,  // repeated: value:u8 name
};

struct LeftCount {
  Tag tag;
  std::uint64_t LeftInPlace::*count;
};
constexpr LeftCount kLeft[] = {
    {kLeftAbandoned, &LeftInPlace::abandoned}, {kLeftReplayLimit, &LeftInPlace::replay_limit},
    {kLeftVersion, &LeftInPlace::version},     {kLeftEdit, &LeftInPlace::edit},
    {kLeftNoQueue, &LeftInPlace::no_queue},    {kLeftLeased, &LeftInPlace::leased}};

// The functions that read a field return false if it does not decode.

bool read_set_attribute(std::string_view bytes, Attributes& attributes) {
  wire::Reader reader(bytes);
  std::string name(reader.bytes());
  attributes.push_back({std::move(name), std::string(reader.rest())});
  return !reader.failed();
}

bool read_value_attribute(std::string_view bytes, std::vector<ValueAttribute>& attributes) {
  wire::Reader reader(bytes);
  const auto value = static_cast<RedriveValue>(reader.u8());
  attributes.push_back({std::string(reader.rest()), value});
  return !reader.failed() && value >= RedriveValue::kFromDlq && value <= RedriveValue::kReplays;
}

bool read_filter(std::string_view bytes, DeadLetterFilter& filter) {
  auto decoded = decode_dead_letter_filter(bytes);
  if (!decoded) return false;
  filter = *std::move(decoded);
  return true;
}

// Reads one of the values `first` to `last`.
template <class Enum>
bool read_choice(std::uint64_t number, Enum first, Enum last, Enum& choice) {
  choice = static_cast<Enum>(number);
  return number >= static_cast<std::uint64_t>(first) && number <= static_cast<std::uint64_t>(last);
}

std::string seqs(const std::vector<Seq>& list) {
  std::string bytes;
  for (const Seq seq : list) wire::put_varint(bytes, static_cast<std::uint64_t>(seq));
  return bytes;
}

bool read_seqs(std::string_view bytes, std::vector<Seq>& list) {
  wire::Reader reader(bytes);
  while (!reader.at_end()) list.push_back(Seq{reader.varint()});
  return !reader.failed();
}

void encode_options(const RedriveOptions& options, std::string& out) {
  tagged::put_text(out, kFilter, encode_dead_letter_filter(options.filter));
  tagged::put_number(out, kMax, options.max);
  tagged::put_number(out, kMaxReplays, options.max_replays);
  tagged::put_number(out, kParkRefused, options.park_refused ? 1 : 0);
  tagged::put_text(out, kUnlessVersion, options.unless_version);
  tagged::put_text(out, kTargetName, options.to);
  tagged::put_number(out, kRate, options.rate);
  tagged::put_text(out, kPatch, options.edit.json_patch);
  for (const auto& [name, value] : options.edit.set_attributes) {
    std::string attribute;
    wire::put_bytes(attribute, name);
    tagged::put_text(out, kSetAttribute, attribute + value);
  }
  for (const std::string& name : options.edit.drop_attributes) tagged::put_text(out, kDropAttribute, name);
  for (const auto& [name, value] : options.edit.value_attributes) {
    std::string attribute;
    wire::put_u8(attribute, static_cast<std::uint8_t>(value));
    tagged::put_text(out, kValueAttribute, attribute + name);
  }
  tagged::put_text(out, kActor, options.actor);
  // A byte precedes the value, since a field may not be empty.
  if (options.edit.body) tagged::put_text(out, kBody, "=" + *options.edit.body);
  tagged::put_number(out, kCanary, options.canary);
  tagged::put_number(out, kCanaryPercent, options.canary_percent);
  tagged::put_text(out, kRequestId, options.request_id);
}

bool decode_option(const tagged::Field& field, RedriveOptions& options) {
  switch (field.tag) {
    case kFilter:
      return read_filter(field.value, options.filter);
    case kMax:
      options.max = field.number();
      return true;
    case kMaxReplays:
      options.max_replays = static_cast<std::uint32_t>(field.number());
      return true;
    case kParkRefused:
      options.park_refused = field.number() != 0;
      return true;
    case kUnlessVersion:
      options.unless_version = field.text();
      return true;
    case kTargetName:
      options.to = field.text();
      return true;
    case kRate:
      options.rate = static_cast<std::uint32_t>(field.number());
      return true;
    case kPatch:
      options.edit.json_patch = field.text();
      return true;
    case kSetAttribute:
      return read_set_attribute(field.value, options.edit.set_attributes);
    case kDropAttribute:
      options.edit.drop_attributes.push_back(field.text());
      return true;
    case kValueAttribute:
      return read_value_attribute(field.value, options.edit.value_attributes);
    case kActor:
      options.actor = field.text();
      return true;
    case kBody:
      options.edit.body = std::string(field.value.substr(std::min<std::size_t>(1, field.value.size())));
      return true;
    case kCanary:
      options.canary = static_cast<std::uint32_t>(field.number());
      return true;
    case kCanaryPercent:
      options.canary_percent = static_cast<std::uint32_t>(field.number());
      return true;
    case kRequestId:
      options.request_id = field.text();
      return true;
    default:
      return true;
  }
}

void decode_left(const tagged::Field& field, LeftInPlace& left) {
  for (const auto& [tag, count] : kLeft) {
    if (field.tag == tag) left.*count = field.number();
  }
}

bool decode_progress(const tagged::Field& field, RedriveTask& task) {
  switch (field.tag) {
    case kQueue:
      task.queue = QueueId{field.number()};
      return true;
    case kQueueName:
      task.queue_name = field.text();
      return true;
    case kTarget:
      task.target = QueueId{field.number()};
      return true;
    case kCursor:
      task.cursor = Seq{field.number()};
      return true;
    case kEnd:
      task.end = Seq{field.number()};
      return true;
    case kAction:
      return read_choice(field.number(), RedriveAction::kRedrive, RedriveAction::kPark, task.options.action);
    case kTransforms:
      task.transforms = field.number() != 0;
      return true;
    case kState:
      return read_choice(field.number(), TaskState::kRunning, TaskState::kCanaryFailed, task.state);
    case kMoved:
      task.moved = field.number();
      return true;
    case kParked:
      task.parked = field.number();
      return true;
    case kTotal:
      task.total = field.number();
      return true;
    case kStartedAt:
      task.started_at = field.time();
      return true;
    case kFinishedAt:
      task.finished_at = field.time();
      return true;
    case kError:
      task.error = field.text();
      return true;
    case kCancelledBy:
      task.cancelled_by = field.text();
      return true;
    case kCanarySeqs:
      return read_seqs(field.value, task.canaries);
    case kCanariesLost:
      return read_seqs(field.value, task.canaries_lost);
    case kCanaryPassed:
      task.canary_passed = field.number() != 0;
      return true;
    case kCanaryAcked:
      task.canary_acked = field.number();
      return true;
    case kCanaryFailed:
      task.canary_failed = field.number();
      return true;
    default:
      return true;
  }
}

}  // namespace

std::string encode_redrive_task(const RedriveTask& task) {
  std::string out;
  tagged::put_number(out, kQueue, static_cast<std::uint64_t>(task.queue));
  tagged::put_number(out, kCursor, static_cast<std::uint64_t>(task.cursor));
  tagged::put_number(out, kEnd, static_cast<std::uint64_t>(task.end));
  tagged::put_number(out, kMoved, task.moved);
  tagged::put_number(out, kAction, static_cast<std::uint64_t>(task.options.action));
  tagged::put_text(out, kQueueName, task.queue_name);
  tagged::put_number(out, kTarget, static_cast<std::uint64_t>(task.target));
  encode_options(task.options, out);
  tagged::put_number(out, kTransforms, task.transforms ? 1 : 0);
  tagged::put_number(out, kState, static_cast<std::uint64_t>(task.state));
  tagged::put_number(out, kParked, task.parked);
  tagged::put_number(out, kTotal, task.total);
  tagged::put_time(out, kStartedAt, task.started_at);
  tagged::put_time(out, kFinishedAt, task.finished_at);
  tagged::put_text(out, kError, task.error);
  for (const auto& [tag, count] : kLeft) tagged::put_number(out, tag, task.left.*count);
  tagged::put_text(out, kCancelledBy, task.cancelled_by);
  tagged::put_text(out, kCanarySeqs, seqs(task.canaries));
  tagged::put_text(out, kCanariesLost, seqs(task.canaries_lost));
  tagged::put_number(out, kCanaryPassed, task.canary_passed ? 1 : 0);
  tagged::put_number(out, kCanaryAcked, task.canary_acked);
  tagged::put_number(out, kCanaryFailed, task.canary_failed);
  return out;
}

Result<RedriveTask> decode_redrive_task(std::string_view row) {
  RedriveTask task;
  bool decoded = true;
  const bool whole = tagged::for_each_field(row, [&](const tagged::Field& field) {
    decode_left(field, task.left);
    decoded = decoded && decode_progress(field, task) && decode_option(field, task.options);
  });
  if (!whole || !decoded) return fail(ErrorCode::kCorruption, "a redrive task does not decode");
  return task;
}

}  // namespace holdfast
