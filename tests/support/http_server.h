// The other end of a webhook or an archive. It takes requests on the loopback, keeps them, and answers as it
// is told.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

namespace holdfast::testing {

struct HttpRequest {
  std::string head;  // the request line and the headers
  std::string body;
};

struct HttpReply {
  int status = 200;
  std::string body = {};
};

class HttpServer {
 public:
  static constexpr int kNoAnswer = 0;  // hangs up without an answer
  static constexpr int kSilence = -1;  // says nothing until the test is over

  HttpServer() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* any = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listener_, any, size) != 0 || ::listen(listener_, 16) != 0 ||
        ::getsockname(listener_, any, &size) != 0)
      throw std::runtime_error("cannot listen");
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
    for (const int socket : silent_) ::close(socket);
  }

  std::string url(const std::string& path = "/hook") const {
    return "http://127.0.0.1:" + std::to_string(port_) + path;
  }

  // Sets the statuses of the next answers. When they are used up, the status is 200.
  void answer(std::deque<int> statuses) {
    const std::scoped_lock lock(mutex_);
    answers_ = std::move(statuses);
  }

  // Sets a function that answers requests when the statuses are used up.
  void respond(std::function<HttpReply(const HttpRequest&)> respond) {
    const std::scoped_lock lock(mutex_);
    respond_ = std::move(respond);
  }

  // Sets the headers of later answers. Each line has its end.
  void headers(std::string lines) {
    const std::scoped_lock lock(mutex_);
    headers_ = std::move(lines);
  }

  // Waits for `count` requests. Returns all requests so far, and forgets them.
  std::vector<HttpRequest> wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    came_.wait(lock, [&] { return requests_.size() >= count; });
    return std::exchange(requests_, {});
  }
  std::size_t count() {
    const std::scoped_lock lock(mutex_);
    return requests_.size();
  }

 private:
  void serve() {
    for (;;) {
      const int socket = ::accept(listener_, nullptr, nullptr);
      if (socket < 0) return;
      HttpRequest request = read(socket);
      int status = 200;
      std::string headers;
      std::string body = "ok";
      {
        const std::scoped_lock lock(mutex_);
        headers = headers_;
        if (!answers_.empty()) {
          status = answers_.front();
          answers_.pop_front();
        } else if (respond_) {
          std::tie(status, body) = reply_to(request);
          headers = "Content-Length: " + std::to_string(body.size()) + "\r\n";
        }
        requests_.push_back(std::move(request));
        if (status == kSilence) silent_.push_back(socket);
      }
      came_.notify_all();
      if (status == kSilence) continue;
      if (status != kNoAnswer) {
        const std::string answer =
            "HTTP/1.1 " + std::to_string(status) + " Said\r\n" + headers + "Connection: close\r\n\r\n" + body;
        (void)::send(socket, answer.data(), answer.size(), MSG_NOSIGNAL);
      }
      ::close(socket);
    }
  }

  std::pair<int, std::string> reply_to(const HttpRequest& request) {
    HttpReply reply = respond_(request);
    return {reply.status, std::move(reply.body)};
  }

  static HttpRequest read(int socket) {
    std::string bytes;
    std::size_t end = std::string::npos;
    std::size_t length = 0;
    char buffer[4096];
    while (end == std::string::npos || bytes.size() < end + 4 + length) {
      const ssize_t got = ::recv(socket, buffer, sizeof buffer, 0);
      if (got <= 0) break;
      bytes.append(buffer, static_cast<std::size_t>(got));
      if (bytes.front() != 'P') break;  // it is neither POST nor PUT, but perhaps TLS
      end = bytes.find("\r\n\r\n");
      const std::size_t at = bytes.find("Content-Length: ");
      if (end != std::string::npos && at < end) length = std::strtoul(bytes.c_str() + at + 16, nullptr, 10);
    }
    if (end == std::string::npos) return {bytes, ""};
    return {bytes.substr(0, end), bytes.substr(end + 4)};
  }

  int listener_;
  std::uint16_t port_ = 0;
  std::mutex mutex_;
  std::condition_variable came_;
  std::deque<int> answers_;
  std::function<HttpReply(const HttpRequest&)> respond_;
  std::string headers_ = "Content-Length: 2\r\n";
  std::vector<HttpRequest> requests_;
  std::vector<int> silent_;
  std::thread thread_;
};

}  // namespace holdfast::testing
