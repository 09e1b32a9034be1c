#include "tests/client/holding_proxy.h"

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <future>
#include <utility>

namespace holdfast::testing {
namespace {

using boost::asio::ip::tcp;
using Failure = boost::system::error_code;

tcp::endpoint endpoint_of(const std::string& address) {
  const auto colon = address.rfind(':');
  const auto port = std::stoul(address.substr(colon + 1));
  return {boost::asio::ip::make_address(address.substr(0, colon)), static_cast<std::uint16_t>(port)};
}

}  // namespace

class HoldingProxy::Link : public std::enable_shared_from_this<Link> {
 public:
  Link(HoldingProxy& proxy, tcp::socket client) : client_(std::move(client)), server_(proxy.io_) {
    server_.connect(proxy.server_);
  }

  void start() {
    from_client();
    from_server();
  }

  void hold() { holds_ = hangs_up_ = true; }
  void hold_answers() { holds_answers_ = true; }
  void wait_for_answer(std::promise<void>& there) {
    answers_.empty() ? void(answer_there_ = &there) : there.set_value();
  }
  void wait_for_call(std::promise<void>& there) {
    held_.empty() ? void(call_there_ = &there) : there.set_value();
  }
  void answer() {
    holds_answers_ = false;
    boost::asio::write(client_, boost::asio::buffer(answers_));
  }
  void break_off() { client_.close(); }

  void let_go(std::promise<void>& heard) {
    heard_ = &heard;
    if (server_gone_) return hear();
    boost::asio::async_write(server_, boost::asio::buffer(held_),
                             [self = shared_from_this()](const Failure& failure, std::size_t) {
                               if (failure) self->hear();
                             });
  }

 private:
  void from_client() {
    client_.async_read_some(boost::asio::buffer(up_),
                            [self = shared_from_this()](const Failure& failure, std::size_t bytes) {
                              if (!failure) self->take({self->up_.data(), bytes});
                            });
  }

  void take(std::string bytes) {
    if (holds_) {
      held_ = std::move(bytes);
      if (call_there_ != nullptr) std::exchange(call_there_, nullptr)->set_value();
      if (hangs_up_) client_.close();
      return;
    }
    boost::asio::write(server_, boost::asio::buffer(bytes));
    from_client();
  }

  void from_server() {
    server_.async_read_some(boost::asio::buffer(down_),
                            [self = shared_from_this()](const Failure& failure, std::size_t bytes) {
                              self->pass_on(failure, {self->down_.data(), bytes});
                            });
  }

  void pass_on(const Failure& failure, const std::string& bytes) {
    server_gone_ = server_gone_ || failure;
    Failure gone;
    if (holds_answers_) {
      answers_ += bytes;
      holds_ = true;
      if (answer_there_ != nullptr) std::exchange(answer_there_, nullptr)->set_value();
    } else if (client_.is_open())
      boost::asio::write(client_, boost::asio::buffer(bytes), gone);
    hear();
    if (!failure) return from_server();
    client_.close(gone);
  }

  // Called when something has come from the server, be it only the end of the connection.
  void hear() {
    if (heard_ != nullptr) std::exchange(heard_, nullptr)->set_value();
  }

  tcp::socket client_;
  tcp::socket server_;
  std::array<char, 16384> up_{};
  std::array<char, 16384> down_{};
  bool holds_ = false;
  bool hangs_up_ = false;
  bool holds_answers_ = false;
  bool server_gone_ = false;
  std::string held_;
  std::string answers_;
  std::promise<void>* answer_there_ = nullptr;
  std::promise<void>* call_there_ = nullptr;
  std::promise<void>* heard_ = nullptr;
};

HoldingProxy::HoldingProxy(const std::string& server)
    : acceptor_(io_, tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0)),
      server_(endpoint_of(server)) {
  accept_next();
  thread_ = std::thread([this] { io_.run(); });
}

HoldingProxy::~HoldingProxy() {
  io_.stop();
  thread_.join();
}

std::string HoldingProxy::address() const {
  return "127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port());
}

template <class Work>
void HoldingProxy::run(Work work) {
  std::promise<void> done;
  boost::asio::post(io_, [&] {
    work();
    done.set_value();
  });
  done.get_future().wait();
}

void HoldingProxy::hold() {
  run([this] {
    holding_ = newest_;
    holding_->hold();
  });
}

void HoldingProxy::hold_answers() {
  run([this] {
    holding_ = newest_;
    holding_->hold_answers();
  });
}

void HoldingProxy::wait_for_answer() {
  std::promise<void> there;
  run([&] { holding_->wait_for_answer(there); });
  there.get_future().wait();
}

void HoldingProxy::wait_for_call() {
  std::promise<void> there;
  run([&] { holding_->wait_for_call(there); });
  there.get_future().wait();
}

void HoldingProxy::answer() {
  run([this] { holding_->answer(); });
}

void HoldingProxy::break_off() {
  run([this] { holding_->break_off(); });
}

void HoldingProxy::let_go() {
  std::promise<void> heard;
  run([&] { holding_->let_go(heard); });
  heard.get_future().wait();
}

void HoldingProxy::accept_next() {
  acceptor_.async_accept([this](const Failure& failure, tcp::socket client) {
    if (!failure) {
      newest_ = std::make_shared<Link>(*this, std::move(client));
      newest_->start();
    }
    accept_next();
  });
}

}  // namespace holdfast::testing
