// EventStream has the engine's events as server-sent events (in the HTML standard).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "server/calls/caller.h"
#include "server/events/event_log.h"
#include "server/http/exchange/exchange.h"

namespace holdfast::server {

// Sends a part each time that something has happened, a few times a second at most, so that a flood comes in
// few parts. Each event has an id, `LOG-NUMBER`, with which a client that was cut off can go on
// (Last-Event-ID). `event: start` comes first, `event: missed` says that events are no longer known, a
// comment comes if nothing happened for a while, and `event: end` comes last. A client with a token sees the
// events of queues that it may operate, and deaths into those. Only the loop's thread uses it.
class EventStream final : public BodySource {
 public:
  struct EventQuery {
    std::string queue = {};          // only what happens in this queue, or dies into it; empty: everything
    std::string last_event_id = {};  // where the client goes on; empty: at the present
  };
  // Reads what a request asks for. kInvalidArgument for an unknown query.
  static Result<EventQuery> read(const HttpRequest& request);

  // Opens a stream. kOverloaded if the connection has too many streams.
  static Result<kj::Own<EventStream>> open(std::shared_ptr<const Caller> caller, EventLog& log,
                                           EventQuery query);

  EventStream(std::shared_ptr<const Caller> caller, std::unique_ptr<Peer::CountedPlace> place, EventLog& log,
              std::string queue, std::uint64_t last);

  // Returns the first part.
  std::string first(std::string_view last_event_id);
  kj::Promise<std::string> next() override;

 private:
  // Returns the client's place; nothing if the id is none that this log has given.
  std::optional<std::uint64_t> place_of(std::string_view last_event_id) const;
  std::string look();
  bool shows(const Event& event) const;
  std::string id(std::uint64_t number) const;
  std::string missed(std::uint64_t count, std::uint64_t number) const;

  const std::shared_ptr<const Caller> caller_;
  const std::unique_ptr<Peer::CountedPlace> place_;
  EventLog& log_;
  const std::string queue_;
  std::uint64_t at_;  // the number of the last event that the client knows
  unsigned silent_ = 0;
  bool over_ = false;
};

}  // namespace holdfast::server
