#include "server/http/routes.h"

#include <algorithm>
#include <array>
#include <ostream>  // Beast prints verbs to one that it only declares

#include "server/http/exchange/query.h"
#include "server/http/exchange/raw_message.h"

namespace holdfast::server {
namespace {

using boost::beast::http::verb;
using enum RouteKind;

// What has effects is never a GET: a page of anybody's can have a browser send one here, and over plain HTTP
// nothing says whose page it is.
constexpr auto kRoutes = std::to_array<Route>({
    {verb::get, "/v1", "hello", "Who is there: the server's version, its limits and its time"},

    {verb::get, "/v1/queues", "listQueues", "All queues that the caller may know of, by name"},
    {verb::put, "/v1/queues/{name}", "createQueue",
     "Creates a queue with the options of the body; nothing happens if it is there with the same ones", kJson,
     "options"},
    {verb::get, "/v1/queues/{name}", "describeQueue", "Options, counts and alerts of a queue"},
    {verb::patch, "/v1/queues/{name}", "alterQueue", "Changes the options that the body names"},
    {verb::delete_,
     "/v1/queues/{name}",
     "deleteQueue",
     "Deletes a queue with all that is in it",
     kJson,
     {},
     204},
    {verb::post, "/v1/queues/{name}/purge", "purgeQueue", "Deletes all messages of a queue"},
    {verb::post, "/v1/queues/{name}/pause", "pauseQueue", "Stops deliveries, sends or both", kJson, {}, 204},
    {verb::post,
     "/v1/queues/{name}/resume",
     "resumeQueue",
     "Starts deliveries, sends or both again",
     kJson,
     {},
     204},
    {verb::post,
     "/v1/queues/{name}/compact",
     "compact",
     "Rewrites a queue's rows on disk without what is gone",
     kJson,
     {},
     204},
    {verb::get, "/v1/queues/{name}/statistics", "queueStatistics", "Rates, ages and latencies of a queue"},

    {verb::post,
     "/v1/queues/{queue}/messages",
     "sendBatch",
     "Sends the body as one message",
     kSendRaw,
     {},
     201},
    {verb::post,
     "/v1/queues/{queue}/messages/batch",
     "sendBatch",
     "Sends several messages",
     kSendBatch,
     {},
     201},
    {verb::get, "/v1/queues/{queue}/messages", "peek", "Looks at messages without receiving them"},
    {verb::post, "/v1/queues/{queue}/deliveries", "receive",
     "Receives messages: each is leased to the caller", kReceive},

    {verb::post, "/v1/queues/{queue}/deliveries/stream", "receive",
     "Receives messages as server-sent events, for as long as the client listens", kStream},

    {verb::post, "/v1/deliveries/ack", "ackBatch", "Done: the messages are gone"},
    {verb::post, "/v1/deliveries/extend", "extendBatch", "The leases end so long from now"},
    {verb::post, "/v1/deliveries/release", "releaseBatch", "Gives messages back, to be delivered again"},
    {verb::post, "/v1/deliveries/reject", "rejectBatch", "Dead-letters messages, with a reason"},
    {verb::post, "/v1/deliveries/start", "startBatch",
     "Charges deliveries that were received without being charged"},
    {verb::delete_, "/v1/deliveries/{receipt}", "ackBatch", "Done: the message is gone", kSettleOne, {}, 204},
    {verb::post,
     "/v1/deliveries/{receipt}/ack",
     "ackBatch",
     "Done: the message is gone",
     kSettleOne,
     {},
     204},
    {verb::post,
     "/v1/deliveries/{receipt}/extend",
     "extendBatch",
     "The lease ends so long from now",
     kSettleOne,
     {},
     204},
    {verb::post,
     "/v1/deliveries/{receipt}/release",
     "releaseBatch",
     "Gives the message back",
     kSettleOne,
     {},
     204},
    {verb::post, "/v1/deliveries/{receipt}/reject", "rejectBatch",
     "Dead-letters the message; the body says why", kSettleOne, "rejection", 204},
    {verb::post, "/v1/deliveries/{receipt}/start", "startBatch", "Charges the delivery", kSettleOne, {}, 204},

    {verb::get, "/v1/messages/{id}/history", "messageHistory", "Where a message has been"},

    {verb::get, "/v1/queues/{queue}/dead-letters", "listDeadLetters",
     "Dead letters of a queue, by time of death"},
    {verb::post, "/v1/dead-letters/find", "findDeadLetters",
     "Dead letters of all queues, or of several, by what they have in them"},
    {verb::get, "/v1/queues/{queue}/dead-letters/groups", "groupDeadLetters",
     "Dead letters of a queue, counted by what they have in common"},
    {verb::get, "/v1/queues/{queue}/dead-letters/statistics", "deadLetterStatistics",
     "Dead letters of a queue by age, and those that came by hour and day"},
    {verb::post, "/v1/queues/{queue}/dead-letters/change", "changeDeadLetters", "Status, assignee and notes"},
    {verb::post, "/v1/queues/{queue}/dead-letters/discard", "discardDeadLetters",
     "Deletes their messages for good"},
    {verb::post, "/v1/queues/{queue}/dead-letters/import", "importDeadLetters", "Puts exported ones back"},
    {verb::post, "/v1/queues/{queue}/dead-letters/redrive", "redrive",
     "Moves them back to where they came from, parks them, or says what it would do", kJson, "options"},

    {verb::get, "/v1/redrives", "listRedrives", "Redrives that run, and those that ended lately"},
    {verb::get, "/v1/redrives/{task}", "redriveStatus", "How far a redrive is"},
    {verb::post, "/v1/redrives/{task}/cancel", "cancelRedrive",
     "Ends a redrive; what it has moved stays moved"},

    {verb::get, "/v1/events", "listQueues",
     "What happens, as server-sent events: deaths, drops and alerts, for as long as the client listens",
     kEvents},

    {verb::get, "/v1/statistics", "statistics", "Numbers about the server and its store"},
    {verb::post, "/v1/backups", "backup", "Makes a backup on the server", kJson, {}, 201},
    {verb::post, "/v1/verify", "verify", "Reads everything and reports what is not as it has to be"},
    {verb::get, "/v1/drain", "drainStatus", "How far a drain is"},
    {verb::post, "/v1/drain", "drain", "Hands nothing out and takes no sends any more", kJson, {}, 202},
    {verb::delete_, "/v1/drain", "resume", "Ends a drain"},
});

using Segments = std::vector<std::string_view>;

Segments split(std::string_view path) {
  Segments segments;
  while (!path.empty()) {
    path.remove_prefix(1);
    const std::size_t end = std::min(path.find('/'), path.size());
    segments.push_back(path.substr(0, end));
    path.remove_prefix(end);
  }
  return segments;
}

// Of each route's path, made once.
const std::vector<Segments>& patterns() {
  static const auto made = [] {
    std::vector<Segments> all;
    for (const Route& route : kRoutes) all.push_back(split(route.path));
    return all;
  }();
  return made;
}

bool is_name(std::string_view segment) { return segment.starts_with('{'); }

// Literal segments go before names: "/v1/deliveries/ack" is not the receipt "ack".
bool fits(const Segments& pattern, const Segments& path, bool literally) {
  return std::ranges::equal(pattern, path, [literally](std::string_view wanted, std::string_view got) {
    return wanted == got || (!literally && is_name(wanted) && !got.empty());
  });
}

std::optional<std::map<std::string, std::string>> names_in(const Route& route, const Segments& path) {
  std::map<std::string, std::string> names;
  const Segments pattern = split(route.path);
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (!is_name(pattern[i])) continue;
    auto value = decode_percent(path[i]);
    if (!value) return std::nullopt;
    names.emplace(pattern[i].substr(1, pattern[i].size() - 2), *std::move(value));
  }
  return names;
}

}  // namespace

std::span<const Route> routes() { return kRoutes; }

std::vector<std::string_view> headers_of(const Route& route) {
  return route.kind == kSendRaw ? raw_message_headers() : std::vector<std::string_view>();
}

bool is_tagged(const Route& route) { return route.method == verb::get && route.kind == kJson; }

std::vector<unsigned> successes_of(const Route& route) {
  std::vector<unsigned> statuses = {route.success};
  if (route.method == verb::put) statuses.push_back(201);  // it is new
  if (route.kind == kReceive) statuses.push_back(204);     // one message was asked for, and there is none
  if (route.kind == kSendBatch) statuses.push_back(200);   // there was no message in it
  if (is_tagged(route)) statuses.push_back(304);
  return statuses;
}

std::optional<std::variant<Match, OtherMethods>> find_route(verb method, std::string_view path) {
  if (!path.starts_with('/')) return std::nullopt;
  const Segments segments = split(path);
  for (const bool literally : {true, false}) {
    OtherMethods others;
    for (std::size_t i = 0; i < kRoutes.size(); ++i) {
      const Route& route = kRoutes[i];
      if (!fits(patterns()[i], segments, literally)) continue;
      if (route.method != method) {
        others.push_back(route.method);
        continue;
      }
      auto names = names_in(route, segments);
      if (!names) return std::nullopt;
      return Match{&route, *std::move(names)};
    }
    if (!others.empty()) return others;
  }
  return std::nullopt;
}

}  // namespace holdfast::server
