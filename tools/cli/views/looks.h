// Looks at a broker again and again, beside the thread that draws what was seen: a silent server must not
// stop the drawing.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <future>
#include <optional>
#include <string>
#include <utility>

#include "holdfast/broker.h"
#include "holdfast/client.h"
#include "tools/cli/texts/duration.h"

namespace holdfast::command {

// Ends the calls of a client, which would otherwise wait for their time to run out. Returns false for an
// engine, which always answers.
inline bool hang_up(Broker& broker) {
  auto* client = dynamic_cast<Client*>(&broker);
  if (client != nullptr) client->close();
  return client != nullptr;
}

// `Seen` has a Timestamp `at`, the time at which it was seen.
template <class Seen>
class Looks {
 public:
  using Look = std::function<Result<Seen>()>;

  Looks(Broker& broker, Duration every, Seen first)
      : broker_(broker), every_(every), last_(std::move(first)), next_at_(system_clock().steady() + every) {}
  Looks(const Looks&) = delete;
  Looks& operator=(const Looks&) = delete;
  ~Looks() {
    if (pending_.valid()) hang_up(broker_);
  }

  const Seen& last() const { return last_; }

  // Takes an answer that has come, and asks again if it is time or `now` says so. Returns whether an answer
  // came.
  bool advance(const Look& look, bool now) {
    const Duration time = system_clock().steady();
    bool came = false;
    if (pending_.valid() && pending_.wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
      auto seen = pending_.get();
      trouble_ = seen ? "" : to_string(seen.error());
      came = seen.has_value();
      if (seen) last_ = std::move(*seen);
      next_at_ = time + every_;
    }
    again_ = again_ || now;
    if (pending_.valid() || (time < next_at_ && !again_)) return came;
    again_ = false;
    asked_at_ = time;
    pending_ = std::async(std::launch::async, look);
    return came;
  }

  // Returns whether an answer is awaited.
  bool is_looking() const { return pending_.valid(); }

  // Says why what is shown is old; an empty text if it is not.
  std::string trouble(Timestamp now, const std::string& place) const {
    const Duration waited = system_clock().steady() - asked_at_;
    const bool silent = pending_.valid() && waited >= std::chrono::seconds(1);
    if (trouble_.empty() && !silent) return {};
    return fmt::format("no answer from {} since {} ({} ago){}{}", place, format_clock_time(last_.at),
                       format_age(now - last_.at), trouble_.empty() ? "" : ": ", trouble_);
  }

 private:
  Broker& broker_;
  Duration every_;
  Seen last_;
  Duration next_at_;  // a time of the steady clock
  Duration asked_at_{};
  bool again_ = false;
  std::string trouble_;  // the error of the last look
  std::future<Result<Seen>> pending_;
};

}  // namespace holdfast::command
