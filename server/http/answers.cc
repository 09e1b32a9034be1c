#include "server/http/answers.h"

#include <utility>

#include "server/http/connection/body_room.h"
#include "server/http/door.h"
#include "server/http/exchange/refusals.h"

namespace holdfast::server {

namespace http = boost::beast::http;

Answers::Answers(HttpDoor& door, const std::shared_ptr<Peer>& peer, bool tls)
    : door_(door),
      tls_(tls),
      callers_(peer),
      api_(callers_, door.common(), tls),
      other_(door.make_other(callers_, *peer, tls)) {}

std::optional<HttpResponse> Answers::refuse_unread(const HttpRequest& head, bool has_body) const {
  if (const auto refused = door_.origins().refusal(head, tls_)) return refusal(head, *refused);
  if (auto preflight = door_.origins().preflight(head)) return preflight;
  // A stranger's body is not read: strangers could otherwise take all the room that there is for bodies.
  if (!has_body) return std::nullopt;
  return other_->speaks(head) ? other_->refuse_stranger(head) : api_.refuse_stranger(head);
}

HttpResponse Answers::refusal(const HttpRequest& head, const HttpRefusal& why) const {
  return other_->speaks(head) ? other_->refusal(head, why.error) : problem(why.status, why.error);
}

std::size_t Answers::most_body_bytes(const HttpRequest& head) const {
  return other_->speaks(head) ? other_->most_body_bytes() : BodyRoom::kMost;
}

kj::Promise<HttpAnswer> Answers::answer(HttpRequest request, bool is_head, bool& may_be_given_up) {
  if (auto refused = is_head ? api_.refuse_head(request) : std::nullopt)
    return HttpAnswer(*std::move(refused));
  const std::string path(path_of(request));
  const bool is_probe = path == "/healthz" || path == "/readyz";
  if (is_probe || path == "/metrics") {
    if (request.method() != http::verb::get) return HttpAnswer(no_such_method({http::verb::get}));
  }
  if (is_probe) return page(path);
  if (other_->speaks(request)) return other_->answer(std::move(request), may_be_given_up);
  if (path != "/metrics") return api_.answer(std::move(request), may_be_given_up);
  if (auto refused = api_.refuse_watcher(request)) return HttpAnswer(*std::move(refused));
  return page(path);
}

void Answers::complete(std::string_view origin, bool is_read, HttpResponse& response) const {
  response.set(http::field::date, door_.date());
  door_.origins().allow(origin, response);
  if (is_read) OriginCheck::seal(response);
}

kj::Promise<HttpAnswer> Answers::page(const std::string& path) {
  return door_.page(path).then([](HttpResponse response) { return HttpAnswer(std::move(response)); });
}

}  // namespace holdfast::server
