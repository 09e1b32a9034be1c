// Says once more, apart from the server's own rows, what each call of the protocol needs.
#pragma once

#include <map>
#include <string>

namespace holdfast::server {

// 'p' is produce, 'c' consume, 'o' operate and 'a' administer, on the call's queue. A capital needs the right
// on all queues. '.' needs nothing, '?' any right on the queue, and '*' any right on any queue.
inline const std::map<std::string, char>& needs() {
  static const std::map<std::string, char> needs = {{"hello", '.'},
                                                    {"authenticate", '.'},
                                                    {"listQueues", '*'},
                                                    {"messageHistory", '*'},
                                                    {"describeQueue", '?'},
                                                    {"createQueue", 'a'},
                                                    {"alterQueue", 'a'},
                                                    {"deleteQueue", 'a'},
                                                    {"purgeQueue", 'a'},
                                                    {"compact", 'a'},
                                                    {"importDeadLetters", 'a'},
                                                    {"sendBatch", 'p'},
                                                    {"receive", 'c'},
                                                    {"subscribe", 'c'},
                                                    {"ackBatch", 'c'},
                                                    {"extendBatch", 'c'},
                                                    {"startBatch", 'c'},
                                                    {"releaseBatch", 'c'},
                                                    {"rejectBatch", 'c'},
                                                    {"peek", 'o'},
                                                    {"pauseQueue", 'o'},
                                                    {"resumeQueue", 'o'},
                                                    {"queueStatistics", 'o'},
                                                    {"listDeadLetters", 'o'},
                                                    {"findDeadLetters", '*'},
                                                    {"groupDeadLetters", 'o'},
                                                    {"changeDeadLetters", 'o'},
                                                    {"discardDeadLetters", 'o'},
                                                    {"deadLetterStatistics", 'o'},
                                                    {"redrive", 'o'},
                                                    {"redriveStatus", '*'},
                                                    {"listRedrives", '*'},
                                                    {"cancelRedrive", '*'},
                                                    {"backup", 'A'},
                                                    {"verify", 'A'},
                                                    {"statistics", 'A'},
                                                    {"drain", 'A'},
                                                    {"drainStatus", 'A'},
                                                    {"resume", 'A'}};
  return needs;
}

}  // namespace holdfast::server
