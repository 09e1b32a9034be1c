// AlertTemplate is for webhooks that no other shape suits: it is JSON whose texts name fields of an event.
#pragma once

#include <string>
#include <string_view>

#include "engine/codec/encoding/json.h"
#include "holdfast/error.h"

namespace holdfast::server {

// In a text, {{queue}} stands for that field of the event, and {{tag NAME}} for the value of the queue's tag.
// A text that is one such name and nothing else becomes the field with the field's type: a number, an object
// of tags, or null if the event does not have it.
class AlertTemplate {
 public:
  // Returns kInvalidArgument if the text is not JSON or names a field of no event; the error says which.
  static Result<AlertTemplate> parse(std::string_view text);

  // Fills the template in. `fields` is the object of event_fields(), and also has "dropped".
  Json fill(const Json& fields) const;

 private:
  explicit AlertTemplate(Json content) : content_(std::move(content)) {}

  Json content_;
};

}  // namespace holdfast::server
