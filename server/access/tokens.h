// Who may come in: tokens, of which only hashes are kept.
//
// The file has a line for each: its name, the SHA-256 of the token in hexadecimal digits, its grants, and
// what is hidden from its holder, divided by blanks. A line that begins with '#' says nothing.
//
//   orders-app  9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08  produce:orders
//   consume:orders-*
//
// A token is 256 random bits, so that a plain hash of it cannot be reversed by trying.
//
// A signature can only be checked by who knows what it was made with. So the line of a token that signs
// requests (Amazon SQS) has the token itself too: "secret=hf_…".
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/access/rights.h"

namespace holdfast::server {

struct TokenEntry {
  std::string hash = {};
  Rights rights = {};
  std::string secret = {};  // the token itself, if it signs requests

  friend bool operator==(const TokenEntry&, const TokenEntry&) = default;
};

// kInvalidArgument if they allow nothing, or hide something from who may receive it; kLimitExceeded for a
// name past limits::kActorBytes, since it is one in dead letters' audits.
Result<void> check_token(const Rights& rights);

// "hf_" and 64 hexadecimal digits. kUnavailable if there is no randomness to be had.
Result<std::string> make_token();
std::string hash_of(const std::string& token);

// What a line of the file says; nothing: one that says nothing. kInvalidArgument, kLimitExceeded.
Result<std::optional<TokenEntry>> parse_token_line(const std::string& line);
std::string token_line(const TokenEntry& entry);

// In the order of the file. kInvalidArgument names file, line and what is wrong; kPermissionDenied if others
// may write to it.
Result<std::vector<TokenEntry>> read_tokens(const std::filesystem::path& file);
// Replaces the file in one step. Owner, group and mode stay; of a new file only its owner may read it.
// kUnavailable; kPermissionDenied for who can't keep owner and group.
Result<void> write_tokens(const std::filesystem::path& file, const std::vector<TokenEntry>& entries);

class Tokens {
 public:
  static Result<std::shared_ptr<const Tokens>> load(const std::filesystem::path& file);
  explicit Tokens(const std::vector<TokenEntry>& entries);

  // Null if it is none of them.
  std::shared_ptr<const Rights> rights_of(const std::string& token) const;
  // The token of that name, if it signs requests; else empty.
  std::string secret_of(const std::string& name) const;
  // Whether the token that gave them still gives exactly these.
  bool hold(const Rights& rights) const;

 private:
  std::map<std::string, std::shared_ptr<const Rights>> by_hash_;
  std::map<std::string, std::string> secrets_;  // by the names of the tokens
};

// Whether they were a token's, which has been revoked since, or says something else now. Not those that no
// token gave. Null: of somebody without access control.
bool are_revoked(const Rights* rights, const Tokens* tokens);
// What its holder is told then.
Error revoked(const Rights& rights);

}  // namespace holdfast::server
