// This header declares an HTTP client with one connection. It blocks, and lets a test see and say everything.
#pragma once

#include <boost/beast/http/verb.hpp>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

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
  // Returns the code of a problem.
  std::string code() const { return parsed().value("code", ""); }
};

class HttpTestClient {
 public:
  using Headers = std::map<std::string, std::string>;

  // Looks at each answer, and at what was asked.
  using Check = void (*)(http::verb method, const std::string& target, const Answer& answer);

  // `address` is like "127.0.0.1:4000".
  explicit HttpTestClient(const std::string& address, Check check = nullptr);
  ~HttpTestClient();

  // Sends the name and value with all requests from here on.
  void always(const std::string& name, const std::string& value) { always_[name] = value; }

  Answer call(http::verb method, const std::string& target, const std::string& body = "",
              const Headers& headers = {});
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
             const Headers& headers = {});
  Answer finish(http::verb method = http::verb::get);

  void say(std::string_view bytes);
  // Returns what comes up to `mark`, with the mark.
  std::string until(std::string_view mark);
  // Returns everything that comes until the server hangs up.
  std::string rest();
  // Says that nothing more is sent. Reading goes on.
  void close_sending();
  void hang_up();

 private:
  // Asio and Beast are kept out of this header, since they take seconds to compile in each file that sees
  // them.
  struct Connection;

  const std::string host_;
  const Check check_;
  Headers always_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace holdfast::server
