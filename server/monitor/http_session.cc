#include "server/monitor/http_session.h"

#include <boost/asio/read.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <optional>

#include "schema/http/status.h"
#include "schema/transport/address.h"
#include "schema/transport/frames/spoken.h"

namespace holdfast::server {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using transport::Spoken;

constexpr auto kTimeout = std::chrono::seconds(10);
constexpr std::uint32_t kHeaderBytes = 8192;

// Returns what a peer has mistaken this port for; an empty text if it may speak HTTP.
std::string_view mistake(Spoken spoken) {
  if (spoken == Spoken::kTls) return "the other side speaks TLS, and this port speaks HTTP without it";
  if (spoken == Spoken::kMessages)
    return "the other side does not speak HTTP; Holdfast's RPC is served by listen, this is metrics-listen";
  return {};
}

class HttpSessionImpl final : public HttpSession, public std::enable_shared_from_this<HttpSessionImpl> {
 public:
  HttpSessionImpl(asio::ip::tcp::socket socket, const HttpService& service)
      : stream_(std::move(socket)), service_(service) {}

  bool idle() const override { return idle_; }
  void close() override { stream_.close(); }

  // Beast waits for a whole head before it looks at any of it. A peer with another protocol never sends one.
  void begin() {
    stream_.expires_after(kTimeout);
    asio::async_read(stream_, buffer_.prepare(transport::kSpokenBytes),
                     [self = shared_from_this()](const beast::error_code& error, std::size_t bytes) {
                       if (error) return;
                       self->buffer_.commit(bytes);
                       const std::string_view wrong = mistake(self->spoken());
                       wrong.empty() ? self->read()
                                     : self->refuse(http_status::kBadRequest, std::string(wrong));
                     });
  }

 private:
  void read() {
    idle_ = true;
    parser_.emplace();
    parser_->header_limit(kHeaderBytes);
    stream_.expires_after(kTimeout);
    http::async_read_header(stream_, buffer_, *parser_,
                            [self = shared_from_this()](const beast::error_code& error, std::size_t) {
                              error ? self->give_up(error) : self->answer();
                            });
  }

  Spoken spoken() const {
    const auto* bytes = static_cast<const std::byte*>(buffer_.data().data());
    return transport::spoken_by(
        std::span<const std::byte, transport::kSpokenBytes>(bytes, transport::kSpokenBytes));
  }

  // The peer has hung up or was silent for too long, or what it sent is no request.
  void give_up(const beast::error_code& error) {
    if (error == http::error::header_limit)
      return refuse(http_status::kHeadersTooLarge,
                    "a request has more than " + std::to_string(kHeaderBytes) + " bytes");
    const bool said_something = error != http::error::end_of_stream && error != http::error::partial_message;
    if (said_something && error.category() == http::make_error_code(http::error::bad_method).category())
      refuse(http_status::kBadRequest, "not an HTTP request: " + error.message());
  }

  void refuse(unsigned status, const std::string& why) {
    beast::error_code gone;
    const auto from = stream_.socket().remote_endpoint(gone);
    service_.on_refusal(
        gone ? "a client that has gone"
             : to_string(transport::Address{.host = from.address().to_string(), .port = from.port()}),
        why);
    reply_ = {};
    reply_.keep_alive(false);
    send({status, why + '\n'}, false);
  }

  void answer() {
    auto& request = parser_->get();
    const bool head = request.method() == http::verb::head;
    const bool known = head || request.method() == http::verb::get;
    const bool has_body = !parser_->is_done();
    reply_ = {};
    if (!known) reply_.set(http::field::allow, "GET, HEAD");
    reply_.version(request.version());
    // A body is not read, so the request after it could not be found.
    reply_.keep_alive(request.keep_alive() && !has_body);
    if (const auto wrong = settle_host(request); !wrong.empty()) {
      reply_.keep_alive(false);
      return send({http_status::kBadRequest, std::string(wrong) + '\n'}, head);
    }
    if (!known) return send({http_status::kMethodNotAllowed, "only GET and HEAD\n"}, head);
    if (has_body)
      return send({http_status::kContentTooLarge, "a request with a body is not accepted here\n"}, head);
    send(page_of(request), head);
  }

  void send(Page page, bool head) {
    idle_ = false;
    reply_.result(page.status);
    reply_.set(http::field::content_type, "text/plain; version=0.0.4; charset=utf-8");
    reply_.content_length(page.body.size());
    if (!head) reply_.body() = std::move(page.body);
    stream_.expires_after(kTimeout);
    http::async_write(stream_, reply_,
                      [self = shared_from_this()](const beast::error_code& error, std::size_t) {
                        if (error) return;
                        if (self->reply_.keep_alive()) return self->read();
                        self->finish();
                      });
  }

  // To close with bytes unread would reset the connection, and the answer might be lost on its way.
  void finish() {
    idle_ = true;
    beast::error_code ignored;
    stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
    stream_.expires_after(kTimeout);
    discard();
  }

  void discard() {
    buffer_.clear();
    stream_.async_read_some(buffer_.prepare(kHeaderBytes),
                            [self = shared_from_this()](const beast::error_code& error, std::size_t) {
                              if (!error) self->discard();
                            });
  }

  Page page_of(const http::request<http::empty_body>& request) const {
    const beast::string_view host = request[http::field::host];
    if (service_.names.allow({host.data(), host.size()})) return service_.page(path_of(request.target()));
    return {http_status::kMisdirected, "the Host header does not name this server: see metrics-host\n"};
  }

  static std::string_view path_of(beast::string_view target) {
    const std::string_view text(target.data(), target.size());
    return text.substr(0, text.find('?'));
  }

  beast::tcp_stream stream_;
  const HttpService& service_;
  bool idle_ = true;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::empty_body>> parser_;
  http::response<http::string_body> reply_;
};

}  // namespace

std::weak_ptr<HttpSession> HttpSession::start(asio::ip::tcp::socket socket, const HttpService& service) {
  const auto session = std::make_shared<HttpSessionImpl>(std::move(socket), service);
  session->begin();
  return session;
}

}  // namespace holdfast::server
