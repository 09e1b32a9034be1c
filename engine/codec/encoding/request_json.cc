#include "engine/codec/encoding/request_json.h"

#include <optional>
#include <utility>

#include "engine/base/helpers/utf8.h"
#include "engine/codec/encoding/json_builder.h"

namespace holdfast {
namespace {

// Ends at a member whose name its object has already.
class RequestJsonBuilder : public JsonBuilder {
 public:
  using JsonBuilder::JsonBuilder;

  bool key(std::string& name) {
    if (add_member(name)) return true;
    repeated_ = name;
    return false;
  }

  const std::optional<std::string>& repeated() const { return repeated_; }

 private:
  std::optional<std::string> repeated_;
};

}  // namespace

tl::expected<Json, std::string> parse_request_json(std::string_view text) {
  constexpr std::size_t kShownBytes = 100;
  auto shape = has_zero_byte(text) ? std::nullopt : measure_json(text, {});
  if (!shape) return tl::unexpected(json_fault(text));
  RequestJsonBuilder builder(*std::move(shape));
  if (Json::sax_parse(text, &builder)) return builder.take();
  if (!builder.repeated()) return tl::unexpected(json_fault(text));
  return tl::unexpected("has the member '" + std::string(start_of_text(*builder.repeated(), kShownBytes)) +
                        "' twice in one object");
}

}  // namespace holdfast
