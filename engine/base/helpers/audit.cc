#include "engine/base/helpers/audit.h"

#include <utility>

#include "engine/base/helpers/saturating.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

template <class Entry>
void append_bounded(std::vector<Entry>& entries, std::uint32_t& dropped, Entry entry, std::size_t limit) {
  entries.push_back(std::move(entry));
  if (entries.size() <= limit) return;
  entries.erase(entries.begin());
  dropped = one_more(dropped);
}

}  // namespace

void add_note(Triage& triage, TriageNote note) {
  append_bounded(triage.notes, triage.notes_dropped, std::move(note), limits::kTriageNotes);
}

void add_audit(Triage& triage, AuditEntry entry) {
  if (!triage.audit.empty()) {
    AuditEntry& last = triage.audit.back();
    if (last.actor == entry.actor && last.action == entry.action) {
      last.at = entry.at;
      return;
    }
  }
  append_bounded(triage.audit, triage.audit_dropped, std::move(entry), limits::kAuditEntries);
}

}  // namespace holdfast
