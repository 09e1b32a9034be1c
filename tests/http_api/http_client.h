// An HTTP client of one connection that blocks, and lets a test see and say everything.
#pragma once

#include <gtest/gtest.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace holdfast::server {

namespace http = boost::beast::http;
using nlohmann::json;

struct Answer {
  unsigned status = 0;
  std::map<std::string, std::string> headers;  // names in small letters; several lines are one value
  std::string body;

  json parsed() const { return json::parse(body); }
  std::string header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? "" : found->second;
  }
  // Of a problem.
  std::string code() const { return parsed().value("code", ""); }
};

class HttpTestClient {
 public:
  using Headers = std::map<std::string, std::string>;

  // Looks at each answer, and what was asked.
  using Check = void (*)(http::verb method, const std::string& target, const Answer& answer);

  // `address`: "127.0.0.1:4000"
  explicit HttpTestClient(const std::string& address, Check check = nullptr) : host_(address), check_(check) {
    const auto colon = address.rfind(':');
    boost::asio::connect(socket_, boost::asio::ip::tcp::resolver(io_).resolve(address.substr(0, colon),
                                                                              address.substr(colon + 1)));
  }

  // Sent with all that follows.
  void always(const std::string& name, const std::string& value) { always_[name] = value; }

  Answer call(http::verb method, const std::string& target, const std::string& body = "",
              const Headers& headers = {}) {
    start(method, target, body, headers);
    Answer answer = finish(method);
    if (check_ != nullptr) check_(method, target, answer);
    return answer;
  }
  Answer get(const std::string& target, const Headers& headers = {}) {
    return call(http::verb::get, target, "", headers);
  }
  Answer post(const std::string& target, const json& body) {
    return call(http::verb::post, target, body.dump(), {{"Content-Type", "application/json"}});
  }
  Answer put(const std::string& target, const json& body) {
    return call(http::verb::put, target, body.dump(), {{"Content-Type", "application/json"}});
  }

  void start(http::verb method, const std::string& target, const std::string& body = "",
             const Headers& headers = {}) {
    http::request<http::string_body> request(method, target, 11, body);
    request.set(http::field::host, host_);
    for (const auto& [name, value] : always_) request.set(name, value);
    for (const auto& [name, value] : headers) request.set(name, value);
    request.prepare_payload();
    http::write(socket_, request);
  }

  Answer finish(http::verb method = http::verb::get) {
    http::response_parser<http::string_body> parser;
    parser.body_limit(boost::none);
    parser.header_limit(kHeaderBytes);
    if (method == http::verb::head) parser.skip(true);
    http::read(socket_, buffer_, parser);
    Answer answer{.status = parser.get().result_int(), .headers = {}, .body = parser.get().body()};
    for (const auto& field : parser.get()) {
      std::string name(field.name_string());
      for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      std::string& value = answer.headers[name];
      value += (value.empty() ? "" : ", ") + std::string(field.value());
    }
    return answer;
  }

  void say(std::string_view bytes) { boost::asio::write(socket_, boost::asio::buffer(bytes)); }
  // What comes up to and with `mark`.
  std::string until(std::string_view mark) {
    const auto size = boost::asio::read_until(socket_, boost::asio::dynamic_buffer(text_), mark);
    std::string text = text_.substr(0, size);
    text_.erase(0, size);
    return text;
  }
  // All that comes until the server hangs up.
  std::string rest() {
    boost::system::error_code ignored;
    boost::asio::read(socket_, boost::asio::dynamic_buffer(text_), ignored);
    return std::exchange(text_, {});
  }
  void hang_up() { socket_.close(); }

 private:
  static constexpr std::uint32_t kHeaderBytes = 1 << 20;  // of an answer

  std::string host_;
  const Check check_;
  Headers always_;
  boost::asio::io_context io_;
  boost::asio::ip::tcp::socket socket_{io_};
  boost::beast::flat_buffer buffer_;
  std::string text_;  // read by until() and rest()
};

}  // namespace holdfast::server
