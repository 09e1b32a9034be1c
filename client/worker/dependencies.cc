#include "client/worker/dependencies.h"

#include <algorithm>

namespace holdfast::worker {

const Use* Uses::find(std::string_view name) const {
  const auto use = std::ranges::find(all, name, &Use::name);
  return use == all.end() ? nullptr : &*use;
}

Dependencies::Dependency* Dependencies::named(std::string_view name, Timestamp time) {
  if (const auto known = named_.find(name); known != named_.end()) return &known->second;
  if (named_.size() >= kNames) {
    std::erase_if(named_, [time](const Named::value_type& each) {
      return each.second.breaker.state(time) == Breaker::State::kClosed;
    });
  }
  if (named_.size() >= kNames) return nullptr;
  return &named_.emplace(name, Dependency{Breaker(after_, pause_, pause_max_)}).first->second;
}

bool Dependencies::may_use(std::string_view name, Timestamp time, Uses& uses) {
  if (const Use* before = uses.find(name)) return before->let;
  Use use{.name = std::string(name), .let = true};
  if (Dependency* dependency = named(name, time)) {
    const Breaker::State state = dependency->breaker.state(time);
    use.tries = state == Breaker::State::kTrying && !dependency->tried;
    use.let = state == Breaker::State::kClosed || use.tries;
    dependency->tried |= use.tries;
  }
  uses.all.push_back(use);
  return use.let;
}

bool Dependencies::settled(const Uses& uses, std::string_view unavailable, bool done, Timestamp time) {
  for (const Use& use : uses.all) {
    Dependency* dependency = named(use.name, time);
    if (dependency == nullptr || !use.let) continue;
    if (use.tries) dependency->tried = false;
    if (done) dependency->breaker.succeeded(time);
  }
  if (unavailable.empty()) return false;
  const Use* use = uses.find(unavailable);
  if (use != nullptr && !use->let) return false;  // the handler knew that it was down
  Dependency* dependency = named(unavailable, time);
  return dependency != nullptr && dependency->breaker.failed(time);
}

Duration Dependencies::pause(std::string_view name) const {
  const auto known = named_.find(name);
  return known == named_.end() ? pause_ : known->second.breaker.pause();
}

std::vector<std::string> Dependencies::open(Timestamp time) const {
  std::vector<std::string> names;
  for (const auto& [name, dependency] : named_) {
    if (dependency.breaker.state(time) == Breaker::State::kOpen) names.push_back(name);
  }
  return names;
}

Timestamp Outages::note(const MessageId& message, std::uint32_t replays, Timestamp time) {
  if (const auto known = outages_.find(message); known != outages_.end()) {
    if (known->second.replays == replays) return known->second.since;
    forget(message);
  }
  outages_.emplace(message, Outage{.since = time, .replays = replays});
  oldest_.emplace(time, message);
  if (outages_.size() > kRemembered) forget(oldest_.begin()->second);
  return time;
}

void Outages::forget(const MessageId& message) {
  const auto known = outages_.find(message);
  if (known == outages_.end()) return;
  oldest_.erase({known->second.since, message});
  outages_.erase(known);
}

}  // namespace holdfast::worker
