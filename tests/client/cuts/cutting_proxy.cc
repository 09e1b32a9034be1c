#include "tests/client/cuts/cutting_proxy.h"

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <limits>
#include <optional>
#include <utility>

namespace holdfast::testing {
namespace {

using boost::asio::ip::tcp;
using Failure = boost::system::error_code;

constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

tcp::endpoint endpoint_of(const std::string& address) {
  const auto colon = address.rfind(':');
  const auto port = std::stoul(address.substr(colon + 1));
  return {boost::asio::ip::make_address(address.substr(0, colon)), static_cast<std::uint16_t>(port)};
}

}  // namespace

// A connection of a client, and the connection to the server that it leads to.
class CuttingProxy::Link : public std::enable_shared_from_this<Link> {
 public:
  Link(CuttingProxy& proxy, tcp::socket client)
      : proxy_(proxy), client_(std::move(client)), server_(proxy.io_), silence_(proxy.io_) {
    if (proxy.repetitions_ != nullptr) ear_.emplace(*proxy.repetitions_);
    Random& random = proxy.random_;
    const auto& [greeting, most] = proxy.bytes_;
    const std::size_t bytes =
        random.one_in(4) ? random.between(1, greeting) : greeting + random.between(1, most);
    (random.one_in(2) ? up_ : down_).left = bytes;
    resets_ = random.one_in(2);
    if (random.one_in(2)) silent_for_ = std::chrono::milliseconds(random.between(1, 30));
  }

  void start() {
    server_.async_connect(proxy_.server_, [self = shared_from_this()](const Failure& failure) {
      if (failure) return self->close();
      Failure ignored;
      self->client_.set_option(tcp::no_delay(true), ignored);
      self->server_.set_option(tcp::no_delay(true), ignored);
      self->pass(self->client_, self->server_, self->up_);
      self->pass(self->server_, self->client_, self->down_);
    });
  }

 private:
  struct Direction {
    std::size_t left = kNever;
    std::array<char, 16384> buffer;
  };

  void pass(tcp::socket& from, tcp::socket& to, Direction& direction) {
    from.async_read_some(
        boost::asio::buffer(direction.buffer),
        [self = shared_from_this(), &from, &to, &direction](const Failure& failure, std::size_t bytes) {
          if (failure) return self->close();
          self->hear(direction, bytes);
          self->forward(from, to, direction, bytes);
        });
  }

  void forward(tcp::socket& from, tcp::socket& to, Direction& direction, std::size_t bytes) {
    const std::size_t passed = std::min(bytes, direction.left);
    if (direction.left != kNever) direction.left -= passed;
    boost::asio::async_write(
        to, boost::asio::buffer(direction.buffer, passed),
        [self = shared_from_this(), &from, &to, &direction](const Failure& failure, std::size_t) {
          if (failure) return self->close();
          if (direction.left == 0) return self->end(direction);
          self->pass(from, to, direction);
        });
  }

  // A client counts as having sent what it has said, whether it arrives or not. So the ear hears all of it.
  void hear(const Direction& direction, std::size_t bytes) {
    if (!ear_) return;
    if (&direction == &up_) return ear_->hear_client({direction.buffer.data(), bytes});
    ear_->hear_server({direction.buffer.data(), std::min(bytes, direction.left)});
  }

  void end(const Direction& direction) {
    if (&direction == &up_ || silent_for_.count() == 0) return cut();
    silence_.expires_after(silent_for_);
    silence_.async_wait([self = shared_from_this()](const Failure&) { self->cut(); });
  }

  void cut() {
    if (!client_.is_open()) return;
    proxy_.was_cut();
    Failure ignored;
    if (resets_) {
      client_.set_option(boost::asio::socket_base::linger(true, 0), ignored);
      server_.set_option(boost::asio::socket_base::linger(true, 0), ignored);
    }
    close();
  }

  void close() {
    Failure ignored;
    client_.close(ignored);
    server_.close(ignored);
    silence_.cancel();
    ear_.reset();
  }

  CuttingProxy& proxy_;
  tcp::socket client_;
  tcp::socket server_;
  Direction up_;
  Direction down_;
  bool resets_ = false;
  boost::asio::steady_timer silence_;
  std::chrono::milliseconds silent_for_{0};
  std::optional<Repetitions::Ear> ear_;
};

CuttingProxy::CuttingProxy(const std::string& server, Bytes bytes, std::uint64_t seed,
                           Repetitions* repetitions)
    : acceptor_(io_, tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0)),
      server_(endpoint_of(server)),
      bytes_(bytes),
      repetitions_(repetitions),
      random_(seed) {
  accept_next();
  thread_ = std::thread([this] { io_.run(); });
}

CuttingProxy::~CuttingProxy() {
  io_.stop();
  thread_.join();
}

std::string CuttingProxy::address() const {
  return "127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port());
}

std::uint64_t CuttingProxy::cuts() const {
  const std::scoped_lock lock(mutex_);
  return cuts_;
}

void CuttingProxy::wait_for_cuts(std::uint64_t cuts) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return cuts_ >= cuts; });
}

void CuttingProxy::accept_next() {
  acceptor_.async_accept([this](const Failure& failure, tcp::socket client) {
    if (!failure) std::make_shared<Link>(*this, std::move(client))->start();
    accept_next();
  });
}

void CuttingProxy::was_cut() {
  {
    const std::scoped_lock lock(mutex_);
    ++cuts_;
  }
  changed_.notify_all();
}

}  // namespace holdfast::testing
