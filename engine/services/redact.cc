#include "engine/services/redact.h"

namespace holdfast {
namespace {

void blank(Attributes& attributes, const std::string& name) {
  for (Attribute& attribute : attributes) {
    if (attribute.name == name) attribute.value.clear();
  }
}

}  // namespace

void redact(DeadLetter& letter, const Redaction& redaction) {
  if (redaction.bodies) {
    letter.body.clear();
    letter.record.partial_output.clear();
    for (Attempt& attempt : letter.record.attempts.kept) attempt.failure.partial_output.clear();
    if (letter.original) letter.original->body.clear();
    letter.redacted.insert(letter.redacted.end(), {"body", "partial_output"});
  }
  for (const std::string& name : redaction.attributes) {
    letter.redacted.push_back("attribute " + name);
    blank(letter.attributes, name);
    if (letter.original) blank(letter.original->attributes, name);
    // The record has copies of these two attributes.
    if (name == kCorrelationIdAttribute) letter.record.correlation_id.clear();
    if (name == kWorkflowVersionAttribute) letter.record.workflow_version.clear();
    // The record also has copies of the attributes by which its queue searches.
    blank(letter.record.searched, name);
  }
}

void redact(PeekedMessage& message, const Redaction& redaction) {
  if (redaction.bodies) {
    message.body.clear();
    message.redacted.emplace_back("body");
  }
  for (const std::string& name : redaction.attributes) {
    message.redacted.push_back("attribute " + name);
    blank(message.attributes, name);
  }
}

}  // namespace holdfast
