#include "tests/http_api/http_client.h"

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <utility>

namespace holdfast::server {
namespace {

constexpr std::uint32_t kHeaderBytes = 1 << 20;  // the limit for the head of an answer

}  // namespace

struct HttpTestClient::Connection {
  boost::asio::io_context io = {};
  boost::asio::ip::tcp::socket socket{io};
  boost::beast::flat_buffer buffer = {};
  std::string text = {};  // what until() and rest() have read
};

HttpTestClient::HttpTestClient(const std::string& address, Check check)
    : host_(address), check_(check), connection_(std::make_unique<Connection>()) {
  const auto colon = address.rfind(':');
  boost::asio::ip::tcp::resolver resolver(connection_->io);
  boost::asio::connect(connection_->socket,
                       resolver.resolve(address.substr(0, colon), address.substr(colon + 1)));
}

HttpTestClient::~HttpTestClient() = default;

Answer HttpTestClient::call(http::verb method, const std::string& target, const std::string& body,
                            const Headers& headers) {
  start(method, target, body, headers);
  Answer answer = finish(method);
  if (check_ != nullptr) check_(method, target, answer);
  return answer;
}

void HttpTestClient::start(http::verb method, const std::string& target, const std::string& body,
                           const Headers& headers) {
  http::request<http::string_body> request(method, target, 11, body);
  request.set(http::field::host, host_);
  for (const auto& [name, value] : always_) request.set(name, value);
  for (const auto& [name, value] : headers) request.set(name, value);
  request.prepare_payload();
  http::write(connection_->socket, request);
}

Answer HttpTestClient::finish(http::verb method) {
  http::response_parser<http::string_body> parser;
  parser.body_limit(boost::none);
  parser.header_limit(kHeaderBytes);
  if (method == http::verb::head) parser.skip(true);
  http::read(connection_->socket, connection_->buffer, parser);
  Answer answer{.status = parser.get().result_int(), .headers = {}, .body = parser.get().body()};
  for (const auto& field : parser.get()) {
    std::string name(field.name_string());
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    std::string& value = answer.headers[name];
    value += (value.empty() ? "" : ", ") + std::string(field.value());
  }
  return answer;
}

void HttpTestClient::say(std::string_view bytes) {
  boost::asio::write(connection_->socket, boost::asio::buffer(bytes));
}

std::string HttpTestClient::until(std::string_view mark) {
  std::string& text = connection_->text;
  const auto size = boost::asio::read_until(connection_->socket, boost::asio::dynamic_buffer(text), mark);
  std::string found = text.substr(0, size);
  text.erase(0, size);
  return found;
}

std::string HttpTestClient::rest() {
  boost::system::error_code ignored;
  boost::asio::read(connection_->socket, boost::asio::dynamic_buffer(connection_->text), ignored);
  return std::exchange(connection_->text, {});
}

void HttpTestClient::close_sending() {
  connection_->socket.shutdown(boost::asio::ip::tcp::socket::shutdown_send);
}

void HttpTestClient::hang_up() { connection_->socket.close(); }

}  // namespace holdfast::server
