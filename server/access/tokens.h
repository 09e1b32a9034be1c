// Tokens say who may come in. Only their hashes are kept.
//
// The file has a line for each token: its name, the SHA-256 of the token in hexadecimal digits, its grants,
// and what is hidden from its holder, divided by blanks. A line that begins with '#' is a comment.
//
//   orders-app  9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08  produce:orders
//   consume:orders-*
//
// A token is 256 random bits, so a plain hash of it cannot be reversed by trying.
//
// To check a signature, the server must know the secret that it was made with. So the line of a token that
// signs requests (Amazon SQS) also has the token itself: "secret=hf_…".
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

// Returns kInvalidArgument if the rights allow nothing, or hide something from a holder who may receive it.
// kLimitExceeded for a name past limits::kActorBytes, since the name appears in the audits of dead letters.
Result<void> check_token(const Rights& rights);

// Makes a token: "hf_" and 64 hexadecimal digits. kUnavailable if no random numbers can be had.
Result<std::string> make_token();
std::string hash_of(const std::string& token);

// Reads a line of the file. Returns nothing for a comment or an empty line. kInvalidArgument, kLimitExceeded.
Result<std::optional<TokenEntry>> parse_token_line(const std::string& line);
std::string token_line(const TokenEntry& entry);

// Keeps other processes from changing the file between reading and writing it: they would write tokens again
// that were revoked meanwhile. A change replaces the file, so a process that opened it before that has to
// begin anew. A movable handle.
class TokenFileHold {
 public:
  // Returns kUnavailable if another process holds the file or has just replaced it. Where files cannot be
  // locked, and where there is no file yet, nothing is held.
  static Result<TokenFileHold> take(const std::filesystem::path& file);

  TokenFileHold(TokenFileHold&& other) noexcept;
  TokenFileHold& operator=(TokenFileHold&&) = delete;
  ~TokenFileHold();

 private:
  explicit TokenFileHold(int file) : file_(file) {}

  int file_;  // -1 after a move, and if it cannot be opened
};

// Reads the tokens in the order of the file. kInvalidArgument names the file, the line and what is wrong;
// kPermissionDenied if others may write to the file.
Result<std::vector<TokenEntry>> read_tokens(const std::filesystem::path& file);
// Replaces the file in one step. Requires that the caller holds it. Its owner, group and mode stay; only its
// owner may read a new file. kUnavailable; kPermissionDenied if the process cannot keep the owner and group.
Result<void> write_tokens(const std::filesystem::path& file, const std::vector<TokenEntry>& entries);

class Tokens {
 public:
  static Result<std::shared_ptr<const Tokens>> load(const std::filesystem::path& file);
  explicit Tokens(const std::vector<TokenEntry>& entries);

  // Returns null for an unknown token.
  std::shared_ptr<const Rights> rights_of(const std::string& token) const;
  // Returns the rights of a token that a client shows. kPermissionDenied for an unknown one.
  Result<std::shared_ptr<const Rights>> admit(const std::string& token) const;
  // Returns the token of that name, if it signs requests; an empty text otherwise.
  std::string secret_of(const std::string& name) const;
  // Returns whether the token that gave these rights still gives exactly these.
  bool hold(const Rights& rights) const;

 private:
  std::map<std::string, std::shared_ptr<const Rights>> by_hash_;
  std::map<std::string, std::string> secrets_;  // by the names of the tokens
};

// Returns whether a token gave the rights and has been revoked since, or now gives other rights. It is false
// for rights that no token gave, and for null, which means a caller without access control.
bool are_revoked(const Rights* rights, const Tokens* tokens);
// Returns the error for a caller whose token was revoked or changed.
Error revoked(const Rights& rights);

}  // namespace holdfast::server
