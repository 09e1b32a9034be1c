#include "bench/http/raw_client.h"

#include <algorithm>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <cctype>
#include <charconv>
#include <optional>

#include "bench/harness/workload.h"

namespace holdfast::bench {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kReadBytes = 64 << 10;
constexpr std::string_view kHeadEnd = "\r\n\r\n";
constexpr std::size_t kStatusAt = 9;  // the place of the status in "HTTP/1.1 200"
constexpr unsigned kFirstFailure = 300;

struct Head {
  unsigned status = 0;
  std::size_t bytes = 0;
  std::size_t body_bytes = 0;
};

template <class Number>
Number number_at(std::string_view text) {
  Number number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::size_t length_in(std::string_view head) {
  constexpr std::string_view kName = "\r\ncontent-length: ";
  const auto* const found =
      std::search(head.begin(), head.end(), kName.begin(), kName.end(),
                  [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
  if (found == head.end()) return 0;
  const auto value = static_cast<std::size_t>(found - head.begin()) + kName.size();
  return number_at<std::size_t>(head.substr(value));
}

// Returns nothing until the whole head has come.
std::optional<Head> parse_head(std::string_view text) {
  const std::size_t end = text.find(kHeadEnd);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view head = text.substr(0, end);
  return Head{.status = number_at<unsigned>(head.substr(kStatusAt)),
              .bytes = end + kHeadEnd.size(),
              .body_bytes = length_in(head)};
}

void require_success(const Head& head, std::string_view text) {
  if (head.status < kFirstFailure) return;
  throw BenchError("an answer says: " + std::string(text.substr(0, head.bytes + head.body_bytes)));
}

class Connection {
 public:
  Connection(asio::io_context& io, std::uint16_t port, Talker& talker, Clock::time_point end)
      : socket_(io), talker_(talker), end_(end) {
    socket_.connect({asio::ip::address_v4::loopback(), port});
    socket_.set_option(tcp::no_delay(true));
  }

  void go_on(std::string_view body) {
    if (Clock::now() >= end_ && talker_.may_stop()) return;
    const std::string* request = talker_.next(body);
    if (request == nullptr) return;
    ++requests_;
    asio::async_write(socket_, asio::buffer(*request), [this](const error_code& error, std::size_t) {
      if (error) throw BenchError("writing: " + error.message());
      read();
    });
  }

  std::uint64_t requests() const { return requests_; }

 private:
  // The buffer is kept from answer to answer. A new one for each would have to be mapped and cleared, which
  // costs more than all else that this client does.
  void read() {
    if (buffer_.size() - held_ < kReadBytes / 2) buffer_.resize(buffer_.size() + kReadBytes);
    socket_.async_read_some(asio::buffer(buffer_.data() + held_, buffer_.size() - held_),
                            [this](const error_code& error, std::size_t bytes) {
                              if (error) throw BenchError("reading: " + error.message());
                              held_ += bytes;
                              look();
                            });
  }

  void look() {
    const std::string_view text = std::string_view(buffer_).substr(0, held_);
    const auto head = parse_head(text);
    if (!head || text.size() < head->bytes + head->body_bytes) return read();
    require_success(*head, text);
    held_ = 0;
    go_on(text.substr(head->bytes, head->body_bytes));
  }

  tcp::socket socket_;
  Talker& talker_;
  const Clock::time_point end_;
  std::string buffer_;
  std::size_t held_ = 0;  // bytes of the answer that have come
  std::uint64_t requests_ = 0;
};

class OneRequest final : public Talker {
 public:
  explicit OneRequest(const std::string& request) : request_(request) {}

  const std::string* next(std::string_view body) override {
    if (!asked_) {
      asked_ = true;
      return &request_;
    }
    answer_ = body;
    return nullptr;
  }
  std::uint64_t messages() const override { return 0; }
  const std::string& answer() const { return answer_; }

 private:
  const std::string& request_;
  bool asked_ = false;
  std::string answer_;
};

}  // namespace

LoadResult run_load(std::uint16_t port, const std::vector<std::unique_ptr<Talker>>& talkers,
                    std::chrono::duration<double> limit) {
  asio::io_context io(1);
  std::vector<std::unique_ptr<Connection>> connections;
  connections.reserve(talkers.size());
  const auto begin = Clock::now();
  const auto end = begin + std::chrono::duration_cast<Clock::duration>(limit);
  for (const auto& talker : talkers)
    connections.push_back(std::make_unique<Connection>(io, port, *talker, end));
  for (const auto& connection : connections) connection->go_on({});
  io.run();
  LoadResult result{.seconds = std::chrono::duration<double>(Clock::now() - begin).count()};
  for (const auto& connection : connections) result.requests += connection->requests();
  for (const auto& talker : talkers) result.messages += talker->messages();
  return result;
}

std::string ask(std::uint16_t port, const std::string& request) {
  std::vector<std::unique_ptr<Talker>> talkers;
  auto one = std::make_unique<OneRequest>(request);
  const OneRequest& asked = *one;
  talkers.push_back(std::move(one));
  run_load(port, talkers, std::chrono::hours(1));
  return asked.answer();
}

std::string make_request(std::string_view method, std::string_view path, std::string_view headers,
                         std::string_view body) {
  std::string request;
  for (const std::string_view part :
       {method, std::string_view(" "), path, std::string_view(" HTTP/1.1\r\nHost: 127.0.0.1\r\n"), headers,
        std::string_view("Content-Length: ")})
    request += part;
  return request + std::to_string(body.size()) + std::string(kHeadEnd) + std::string(body);
}

}  // namespace holdfast::bench
