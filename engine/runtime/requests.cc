#include "runtime/requests.h"

#include <algorithm>
#include <utility>

#include "codec/keys.h"
#include "holdfast/limits.h"

namespace holdfast {

std::uint64_t Requests::bucket(Timestamp time) const {
  return static_cast<std::uint64_t>(time.time_since_epoch() / limits::kRequestWindow);
}

Result<void> Requests::recover(Timestamp now) {
  const auto scan = store_.scan(Family::kDedup, keys::requests_before(0), keys::kRequestsEnd);
  if (!scan->valid()) return scan->status();
  const std::uint64_t current = bucket(now);
  if (auto found = find_later(current); !found) return found;
  oldest_ = 0;
  newest_ = later_.empty() ? current : later_.back();
  filter_.know_from(newest_ + 1);
  return {};
}

// Looks once for each bucket, not at each row.
Result<void> Requests::find_later(std::uint64_t current) {
  for (std::uint64_t from = current + 1;; from = later_.back() + 1) {
    const auto scan = store_.scan(Family::kDedup, keys::requests_before(from), keys::kRequestsEnd);
    if (!scan->valid()) return scan->status();
    const auto found = keys::parse_request_bucket(scan->key());
    if (!found) return fail(ErrorCode::kCorruption, "dedup: the key of an answer to a request is too short");
    later_.push_back(*found);
  }
}

std::optional<GroupNumber> Requests::forget(Timestamp now) {
  const std::uint64_t current = bucket(now);
  const std::uint64_t kept = current - 1;
  {
    const std::scoped_lock lock(mutex_);
    if (!oldest_ || *oldest_ + 1 >= current) return std::nullopt;
    oldest_ = newest_ >= kept ? std::optional(kept) : std::nullopt;
  }
  return pipeline_.join_removal(Family::kDedup, keys::requests_before(0), keys::requests_before(kept),
                                Durability::kBuffered);
}

bool Requests::is_new(const std::string& id, Timestamp now) {
  if (id.empty()) return true;
  const std::scoped_lock lock(mutex_);
  return !filter_.may_know(id, bucket(now));
}

bool Requests::reserve(const std::string& id, std::uint64_t bucket) {
  std::unique_lock lock(mutex_);
  released_.wait(lock, [&] { return !under_way_.contains(id); });
  under_way_.insert(id);
  return filter_.use(id, bucket);
}

void Requests::release(const std::string& id) {
  const std::scoped_lock lock(mutex_);
  under_way_.erase(id);
  released_.notify_all();
}

void Requests::note(std::uint64_t bucket) {
  const std::scoped_lock lock(mutex_);
  if (!oldest_) oldest_ = bucket;
  newest_ = std::max(newest_, bucket);
}

struct Request::Held {
  Requests& requests;
  std::string id;
  std::uint64_t content;
  std::uint64_t bucket;
  bool may_be_answered;

  Held(Requests& all, std::string request_id, std::uint64_t content_hash, std::uint64_t at)
      : requests(all),
        id(std::move(request_id)),
        content(content_hash),
        bucket(at),
        may_be_answered(requests.reserve(id, bucket)) {}
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() { requests.release(id); }
};

Result<Request> Request::begin(Requests& requests, const std::string& id, std::uint64_t content,
                               Timestamp now) {
  Request request;
  if (id.empty()) return request;
  if (id.size() > limits::kRequestIdBytes) {
    return fail(ErrorCode::kLimitExceeded, "request_id has " + std::to_string(id.size()) +
                                               " bytes, the limit is " +
                                               std::to_string(limits::kRequestIdBytes));
  }
  request.held_ = std::make_shared<Held>(requests, id, content, requests.bucket(now));
  return request;
}

Result<std::optional<RequestRow>> Request::answered(std::uint32_t part) const {
  if (!held_ || !held_->may_be_answered) return std::nullopt;
  std::vector<std::uint64_t> buckets{held_->bucket, held_->bucket - 1};
  buckets.insert(buckets.end(), held_->requests.later_.begin(), held_->requests.later_.end());
  for (const std::uint64_t bucket : buckets) {
    auto bytes = held_->requests.store_.get(Family::kDedup, keys::request(bucket, part, held_->id));
    if (!bytes) return tl::unexpected(bytes.error());
    if (!*bytes) continue;
    auto row = decode_request_row(**bytes);
    if (!row) return tl::unexpected(row.error());
    if (row->content == held_->content) return *std::move(row);
    return fail(ErrorCode::kInvalidArgument,
                "request_id '" + held_->id + "' was used for a call with other content");
  }
  return std::nullopt;
}

void Request::record(std::uint32_t part, RequestRow row, Durability durability) const {
  if (!held_) return;
  row.content = held_->content;
  held_->requests.note(held_->bucket);
  held_->requests.pipeline_.join_row(Family::kDedup, keys::request(held_->bucket, part, held_->id),
                                     encode_request_row(row), durability);
}

}  // namespace holdfast
