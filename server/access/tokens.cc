#include "server/access/tokens.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <set>
#include <span>
#include <sstream>
#include <system_error>
#include <utility>

#include "holdfast/limits.h"

namespace holdfast::server {
namespace {

constexpr std::size_t kHashDigits = 64;
constexpr std::string_view kSecret = "secret=";

std::string hex(std::span<const unsigned char> bytes) {
  std::string digits;
  for (const unsigned char byte : bytes) {
    digits += "0123456789abcdef"[byte >> 4];
    digits += "0123456789abcdef"[byte & 15];
  }
  return digits;
}

bool is_hash(const std::string& text) {
  return text.size() == kHashDigits && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

// Gives the new file the owner, group and mode of the old one, since the server may read it as another user,
// or by its group. Returns false with errno if that fails.
bool take_over_owner(const std::filesystem::path& file, int fresh) {
  struct stat now {};
  if (::stat(file.c_str(), &now) != 0) return errno == ENOENT;
  return ::fchown(fresh, now.st_uid, now.st_gid) == 0 && ::fchmod(fresh, now.st_mode & 0777U) == 0;
}

tl::unexpected<Error> system_failure(const std::filesystem::path& file) {
  return fail(ErrorCode::kUnavailable, file.string() + ": " + std::system_category().message(errno));
}

}  // namespace

Result<void> check_token(const Rights& rights) {
  if (rights.name.size() > limits::kActorBytes) {
    return fail(ErrorCode::kLimitExceeded, "a name has " + std::to_string(rights.name.size()) +
                                               " bytes, the limit is " + std::to_string(limits::kActorBytes));
  }
  if (rights.grants.empty())
    return fail(ErrorCode::kInvalidArgument, "'" + rights.name + "' has no grants, such as produce:orders");
  return check_consistent(rights);
}

Result<std::string> make_token() {
  std::array<unsigned char, 32> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) {
    return fail(ErrorCode::kUnavailable, "no random numbers are available");
  }
  return "hf_" + hex(bytes);
}

std::string hash_of(const std::string& token) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  EVP_Digest(token.data(), token.size(), digest.data(), &size, EVP_sha256(), nullptr);
  return hex(std::span(digest).first(size));
}

Result<std::optional<TokenEntry>> parse_token_line(const std::string& line) {
  std::istringstream words(line);
  TokenEntry entry;
  if (!(words >> entry.rights.name) || entry.rights.name.starts_with('#')) return std::optional<TokenEntry>();
  if (!(words >> entry.hash) || !is_hash(entry.hash)) {
    return fail(ErrorCode::kInvalidArgument,
                "expected a name, a SHA-256 of 64 lower-case hexadecimal digits, and grants");
  }
  for (std::string word; words >> word;) {
    if (word.starts_with(kSecret)) {
      entry.secret = word.substr(kSecret.size());
      if (hash_of(entry.secret) == entry.hash) continue;
      return fail(ErrorCode::kInvalidArgument, "the secret is not the token of the SHA-256");
    }
    if (auto ok = add_word(entry.rights, word); !ok) return tl::unexpected(ok.error());
  }
  if (auto ok = check_token(entry.rights); !ok) return tl::unexpected(ok.error());
  return std::optional(std::move(entry));
}

std::string token_line(const TokenEntry& entry) {
  const std::string secret = entry.secret.empty() ? "" : " " + std::string(kSecret) + entry.secret;
  return entry.rights.name + " " + entry.hash + " " + words(entry.rights) + secret;
}

Result<TokenFileHold> TokenFileHold::take(const std::filesystem::path& file) {
  TokenFileHold hold(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (hold.file_ < 0) return hold;
  const bool is_held = ::flock(hold.file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  struct stat held {};
  struct stat present {};
  const bool is_replaced = ::fstat(hold.file_, &held) != 0 || ::stat(file.c_str(), &present) != 0 ||
                           held.st_ino != present.st_ino || held.st_dev != present.st_dev;
  if (!is_held && !is_replaced) return hold;
  return fail(ErrorCode::kUnavailable, file.string() + ": another process is changing the tokens; try again");
}

TokenFileHold::TokenFileHold(TokenFileHold&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

TokenFileHold::~TokenFileHold() {
  if (file_ >= 0) ::close(file_);
}

Result<std::vector<TokenEntry>> read_tokens(const std::filesystem::path& file) {
  struct stat info {};
  std::ifstream in(file);
  if (!in || ::stat(file.c_str(), &info) != 0) {
    return fail(ErrorCode::kInvalidArgument, file.string() + ": " + std::system_category().message(errno));
  }
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return fail(ErrorCode::kPermissionDenied, file.string() + ": users other than its owner may write to it");
  }
  std::vector<TokenEntry> entries;
  std::set<std::string> names;
  std::size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    const std::string place = file.string() + ":" + std::to_string(number) + ": ";
    auto entry = parse_token_line(line);
    if (!entry) return fail(entry.error().code, place + entry.error().message);
    if (!*entry) continue;
    if (!names.insert((*entry)->rights.name).second) {
      return fail(ErrorCode::kInvalidArgument, place + "there is another '" + (*entry)->rights.name + "'");
    }
    entries.push_back(std::move(**entry));
  }
  if (in.bad()) return fail(ErrorCode::kInvalidArgument, file.string() + ": cannot be read");
  return entries;
}

Result<void> write_tokens(const std::filesystem::path& file, const std::vector<TokenEntry>& entries) {
  std::string text = "# Tokens of holdfastd: name, SHA-256, grants, what is hidden. See holdfast-token(1).\n";
  for (const TokenEntry& entry : entries) text += token_line(entry) + "\n";
  const std::filesystem::path fresh = file.string() + ".new";
  const int handle = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (handle < 0) return system_failure(fresh);
  const bool owned = take_over_owner(file, handle);
  const bool written = owned &&
                       ::write(handle, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                       ::fsync(handle) == 0;
  const bool closed = ::close(handle) == 0;
  if (written && closed && ::rename(fresh.c_str(), file.c_str()) == 0) return {};
  const auto failure = system_failure(fresh);
  ::unlink(fresh.c_str());
  if (owned) return failure;
  return fail(ErrorCode::kPermissionDenied,
              file.string() +
                  ": you can't keep its owner and group: change it as its owner, in that group, or as root");
}

Result<std::shared_ptr<const Tokens>> Tokens::load(const std::filesystem::path& file) {
  const auto entries = read_tokens(file);
  if (!entries) return tl::unexpected(entries.error());
  return std::make_shared<const Tokens>(*entries);
}

Tokens::Tokens(const std::vector<TokenEntry>& entries) {
  for (const auto& [hash, rights, secret] : entries) {
    if (!secret.empty()) secrets_[rights.name] = secret;
    auto given = std::make_shared<Rights>(rights);
    given->token = hash;
    by_hash_[hash] = std::move(given);
  }
}

std::shared_ptr<const Rights> Tokens::rights_of(const std::string& token) const {
  const auto found = by_hash_.find(hash_of(token));
  return found == by_hash_.end() ? nullptr : found->second;
}

Result<std::shared_ptr<const Rights>> Tokens::admit(const std::string& token) const {
  auto rights = rights_of(token);
  if (!rights) return fail(ErrorCode::kPermissionDenied, "the token is not known here");
  return rights;
}

std::string Tokens::secret_of(const std::string& name) const {
  const auto found = secrets_.find(name);
  return found == secrets_.end() ? std::string() : found->second;
}

bool are_revoked(const Rights* rights, const Tokens* tokens) {
  return rights != nullptr && !rights->token.empty() && (tokens == nullptr || !tokens->hold(*rights));
}

Error revoked(const Rights& rights) {
  return {ErrorCode::kPermissionDenied, "the token of '" + rights.name + "' was revoked or changed"};
}

bool Tokens::hold(const Rights& rights) const {
  const auto found = by_hash_.find(rights.token);
  return found != by_hash_.end() && *found->second == rights;
}

}  // namespace holdfast::server
