// Every verb works with a CommandSession: the broker that it speaks to, and the streams to which it writes.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "holdfast/broker.h"
#include "holdfast/client.h"
#include "tools/cli/terminal/line_source.h"
#include "tools/cli/terminal/terminal.h"
#include "tools/cli/texts/table.h"

namespace holdfast::command {

using Json = nlohmann::ordered_json;

// SharedOptions are the options that all verbs have.
struct SharedOptions {
  std::string server;  // empty: HOLDFAST_SERVER, or else kDefaultServer
  // These options are for a tls:// server. Each that is empty comes from HOLDFAST_SERVER_CA,
  // HOLDFAST_CLIENT_CERTIFICATE or HOLDFAST_CLIENT_KEY, if that is set.
  std::string server_ca;
  std::string client_certificate;
  std::string client_key;
  std::string data;  // if not empty, the verb uses the engine of this directory in its own process
  bool json = false;
  ColorChoice color = ColorChoice::kAuto;
  // Connecting and each call may take `time_limit` at most, for somebody who does not wait longer.
  std::optional<Duration> time_limit;
};

inline constexpr const char* kDefaultServer = "127.0.0.1:7700";

// Says where the columns are that a terminal has no room for.
inline constexpr std::string_view kAllColumns = "a wider terminal, a pipe or --json has all";

class CommandSession {
 public:
  CommandSession(std::istream& in, std::ostream& out, std::ostream& err);

  SharedOptions options;
  std::function<Result<void>(CommandSession&)> action;  // the verb that was typed, ready to run

  // Returns the broker. The first call connects, or opens the data directory.
  Result<Broker*> broker(bool create_directory = false);

  // Returns whether broker() has succeeded.
  bool is_connected() const { return broker_ != nullptr; }

  // Connects to a server, for calls that a directory does not have. kInvalidArgument with --data.
  Result<Client*> client();

  // Returns the time of the broker, by which it makes all its timestamps; the time of this machine if there
  // is no broker yet.
  Timestamp now() const;

  // Returns where the broker is: the server's address, or the directory.
  std::string place() const { return options.data.empty() ? server() : options.data; }

  std::istream& in() { return in_; }
  // Returns the input as lines. Must not be used together with in(), which reads ahead.
  std::unique_ptr<LineSource> lines_in();
  std::ostream& out() { return out_; }
  bool json() const { return options.json; }
  // Returns what out() leads to.
  Screen screen() const;

  // Prints one JSON object on a line of its own.
  void print(const Json& object);
  // Prints a table as it fits what out() leads to. Notes which columns a terminal has no room for.
  void print(const Table& table);
  // Writes a line for people to the error stream; nothing with --json.
  void note(const std::string& line);
  // Writes a line to the error stream, or `facts` with --json.
  void note(const std::string& line, const Json& facts);
  // Returns whether the error stream is a terminal of a person.
  bool on_terminal() const;
  // If the error stream is a person's terminal, puts `line` in the place of the line that it put before.
  void overwrite(const std::string& line);
  // Writes a warning to the error stream; an object with --json.
  void warn(const std::string& text);
  // note_more() says that a list stopped at its page, and where it goes on. report() reports an error on the
  // error stream: a line, or with --json an object that has `details` beside the error.
  void note_more(std::uint64_t shown, const std::string& after);
  void report(const Error& said, const Json& details = Json::object());
  void report_usage(const std::string& message, const std::string& advice);

  // Asks on the error stream and reads the answer. Returns true for "y" and "yes". kInvalidArgument if nobody
  // can answer (end of input, --json).
  Result<bool> confirm(const std::string& question);
  // Returns whether to do what the question says: `yes` was given, or the answer is yes. If the answer is no,
  // it says that nothing was touched, and the exit status is 1.
  Result<bool> go_ahead(const std::string& question, bool yes);
  // Says on the error stream that what was asked did not happen though nothing is broken. The exit status is
  // 1.
  void report_undone(const std::string& text);

  // Sets the queues that were named, so that the answer to a wrong name can suggest others.
  void set_typed_queues(std::vector<std::string> names) { typed_queues_ = std::move(names); }

  // Sets the options of all verbs, without the dashes. Errors name options in these words.
  void set_options(std::set<std::string> names) { option_names_ = std::move(names); }

  // Returns 0, or the exit status of the first error that was reported.
  int exit_status() const { return exit_status_; }
  void set_exit_status(int status) { exit_status_ = exit_status_ == 0 ? status : exit_status_; }

 private:
  Result<std::unique_ptr<Broker>> open(bool create_directory) const;
  Result<Client> connect() const;
  std::string server() const;
  ClientTls tls() const;
  std::string hint(const Error& error);
  // Asks the broker which queues a wrong name may have meant.
  std::string meant_queues();
  Screen error_screen() const;
  // Writes the lines of an error for people.
  void tell(const std::string& message, const std::string& advice);

  std::istream& in_;
  std::ostream& out_;
  std::ostream& err_;
  std::unique_ptr<Broker> broker_;
  std::optional<Client> client_;
  std::vector<std::string> typed_queues_;
  std::set<std::string> option_names_;
  int exit_status_ = 0;
};

}  // namespace holdfast::command
