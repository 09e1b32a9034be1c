// The options for how long dead letters are kept.
#pragma once

#include <chrono>

#include "holdfast/detail/duration.h"
#include "holdfast/detail/option_field.h"

namespace holdfast {

// These options say how long dead letters stay in a dead letter queue: 0..limits::kKeepMax. After that they
// are archived and deleted (EngineOptions::archive_directory; an engine without an archive keeps them).
template <template <class> class Field>
struct RetentionOptionFields {
  // `replayed` is for replayed and acknowledged ones, `abandoned` for abandoned ones. 0: they leave at once.
  Field<Duration> replayed = detail::initially<Field, Duration>(std::chrono::days(90));
  Field<Duration> abandoned = detail::initially<Field, Duration>(std::chrono::days(365));

  // New, investigating and fixed dead letters stay for this long, counted from the latest of their death,
  // their import and the last change of their status. 0: they stay until somebody resolves them.
  Field<Duration> unresolved = {};

  friend bool operator==(const RetentionOptionFields&, const RetentionOptionFields&) = default;
};

}  // namespace holdfast
