#include "server/http/page.h"

#include <algorithm>
#include <array>

#include "server/monitor/host_names.h"
#include "server/page/files.h"

namespace holdfast::server {
namespace {

namespace http = boost::beast::http;

constexpr unsigned kOk = 200;
constexpr unsigned kNotModified = 304;
constexpr unsigned kNotFound = 404;

// These are the first segments of the paths of the dashboard's pages.
constexpr auto kPages = std::to_array<std::string_view>(
    {"queues", "dead-letters", "redrives", "analytics", "find", "send", "simulate"});

// The policy allows scripts, styles and pictures from this server alone, and no text that becomes markup.
constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
    "trusted-types 'none'";

constexpr std::string_view kNoPage =
    "This holdfastd was built without its dashboard: its build needs Node and the packages that tools/setup "
    "brings.\n"
    "The API is at /v1, its description at /v1/openapi.json.\n";

bool is_page(std::string_view path) {
  if (path == "/") return true;
  const std::string_view segment = path.substr(1, path.find('/', 1) - 1);
  return std::ranges::find(kPages, segment) != kPages.end();
}

const PageFile* find_file(std::string_view path) {
  const auto files = page_files();
  const auto found = std::ranges::find(files, path, &PageFile::path);
  return found == files.end() ? nullptr : &*found;
}

bool takes_gzip(const HttpRequest& request) {
  return view(request[http::field::accept_encoding]).find("gzip") != std::string_view::npos;
}

// Returns whether nobody between the browser and this server can change the answer. Only then do browsers
// obey Cross-Origin-Opener-Policy; elsewhere they complain about it in the console.
bool is_trusted(const HttpRequest& request, bool tls) {
  return tls || is_this_machine(view(request[http::field::host]));
}

HttpResponse file_answer(const HttpRequest& request, const PageFile& file, bool tls) {
  const bool is_document = file.path == "/";
  const bool gzip = takes_gzip(request);
  const bool is_known = view(request[http::field::if_none_match]) == file.etag;
  HttpResponse response =
      is_known ? empty_response(kNotModified)
               : text_response(kOk, file.content_type, std::string(gzip ? file.gzip : file.bytes));
  if (gzip && !is_known) response.set(http::field::content_encoding, "gzip");
  response.set(http::field::vary, "Accept-Encoding");
  response.set(http::field::etag, as_beast(file.etag));
  // The names of all files but the document contain a hash of their content, so these files never change.
  response.set(http::field::cache_control, is_document ? "no-cache" : "public, max-age=31536000, immutable");
  response.set("Content-Security-Policy", as_beast(kPolicy));
  response.set("Referrer-Policy", "no-referrer");
  if (is_trusted(request, tls)) response.set("Cross-Origin-Opener-Policy", "same-origin");
  return response;
}

}  // namespace

std::optional<HttpResponse> page_answer(const HttpRequest& request, bool tls) {
  const std::string_view path = path_of(request);
  if (request.method() != http::verb::get || !path.starts_with('/')) return std::nullopt;
  const bool page = is_page(path);
  if (!page && !path.starts_with("/assets/")) return std::nullopt;
  if (const PageFile* file = find_file(page ? "/" : path)) return file_answer(request, *file, tls);
  if (!page) return std::nullopt;
  return text_response(kNotFound, "text/plain; charset=utf-8", std::string(kNoPage));
}

}  // namespace holdfast::server
