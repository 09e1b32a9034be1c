// Does what is the same for all options.
#include "engine/base/options/queue_option_table.h"

namespace holdfast {

QueueOptions changed(QueueOptions options, const QueueChanges& changes) {
  for_each_option([&](const auto& option) {
    if (const auto& change = option.place(changes)) option.place(options) = *change;
  });
  return options;
}

QueueChanges changes_between(const QueueOptions& from, const QueueOptions& to) {
  QueueChanges changes;
  for_each_option([&](const auto& option) {
    if (option.place(from) != option.place(to)) option.place(changes) = option.place(to);
  });
  return changes;
}

std::string names_of_different(const QueueOptions& one, const QueueOptions& other) {
  std::string names;
  for_each_option([&](const auto& option) {
    if (option.place(one) == option.place(other)) return;
    if (!names.empty()) names += ", ";
    names += option.name;
  });
  return names;
}

}  // namespace holdfast
