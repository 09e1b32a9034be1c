#include "server/http/streams/event_stream.h"

#include <cctype>
#include <charconv>
#include <utility>

#include "engine/base/time_text.h"
#include "server/http/exchange/query.h"

namespace holdfast::server {
namespace {

// A stream looks for events this often. The end of the server waits up to this long for a stream.
constexpr auto kPace = std::chrono::milliseconds(250);
// A comment is sent after so many looks in a row that found nothing, that is, after 15 seconds: proxies hang
// up on connections that are silent for a minute.
constexpr unsigned kSilentLooks = 60;
constexpr std::size_t kPartEvents = 1000;

// Returns the name that the HTTP API has for a name of the library: "rule_fired" becomes "ruleFired".
std::string json_name(std::string_view name) {
  std::string made;
  bool upper = false;
  for (const char c : name) {
    if (c != '_') made += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = c == '_';
  }
  return made;
}

Json json_of(const Event& event) {
  Json json = {{"at", format_time(event.time)}, {"count", event.count}};
  if (!event.queue.empty()) json["queue"] = event.queue;
  if (event.message) json["messageId"] = event.message->to_string();
  if (event.cause) json["cause"] = json_name(to_string(*event.cause));
  if (!event.category.empty()) json["category"] = event.category;
  if (!event.text.empty()) json["text"] = event.text;
  if (!event.target.empty()) json["target"] = event.target;
  return json;
}

std::string part(std::string_view name, const std::string& id, const Json& data) {
  return "id: " + id + "\nevent: " + std::string(name) +
         "\ndata: " + data.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n\n";
}

}  // namespace

Result<EventStream::EventQuery> EventStream::read(const HttpRequest& request) {
  const auto query = parse_query(view(request.target()));
  if (!query) return fail(ErrorCode::kInvalidArgument, "the query is badly percent-encoded");
  EventQuery read{.queue = {}, .last_event_id = std::string(view(request["Last-Event-ID"]))};
  for (const auto& [name, values] : *query) {
    if (name != "queue" || values.size() != 1)
      return fail(ErrorCode::kInvalidArgument, name + ": the query may have one queue, and nothing else");
    read.queue = values.front();
  }
  return read;
}

Result<kj::Own<EventStream>> EventStream::open(std::shared_ptr<const Caller> caller, EventLog& log,
                                               EventQuery query) {
  auto place = caller->peer().admit_subscription();
  if (!place) return tl::unexpected(place.error());
  const auto last = log.listen();
  if (!last) return tl::unexpected(last.error());
  return kj::heap<EventStream>(std::move(caller), *std::move(place), log, std::move(query.queue), *last);
}

EventStream::EventStream(std::shared_ptr<const Caller> caller, std::unique_ptr<Peer::CountedPlace> place,
                         EventLog& log, std::string queue, std::uint64_t last)
    : caller_(std::move(caller)), place_(std::move(place)), log_(log), queue_(std::move(queue)), at_(last) {}

std::optional<std::uint64_t> EventStream::place_of(std::string_view last_event_id) const {
  const std::string_view digits = last_event_id.substr(last_event_id.rfind('-') + 1);
  std::uint64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (number > at_ || id(number) != last_event_id) return std::nullopt;
  return number;
}

// Returns the first part. A client with another id than those of this log, such as one of the server before a
// restart, is told that it missed events; the count is 0, since nobody knows how many.
std::string EventStream::first(std::string_view last_event_id) {
  const auto place = place_of(last_event_id);
  at_ = place.value_or(at_);
  std::string text = "retry: 1000\n\n" + part("start", id(at_), Json::object());
  const bool is_unknown = !last_event_id.empty() && !place;
  return is_unknown ? text + missed(0, at_) : text;
}

kj::Promise<std::string> EventStream::next() {
  if (over_) return std::string();
  return caller_->state().port.after(kPace).then([this]() -> kj::Promise<std::string> {
    std::string text = look();
    if (!text.empty()) return text;
    return next();
  });
}

std::string EventStream::look() {
  const bool revoked = caller_->is_revoked();
  if (caller_->state().stopping || revoked) {
    over_ = true;
    const ErrorCode code = revoked ? ErrorCode::kPermissionDenied : ErrorCode::kClosed;
    return part("end", id(at_), {{"code", error_info(code).name}});
  }
  const EventLog::Part news = log_.after(at_, kPartEvents);
  std::string text;
  if (news.missed > 0) text += missed(news.missed, at_ + news.missed);
  at_ += news.missed;
  for (const auto& [number, event] : news.entries) {
    at_ = number;
    if (shows(event)) text += part(json_name(to_string(event.kind)), id(number), json_of(event));
  }
  silent_ = text.empty() ? silent_ + 1 : 0;
  if (silent_ < kSilentLooks) return text;
  silent_ = 0;
  return ": nothing\n\n";
}

bool EventStream::shows(const Event& event) const {
  const bool is_of_queue = !event.queue.empty();
  if (is_of_queue && !queue_.empty() && event.queue != queue_ && event.target != queue_) return false;
  const Rights* rights = caller_->rights().get();
  if (rights == nullptr || !is_of_queue) return true;
  return rights->allow(Right::kOperate, event.queue) ||
         (!event.target.empty() && rights->allow(Right::kOperate, event.target));
}

std::string EventStream::id(std::uint64_t number) const { return log_.name() + "-" + std::to_string(number); }

std::string EventStream::missed(std::uint64_t count, std::uint64_t number) const {
  return part("missed", id(number), {{"count", count}});
}

}  // namespace holdfast::server
