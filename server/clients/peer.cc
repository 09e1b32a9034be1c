#include "server/clients/peer.h"

#include <chrono>
#include <utility>
#include <vector>

#include "holdfast/limits.h"
#include "server/logging/method_names.h"

namespace holdfast::server {
namespace {

tl::unexpected<Error> overloaded(std::string_view what, std::size_t limit) {
  return fail(ErrorCode::kOverloaded,
              std::string(what) + " of this connection have reached their limit of " + std::to_string(limit));
}

}  // namespace

Peer::Admission::Admission(Peer& peer) : peer_(peer) {
  ++peer_.calls_;
  peer_.state_.calls.add();
}

Peer::Admission::~Admission() {
  --peer_.calls_;
  peer_.send_bytes_ -= send_bytes_;
  peer_.state_.all.send_bytes -= send_bytes_;
  peer_.state_.calls.remove();
}

Result<void> Peer::Admission::add_send_bytes(std::size_t bytes) {
  const auto& limits = peer_.state_.options.limits;
  if (bytes > 0 && peer_.send_bytes_ + bytes > limits.max_send_bytes)
    return overloaded("the bytes being sent", limits.max_send_bytes);
  if (bytes > 0 && peer_.state_.all.send_bytes + bytes > limits.max_total_send_bytes) {
    return fail(ErrorCode::kOverloaded, "the bytes being sent by all clients have reached their limit of " +
                                            std::to_string(limits.max_total_send_bytes));
  }
  send_bytes_ += bytes;
  peer_.send_bytes_ += bytes;
  peer_.state_.all.send_bytes += bytes;
  return {};
}

Result<std::unique_ptr<Peer::Admission>> Peer::admit() {
  const std::size_t limit = state_.options.limits.max_calls;
  if (state_.stopping) return fail(ErrorCode::kClosed, "the server is stopping");
  if (calls_ >= limit) return overloaded("the calls in flight", limit);
  return std::make_unique<Admission>(*this);
}

Result<std::unique_ptr<Peer::CountedPlace>> Peer::admit_subscription() {
  const std::size_t limit = state_.options.limits.max_calls;
  if (subscriptions_ >= limit) return overloaded("the subscriptions", limit);
  return std::make_unique<CountedPlace>(subscriptions_);
}

Result<std::unique_ptr<Peer::CountedPlace>> Peer::admit_authentication() {
  const std::size_t limit = state_.options.limits.max_calls;
  if (authentications_ >= limit) return overloaded("the authentications", limit);
  return std::make_unique<CountedPlace>(authentications_);
}

Result<std::unique_ptr<Peer::CountedPlace>> Peer::admit_farewell() {
  const std::size_t limit = state_.options.limits.max_calls;
  if (farewells_ >= limit) return overloaded("the calls that wait for the server's end", limit);
  return std::make_unique<CountedPlace>(farewells_);
}

// A peer without a connection is not told, and will not ask again.
void Peer::told(const DrainStatus& status) {
  if (!is_connected()) return;
  state_.all.drain.told(this, status);
  knows_that_drain_is_over_ = status.over;
  const bool awaits = status.draining && status.exits;
  if (awaits && !awaits_end_) state_.farewells.add();
  if (!awaits && awaits_end_) state_.farewells.remove();
  awaits_end_ = awaits;
}

void Peer::end_told() {
  if (std::exchange(awaits_end_, false)) state_.farewells.remove();
}

Result<void> Peer::admit_reply(std::size_t bytes) const {
  const auto& limits = state_.options.limits;
  if (traffic_ && traffic_->ledger.unfinished_bytes() > limits.max_unread_bytes)
    return overloaded("the bytes of replies that were not finished", limits.max_unread_bytes);
  const bool is_assured = bytes > 0 && bytes <= limits::kAssuredAnswerBytes;
  if (!traffic_ && !is_assured &&
      !state_.all.unread_answers.admit(bytes, limits, std::chrono::steady_clock::now())) {
    return fail(ErrorCode::kOverloaded,
                "the answers that clients have not read have reached their limit of " +
                    std::to_string(limits.max_total_send_bytes) + " bytes");
  }
  return admit_push(bytes);
}

Result<void> Peer::admit_push(std::size_t bytes) const {
  if (connection_ == nullptr) return fail(ErrorCode::kClosed, "the connection is closed");
  auto unread = connection_->unsent_bytes();
  if (unread == 0 || unread + bytes <= state_.options.limits.max_unread_bytes) return {};
  return overloaded("the bytes of replies that were not read", state_.options.limits.max_unread_bytes);
}

kj::Promise<void> Peer::replies_sent() const {
  if (connection_ == nullptr) return kj::READY_NOW;
  return connection_->drained();
}

void Peer::connect(transport::Outlet& connection, std::shared_ptr<const Traffic> traffic, Seats::Seat& seat) {
  connection_ = &connection;
  traffic_ = std::move(traffic);
  seat_ = &seat;
  in_flight_ = state_.meter.in_flight.open();
}

void Peer::disconnect() {
  forget_name();
  connection_ = nullptr;
  seat_ = nullptr;
  in_flight_ = nullptr;
  end_told();
  state_.all.drain.forget(this);
}

bool Peer::has_gone() const { return connection_ == nullptr || connection_->is_lost(); }

void Peer::set_name(const convert::ConnectionName& name) {
  forget_name();
  if (!is_connected()) return;
  name_ = name;
  state_.named.insert_or_assign(name, number_);
}

// Another connection may have taken the name over since.
void Peer::forget_name() {
  if (!name_) return;
  const auto named = state_.named.find(*name_);
  if (named != state_.named.end() && named->second == number_) state_.named.erase(named);
  name_.reset();
}

void Peer::set_authenticated() {
  authenticated_ = true;
  if (seat_ != nullptr) seat_->is_known();
}

std::size_t Peer::max_unfinished_calls() const {
  return authenticated_ ? state_.options.limits.max_unfinished_calls : limits::kUnauthenticatedCalls;
}

void Peer::hold(const Deliveries& deliveries) {
  if (!in_flight_) return;
  std::vector<Receipt> receipts;
  receipts.reserve(deliveries.size());
  for (const Delivery& delivery : deliveries) receipts.push_back(delivery.receipt);
  in_flight_->add(state_.engine, receipts);
}

bool Peer::is_stranger() const {
  return origin_.user && !is_owner() && !state_.all.users.contains(*origin_.user);
}

LogLine Peer::line(std::string_view event) const {
  LogLine line(event);
  line.add("connection", number_).add("peer", origin_.address).add("principal", principal_);
  return line;
}

LogLine Peer::line(std::string_view event, const LoggedCall& call) const {
  static const std::vector<std::string> methods = method_names();
  LogLine text = line(event);
  text.add("request", std::to_string(number_) + '-' + std::to_string(call.number));
  if (call.method < methods.size()) text.add("method", methods[call.method]);
  return text;
}

}  // namespace holdfast::server
