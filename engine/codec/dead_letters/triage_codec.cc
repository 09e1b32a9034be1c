#include "engine/codec/dead_letters/triage_codec.h"

namespace holdfast {
namespace {

// Tags are never changed and never used again.
enum TriageTag : std::uint32_t {
  kStatus = kFirstTriageTag,
  kStatusSince = 65,
  kAssignee = 66,
  kNote = 67,  // one field for each note, as there is for each entry of the audit
  kNotesDropped = 68,
  kAuditEntry = 69,
  kAuditDropped = 70,
};

// The field is at:u64 actor:bytes text.
std::string words(Timestamp at, std::string_view actor, std::string_view text) {
  std::string bytes;
  wire::put_time(bytes, at);
  wire::put_bytes(bytes, actor);
  bytes.append(text);
  return bytes;
}

bool read_words(std::string_view bytes, Timestamp& at, std::string& actor, std::string& text) {
  wire::Reader reader(bytes);
  at = reader.time();
  actor = reader.bytes();
  text = reader.rest();
  return !reader.failed();
}

}  // namespace

void put_triage(std::string& out, const Triage& triage) {
  tagged::put_number(out, kStatus, static_cast<std::uint64_t>(triage.status));
  tagged::put_time(out, kStatusSince, triage.status_since);
  tagged::put_text(out, kAssignee, triage.assignee);
  for (const auto& [at, actor, text] : triage.notes) tagged::put_text(out, kNote, words(at, actor, text));
  tagged::put_number(out, kNotesDropped, triage.notes_dropped);
  for (const auto& [at, actor, action] : triage.audit) {
    tagged::put_text(out, kAuditEntry, words(at, actor, action));
  }
  tagged::put_number(out, kAuditDropped, triage.audit_dropped);
}

bool read_triage_field(const tagged::Field& field, Triage& triage) {
  switch (field.tag) {
    case kStatus:
      triage.status = static_cast<DeadLetterStatus>(field.number());
      break;
    case kStatusSince:
      triage.status_since = field.time();
      break;
    case kAssignee:
      triage.assignee = field.text();
      break;
    case kNote: {
      TriageNote& note = triage.notes.emplace_back();
      return read_words(field.value, note.at, note.actor, note.text);
    }
    case kNotesDropped:
      triage.notes_dropped = static_cast<std::uint32_t>(field.number());
      break;
    case kAuditEntry: {
      AuditEntry& entry = triage.audit.emplace_back();
      return read_words(field.value, entry.at, entry.actor, entry.action);
    }
    case kAuditDropped:
      triage.audit_dropped = static_cast<std::uint32_t>(field.number());
      break;
    default:
      break;
  }
  return true;
}

}  // namespace holdfast
