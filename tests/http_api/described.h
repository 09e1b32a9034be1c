// Checks an answer against the OpenAPI document: its status, its media type and its headers.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "server/http/open_api.h"
#include "server/http/routes.h"
#include "tests/http_api/http_client.h"

namespace holdfast::server {

// Returns a part of the document, or what the part refers to.
inline json resolved(const json& document, const json& part) {
  if (!part.contains("$ref")) return part;
  return document.at(json::json_pointer(part["$ref"].get<std::string>().substr(1)));
}

// Returns the operation that a request makes, or null if there is none.
inline json described_operation(http::verb method, const std::string& target) {
  static const json document = json::parse(open_api());
  if (method == http::verb::head) method = http::verb::get;
  std::string path = target.substr(0, target.find('?'));
  const auto found = find_route(method, path);
  if (found && std::holds_alternative<Match>(*found)) path = std::get<Match>(*found).route->path;
  std::string name(http::to_string(method));
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  const json item = document["paths"].value(path, json::object());
  json operation = item.value(name, json());
  if (operation.is_null()) return operation;
  for (auto& [status, response] : operation["responses"].items()) response = resolved(document, response);
  return operation;
}

inline void expect_described(http::verb method, const std::string& target, const Answer& answer) {
  const json operation = described_operation(method, target);
  if (operation.is_null()) return;
  const std::string where = std::string(http::to_string(method)) + " " + target;
  const bool is_error = answer.status >= 400;
  const std::string status =
      is_error ? std::to_string(answer.status / 100) + "XX" : std::to_string(answer.status);
  ASSERT_TRUE(operation["responses"].contains(status)) << where << ": " << answer.status;
  const json& response = operation["responses"][status];
  const std::string type = answer.header("content-type");
  const json content = response.value("content", json::object());
  const bool is_named = content.contains(type.substr(0, type.find(';'))) || content.contains("*/*");
  EXPECT_TRUE(is_named || (content.empty() && type.empty())) << where << ": " << status << " " << type;
  const json headers = response.value("headers", json::object());
  for (const auto& [name, value] : answer.headers) {
    const bool has_to_be = name.starts_with("holdfast-") || name == "etag" || name == "retry-after" ||
                           name == "www-authenticate" || name == "allow";
    const bool is_there = std::ranges::any_of(
        headers.items(), [&name = name](const auto& one) { return boost::beast::iequals(one.key(), name); });
    EXPECT_TRUE(!has_to_be || is_there) << where << ": " << status << " " << name;
  }
}

}  // namespace holdfast::server
