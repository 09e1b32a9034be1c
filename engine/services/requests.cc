#include "engine/services/requests.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "engine/codec/encoding/keys.h"
#include "engine/sync/condition_variable.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

// A row is remembered for at least one bucket. That covers the window, within which a repetition is sent, and
// the step by which rows may age while the repetition waits to be read. While it catches up with the wall
// clock, stored time passes by up to one part in 21 faster than the steady clock by which clients measure the
// window (engine_clock.h).
constexpr Duration kBucket = (limits::kRequestWindow + Requests::kLongestStep) * 21 / 20;

static_assert(Duration::max() / kBucket / 2 == keys::kLastRequestBucket);

Result<void> validate_id(const std::string& id) {
  if (id.size() <= limits::kRequestIdBytes) return {};
  return fail(ErrorCode::kLimitExceeded, "request_id has " + std::to_string(id.size()) +
                                             " bytes, the limit is " +
                                             std::to_string(limits::kRequestIdBytes));
}

// Lets a blocking call wait for its turn.
class AwaitedTurn {
 public:
  void come(Result<HeldRequest> request) {
    const sync::Lock lock(mutex_);
    request_ = std::move(request);
    came_.notify_one();
  }
  Result<HeldRequest> wait() {
    sync::Lock lock(mutex_);
    while (!request_) came_.wait(lock);
    return *std::exchange(request_, std::nullopt);
  }

 private:
  sync::Mutex mutex_;
  sync::ConditionVariable came_;
  std::optional<Result<HeldRequest>> request_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace

// The first bucket is 1, so that there is one before it. No call is placed in a bucket before the last one
// that has rows.
Result<void> Requests::recover(Timestamp now) {
  const auto last = last_bucket();
  if (!last) return tl::unexpected(last.error());
  const auto row = store_.get(Family::kCatalog, keys::kRequestTimeRow);
  if (!row) return tl::unexpected(row.error());
  const auto written = *row ? decode_request_time(**row) : Duration(0);
  if (!written) return tl::unexpected(written.error());
  const sync::Lock lock(mutex_);
  lived_ = std::max(*written, kBucket * static_cast<Duration::rep>(std::max<std::uint64_t>(*last, 1)));
  written_ = *written;
  looked_at_ = now;
  if (*last == 0) return {};
  oldest_ = 0;
  newest_ = bucket();
  filter_.know_from(newest_ + 1);
  return {};
}

// The function looks once for each bucket, and not at each row.
Result<std::uint64_t> Requests::last_bucket() const {
  for (std::uint64_t last = 0;;) {
    const auto scan = store_.scan(Family::kDedup, keys::requests_before(last + 1), keys::kRequestsEnd);
    if (!scan->valid()) {
      if (auto ok = scan->status(); !ok) return tl::unexpected(ok.error());
      return last;
    }
    const auto found = keys::parse_request_bucket(scan->key());
    if (!found)
      return fail(ErrorCode::kCorruption, "dedup: the key of an answer to a request does not decode");
    last = *found;
  }
}

void Requests::look(Timestamp now) {
  const Timestamp before = std::exchange(looked_at_, std::max(looked_at_, now));
  lived_ += std::min(looked_at_ - before, kLongestStep);
}

std::uint64_t Requests::bucket() const { return static_cast<std::uint64_t>(lived_ / kBucket); }

std::optional<Duration> Requests::unwritten(Duration at_least) {
  if (lived_ - written_ < at_least) return std::nullopt;
  return written_ = lived_;
}

GroupNumber Requests::write(Duration lived) {
  pipeline_.gate().assert_inside();
  return pipeline_.join_row(Family::kCatalog, std::string(keys::kRequestTimeRow), encode_request_time(lived),
                            Durability::kBuffered);
}

std::optional<GroupNumber> Requests::forget(Timestamp now) {
  std::optional<Duration> lived;
  std::optional<std::uint64_t> end;
  {
    const sync::Lock lock(mutex_);
    look(now);
    if (!oldest_) return std::nullopt;
    lived = unwritten(kLongestStep);
    const std::uint64_t kept = bucket() - 1;
    if (*oldest_ < kept) {
      end = kept;
      oldest_ = newest_ >= kept ? end : std::nullopt;
    }
  }
  pipeline_.gate().assert_inside();
  std::optional<GroupNumber> group;
  if (lived) group = write(*lived);
  if (end)
    group = pipeline_.join_removal(Family::kDedup, keys::requests_before(0), keys::requests_before(*end),
                                   Durability::kBuffered);
  return group;
}

struct HeldRequest::Held {
  Requests& requests;
  const std::string id;
  std::uint64_t content = 0;
  std::optional<Requests::RequestPlace> place = {};
  bool has_first_row = false;  // a row of part 0 exists, from an earlier call or this one

  Held(Requests& all, std::string request_id) : requests(all), id(std::move(request_id)) {}
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() { requests.pass_on(id); }
};

HeldRequest Requests::held(const std::string& id) {
  return HeldRequest(std::make_shared<HeldRequest::Held>(*this, id));
}

Result<std::optional<HeldRequest>> Requests::try_take(const std::string& id) {
  if (id.empty()) return HeldRequest();
  if (auto ok = validate_id(id); !ok) return tl::unexpected(ok.error());
  {
    const sync::Lock lock(mutex_);
    if (!held_.try_emplace(id).second) return std::nullopt;
  }
  return held(id);
}

Result<HeldRequest> Requests::take(const std::string& id) {
  auto taken = try_take(id);
  if (!taken) return tl::unexpected(taken.error());
  if (*taken) return **std::move(taken);
  // The turn is shared, because the thread that passes the id on may still be returning when this call goes
  // on.
  const auto turn = std::make_shared<AwaitedTurn>();
  stand_in_line(id, [turn](Result<HeldRequest> request) { turn->come(std::move(request)); });
  return turn->wait();
}

void Requests::stand_in_line(const std::string& id, Turn turn) {
  {
    const sync::Lock lock(mutex_);
    const auto [place, is_free] = held_.try_emplace(id);
    if (!is_free) {
      place->second.push_back(std::move(turn));
      return;
    }
  }
  turn(held(id));
}

void Requests::pass_on(const std::string& id) {
  Turn next;
  {
    const sync::Lock lock(mutex_);
    const auto holder = held_.find(id);
    if (holder->second.empty()) {
      held_.erase(holder);
      return;
    }
    next = std::move(holder->second.front());
    holder->second.pop_front();
  }
  next(held(id));
}

void Requests::stop() {
  std::list<Turn> all;
  {
    const sync::Lock lock(mutex_);
    for (auto& [id, line] : held_) all.splice(all.end(), line);
  }
  for (const Turn& turn : all) turn(fail(ErrorCode::kClosed, "the engine is closed"));
}

// The time was read without the lock. A call that was placed meanwhile may have seen a later time, which then
// counts for this call too.
Requests::RequestPlace Requests::place(const std::string& id, Timestamp now) {
  const sync::Lock lock(mutex_);
  look(now);
  return {bucket(), filter_.use(id, bucket())};
}

void Requests::record(const std::string& id, std::uint64_t bucket, std::uint32_t part, const RequestRow& row,
                      Durability durability) {
  // Lived time is written about once for each group of commits, so even engines that live for moments add to
  // it.
  constexpr Duration kBetweenWrites = std::chrono::milliseconds(10);
  std::optional<Duration> lived;
  {
    const sync::Lock lock(mutex_);
    if (!oldest_) oldest_ = bucket;
    newest_ = std::max(newest_, bucket);
    lived = unwritten(kBetweenWrites);
  }
  pipeline_.gate().assert_inside();
  pipeline_.join_row(Family::kDedup, keys::request(bucket, part, id), encode_request_row(row), durability);
  if (lived) write(*lived);
}

void Requests::keep(const std::string& id, const RequestRow& row, Timestamp now, Durability durability) {
  record(id, place(id, now).bucket, 0, row, durability);
}

void HeldRequest::begin(std::uint64_t content, Timestamp now) const {
  if (!held_) return;
  held_->content = content;
  if (!held_->place) held_->place = held_->requests.place(held_->id, now);
}

bool HeldRequest::is_new(Timestamp now) const {
  if (!held_) return true;
  if (!held_->place) held_->place = held_->requests.place(held_->id, now);
  return !held_->place->may_be_answered;
}

Result<std::optional<RequestRow>> HeldRequest::find(std::uint32_t part) const {
  if (!held_->place->may_be_answered) return std::nullopt;
  for (const std::uint64_t bucket : {held_->place->bucket, held_->place->bucket - 1}) {
    auto bytes = held_->requests.store_.get(Family::kDedup, keys::request(bucket, part, held_->id));
    if (!bytes) return tl::unexpected(bytes.error());
    if (!*bytes) continue;
    auto row = decode_request_row(**bytes);
    if (!row) return tl::unexpected(row.error());
    return *std::move(row);
  }
  return std::nullopt;
}

Result<std::optional<RequestRow>> HeldRequest::answered(std::uint32_t part) const {
  if (!held_) return std::nullopt;
  auto row = find(part);
  if (!row || !*row) return row;
  if (part == 0) held_->has_first_row = true;
  if ((*row)->content == held_->content) return row;
  return fail(ErrorCode::kInvalidArgument, "the request_id was used for a call with other content");
}

// Every id that is in use has a row of part 0: see record().
Result<bool> HeldRequest::is_known(Timestamp now) const {
  if (is_new(now)) return false;
  const auto row = find(0);
  if (!row) return tl::unexpected(row.error());
  return row->has_value();
}

void HeldRequest::record(std::uint32_t part, RequestRow row, Durability durability) const {
  if (!held_) return;
  const auto write = [&](std::uint32_t of, const RequestRow& answer) HOLDFAST_REQUIRES_SHARED(inside_gate) {
    held_->requests.record(held_->id, held_->place->bucket, of, answer, durability);
  };
  // Another call with the id has other parts. The row of the first part alone says whether the id is in use.
  if (part != 0 && !held_->has_first_row) write(0, {.content = held_->content, .entries = 0});
  held_->has_first_row = true;
  row.content = held_->content;
  write(part, row);
}

}  // namespace holdfast
