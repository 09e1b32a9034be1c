// The verbs that find, triage and bring back dead letters. holdfast/broker.h says what holds of every verb.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "holdfast/dead_letter.h"
#include "holdfast/dead_letter_query.h"
#include "holdfast/dead_letter_statistics.h"
#include "holdfast/error.h"
#include "holdfast/ids.h"
#include "holdfast/message.h"
#include "holdfast/redrive.h"

namespace holdfast {

class DeadLetterVerbs {
 public:
  virtual ~DeadLetterVerbs() = default;

  // --- looking ---

  // Shows the dead letters of a queue by time of death, without receiving them: a page of those that the
  // filter selects, and where to continue. kQueueNotFound. kInvalidArgument for a page of no dead letters or
  // a filter that names an empty attribute. kLimitExceeded for a page of more than limits::kListPage, and for
  // a filter or a redaction past its limits.
  virtual Result<DeadLetterPage> list_dead_letters(std::string_view queue,
                                                   ListDeadLettersOptions options = {}) = 0;
  // Finds dead letters in all queues, or in those that the options name: where one message is, say, or all
  // that belong to one customer. It goes through the queues in the order of their names. kQueueNotFound for a
  // named queue that does not exist.
  virtual Result<FoundDeadLetters> find_dead_letters(FindDeadLettersOptions options = {}) = 0;
  // Counts dead letters by what they have in common, the largest groups first. kQueueNotFound;
  // kInvalidArgument and kLimitExceeded as for list_dead_letters, with groups in place of dead letters.
  virtual Result<DeadLetterGroups> group_dead_letters(std::string_view queue,
                                                      GroupDeadLettersOptions options = {}) = 0;
  // Counts dead letters by age, and the arrivals of each of the last hours and days by cause and category. A
  // count is part of the atomic write of the death, so restarts and crashes do not change it, and asking
  // reads no records. Arrivals outlive a purge. kQueueNotFound, kLimitExceeded.
  virtual Result<DeadLetterStatistics> dead_letter_statistics(std::string_view queue,
                                                              DeadLetterStatisticsOptions options = {}) = 0;
  // Returns one dead letter, or its history, with everything that is known of it. `id` is the id of its
  // message or of the dead letter itself, and `seq` is its place in the queue. kQueueNotFound,
  // kMessageNotFound.
  Result<DeadLetter> get_dead_letter(std::string_view queue, const MessageId& id, Redaction redact = {});
  Result<DeadLetter> get_dead_letter(std::string_view queue, Seq seq, Redaction redact = {});

  // --- changing ---

  // Sets status and assignee and adds a note, of leased dead letters and of history too. The call works in
  // bounded steps, each one atomic write: after a crash some dead letters may be changed and others not.
  // Fsynced.
  //
  // kQueueNotFound. kInvalidArgument if `changes` sets nothing, an empty note or the status kReplayed, and
  // for an empty filter without DeadLetterSelection::all. kLimitExceeded for a filter or a text past its
  // limit. If the engine is closed, or a step cannot be read (kCorruption), what earlier steps have changed
  // stays changed, and the answer is kOutcomeUnknown unless nothing was changed yet.
  virtual Result<DeadLettersChanged> change_dead_letters(std::string_view queue,
                                                         DeadLetterSelection selection,
                                                         DeadLetterChanges changes) = 0;
  // Deletes the messages for good. Their records stay, without bodies, as abandoned history for as long as
  // the queue's retention says. Dead letters that a consumer has leased stay (DeadLettersChanged::refused).
  // The call works in steps and fails as change_dead_letters does. Fsynced.
  virtual Result<DeadLettersChanged> discard_dead_letters(std::string_view queue,
                                                          DeadLetterSelection selection) = 0;
  // Puts dead letters of an archive or an export back with message, record and triage, under their old ids:
  // at most limits::kListPage of them, and limits::kBatchBytes of bodies and attributes, in one atomic write.
  // Retention counts from now. A redrive takes each to the queue that its record names as its source. The
  // history entry of a dead letter that was discarded here is removed: the import undoes the discard.
  // Fsynced.
  //
  // kQueueNotFound. kInvalidArgument for what no engine writes, such as a time before 1970 (see
  // limits::kImportedTimeMax), and for a dead letter that is not whole: one that was listed without bodies or
  // redacted. kLimitExceeded for too many dead letters, too many bytes, and a field past its limit. kDiskFull
  // while the device is down to its reserve (EngineOptions::free_space_reserve).
  virtual Result<DeadLettersImported> import_dead_letters(std::string_view queue,
                                                          std::vector<DeadLetter> letters) = 0;

  // --- bringing back ---

  // Moves the dead letters that are in `queue` now by a task, which the options describe. What dies meanwhile
  // stays. RedriveAction::kRedrive takes them back to the queues they came from: with the same id, body and
  // attributes, the delivery count reset and the replay count raised. RedriveAction::kPark takes them with
  // their records to the queue's parking_queue, or to `to`, where nothing moves them by itself; it refuses
  // edits, max_replays and canaries (kInvalidArgument). Tasks of one queue may run side by side: each message
  // is moved by one of them. After a crash, opening the engine again finishes the task.
  //
  // The call blocks until all are moved, unless RedriveOptions::wait is false: then it returns when the task
  // is on disk. A call that waits refuses a rate and a canary (kInvalidArgument), since only a task in the
  // background can pause; such a task waits too while there is no space. With RedriveOptions::dry_run the
  // call counts what it would do now, and changes nothing.
  //
  // There is no task after these errors: kQueueNotFound if `queue` or `to` does not exist. kInvalidArgument
  // if `to` is `queue` itself; for a park, if neither `to` nor the queue's parking_queue names a queue; for
  // `park_refused` without a parking_queue; and for other options that contradict each other or make no
  // sense. kMessageNotFound if the filter names dead letters and none of them is there. kDiskFull while the
  // device is down to its reserve (EngineOptions::free_space_reserve). kLimitExceeded for an option past its
  // limit, and while limits::kRunningTasks run.
  //
  // Once there is a task, no answer says that nothing was done: kOutcomeUnknown names the task if it could
  // not be waited for (it goes on when there is space, or when the engine is opened again) or if it failed,
  // which leaves moved what it has moved; redrive_status tells more. An engine that closes meanwhile answers
  // kClosed to a call with a request id: repeating the call once the engine is open waits for the same task.
  // Fsynced.
  virtual Result<Redriven> redrive(std::string_view queue, RedriveOptions options = {}) = 0;
  // Returns what a task does and what it has done so far. kTaskNotFound for an id that no task has had, and
  // for a task that is forgotten: of the tasks that have ended, the last limits::kFinishedTasks are
  // remembered.
  virtual Result<TaskStatus> redrive_status(TaskId id) = 0;
  // Returns all tasks that are remembered, oldest first.
  virtual Result<std::vector<TaskStatus>> list_redrives() = 0;
  // Ends a task; what it has moved stays moved. A task that has ended already stays as it is. `actor` says
  // who asks, for TaskStatus::cancelled_by; at most limits::kActorBytes. kTaskNotFound. Fsynced.
  virtual Result<TaskStatus> cancel_redrive(TaskId id, std::string actor = {}) = 0;
};

}  // namespace holdfast

// HOLDFAST_DEAD_LETTER_VERBS names each verb again, with the number of its parameters, and how many of them,
// counted from the end, have a default. Broker says what this list is for.
#define HOLDFAST_DEAD_LETTER_VERBS(FORM) \
  FORM(list_dead_letters, 2, 1)          \
  FORM(find_dead_letters, 1, 1)          \
  FORM(group_dead_letters, 2, 1)         \
  FORM(dead_letter_statistics, 2, 1)     \
  FORM(change_dead_letters, 3, 0)        \
  FORM(discard_dead_letters, 2, 0)       \
  FORM(import_dead_letters, 2, 0)        \
  FORM(redrive, 2, 1)                    \
  FORM(redrive_status, 1, 0)             \
  FORM(list_redrives, 0, 0)              \
  FORM(cancel_redrive, 2, 1)
