#include "engine/codec/rows/dedup_row.h"

#include <openssl/evp.h>
#include <openssl/sha.h>

#include <memory>

#include "engine/base/helpers/check.h"
#include "engine/codec/encoding/wire.h"

namespace holdfast {
namespace {

// An id and a body are different things, even if they are the same bytes.
enum class Kind : char { kId = 1, kBody = 2 };

DedupKey digest(Kind kind, std::string_view bytes) {
  struct Free {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  const std::unique_ptr<EVP_MD_CTX, Free> context(EVP_MD_CTX_new());
  std::array<unsigned char, SHA256_DIGEST_LENGTH> full{};
  const bool done = context && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1 &&
                    EVP_DigestUpdate(context.get(), &kind, sizeof kind) == 1 &&
                    EVP_DigestUpdate(context.get(), bytes.data(), bytes.size()) == 1 &&
                    EVP_DigestFinal_ex(context.get(), full.data(), nullptr) == 1;
  HOLDFAST_CHECK(done, "SHA-256 can be computed: it fails only if there is no memory");
  DedupKey key;
  std::memcpy(key.bytes.data(), full.data(), key.bytes.size());
  return key;
}

}  // namespace

std::optional<DedupKey> dedup_key(const Message& message, Deduplication deduplication) {
  if (deduplication == Deduplication::kNone) return std::nullopt;
  if (!message.deduplication_id.empty()) return digest(Kind::kId, message.deduplication_id);
  if (deduplication == Deduplication::kByContent) return digest(Kind::kBody, message.body);
  return std::nullopt;
}

std::string encode_dedup_row(const DedupRow& row) {
  std::string out(reinterpret_cast<const char*>(row.message_id.bytes.data()), row.message_id.bytes.size());
  wire::put_time(out, row.sent_at);
  return out;
}

Result<DedupRow> decode_dedup_row(std::string_view row) {
  wire::Reader reader(row);
  DedupRow result;
  const std::string_view id = reader.raw(result.message_id.bytes.size());
  if (!id.empty()) std::memcpy(result.message_id.bytes.data(), id.data(), id.size());
  result.sent_at = reader.time();
  if (reader.failed() || !reader.at_end()) {
    return fail(ErrorCode::kCorruption, "a row of deduplication does not decode");
  }
  return result;
}

}  // namespace holdfast
