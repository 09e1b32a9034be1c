// The statuses of HTTP that this project answers with, or looks for in answers: RFC 9110, section 15, and RFC
// 8470 (425) and RFC 6585 (429, 431).
#pragma once

namespace holdfast::http_status {

inline constexpr unsigned kOk = 200;
inline constexpr unsigned kCreated = 201;
inline constexpr unsigned kNoContent = 204;
inline constexpr unsigned kNotModified = 304;
inline constexpr unsigned kBadRequest = 400;
inline constexpr unsigned kUnauthorized = 401;
inline constexpr unsigned kNotFound = 404;
inline constexpr unsigned kMethodNotAllowed = 405;
inline constexpr unsigned kNotAcceptable = 406;
inline constexpr unsigned kRequestTimeout = 408;
inline constexpr unsigned kContentTooLarge = 413;
inline constexpr unsigned kMisdirected = 421;
inline constexpr unsigned kTooEarly = 425;
inline constexpr unsigned kTooManyRequests = 429;
inline constexpr unsigned kHeadersTooLarge = 431;
inline constexpr unsigned kInternalError = 500;
inline constexpr unsigned kUnavailable = 503;

}  // namespace holdfast::http_status
