// The requests of a load, by connection.
#pragma once

#include <string>
#include <utility>

#include "bench/http/dialects.h"
#include "bench/http/raw_client.h"

namespace holdfast::bench {

// Sends the same batch again and again.
class SendTalker final : public Talker {
 public:
  SendTalker(const Dialect& dialect, const std::string& queue, const Bodies& bodies)
      : request_(dialect.send(queue, bodies)), batch_(bodies.size()) {}

  const std::string* next(std::string_view body) override {
    if (!body.empty()) messages_ += batch_;
    return &request_;
  }
  std::uint64_t messages() const override { return messages_; }

 private:
  const std::string request_;
  const std::size_t batch_;
  std::uint64_t messages_ = 0;
};

// Receives and deletes again and again, until nothing comes.
class TakeTalker final : public Talker {
 public:
  TakeTalker(const Dialect& dialect, std::string queue, std::size_t max)
      : dialect_(dialect), queue_(std::move(queue)), receive_(dialect.receive(queue_, max)) {}

  const std::string* next(std::string_view body) override {
    if (!received_) {
      messages_ += std::exchange(taken_, 0);
      received_ = true;
      return &receive_;
    }
    const auto receipts = dialect_.receipts(body);
    if (receipts.empty()) return nullptr;
    received_ = false;
    taken_ = receipts.size();
    remove_ = dialect_.remove(queue_, receipts);
    return &remove_;
  }
  // A message that was received and not deleted would block its group in the next turn.
  bool may_stop() const override { return !received_; }
  std::uint64_t messages() const override { return messages_; }

 private:
  const Dialect& dialect_;
  const std::string queue_;
  const std::string receive_;
  std::string remove_;
  bool received_ = false;  // the answer that comes next is that of a receive
  std::size_t taken_ = 0;  // how many messages the delete that is under way takes
  std::uint64_t messages_ = 0;
};

}  // namespace holdfast::bench
