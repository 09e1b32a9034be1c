#include "server/monitor/http_session.h"

#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <optional>

namespace holdfast::server {
namespace {

namespace beast = boost::beast;
namespace http = beast::http;

constexpr auto kPatience = std::chrono::seconds(10);
constexpr std::uint32_t kHeaderBytes = 8192;

class Session final : public HttpSession, public std::enable_shared_from_this<Session> {
 public:
  Session(boost::asio::ip::tcp::socket socket, const std::function<Page(std::string_view)>& page,
          const HostNames& names)
      : stream_(std::move(socket)), page_(page), names_(names) {}

  bool idle() const override { return idle_; }
  void close() override { stream_.close(); }

  void read() {
    idle_ = true;
    parser_.emplace();
    parser_->header_limit(kHeaderBytes);
    parser_->body_limit(0);
    stream_.expires_after(kPatience);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](const beast::error_code& error, std::size_t) {
                       if (!error) self->answer();
                     });
  }

 private:
  void answer() {
    idle_ = false;
    const auto& request = parser_->get();
    const bool head = request.method() == http::verb::head;
    const bool known = head || request.method() == http::verb::get;
    Page page = known ? page_of(request) : Page{405, "only GET and HEAD\n"};
    reply_ = {};
    if (!known) reply_.set(http::field::allow, "GET, HEAD");
    reply_.version(request.version());
    reply_.result(page.status);
    reply_.set(http::field::content_type, "text/plain; version=0.0.4; charset=utf-8");
    reply_.keep_alive(request.keep_alive());
    reply_.content_length(page.body.size());
    if (!head) reply_.body() = std::move(page.body);
    stream_.expires_after(kPatience);
    http::async_write(stream_, reply_,
                      [self = shared_from_this()](const beast::error_code& error, std::size_t) {
                        if (!error && self->reply_.keep_alive()) return self->read();
                        beast::error_code ignored;
                        self->stream_.socket().shutdown(boost::asio::ip::tcp::socket::shutdown_send, ignored);
                      });
  }

  Page page_of(const http::request<http::empty_body>& request) const {
    const beast::string_view host = request[http::field::host];
    if (names_.allow({host.data(), host.size()})) return page_(path_of(request.target()));
    return {421, "the Host of this request is none of this server's: see metrics-host\n"};
  }

  static std::string_view path_of(beast::string_view target) {
    const std::string_view text(target.data(), target.size());
    return text.substr(0, text.find('?'));
  }

  beast::tcp_stream stream_;
  const std::function<Page(std::string_view)>& page_;
  const HostNames& names_;
  bool idle_ = true;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::empty_body>> parser_;
  http::response<http::string_body> reply_;
};

}  // namespace

std::weak_ptr<HttpSession> HttpSession::start(boost::asio::ip::tcp::socket socket,
                                              const std::function<Page(std::string_view)>& page,
                                              const HostNames& names) {
  const auto session = std::make_shared<Session>(std::move(socket), page, names);
  session->read();
  return session;
}

}  // namespace holdfast::server
