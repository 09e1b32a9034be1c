// What every verb works with: the broker it speaks to and where its words go.
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

// The options that all verbs share.
struct SharedOptions {
  std::string server;  // empty: HOLDFAST_SERVER, else kDefaultServer
  // For a tls:// server; empty: HOLDFAST_SERVER_CA, HOLDFAST_CLIENT_CERTIFICATE, HOLDFAST_CLIENT_KEY, if set.
  std::string server_ca;
  std::string client_certificate;
  std::string client_key;
  std::string data;  // not empty: this directory's engine, in process
  bool json = false;
  ColorChoice color = ColorChoice::kAuto;
  // How long connecting and a call may take, where nobody waits for longer.
  std::optional<Duration> patience;
};

inline constexpr const char* kDefaultServer = "127.0.0.1:7700";

// Where the columns are that a terminal has no room for.
inline constexpr std::string_view kAllColumns = "a wider terminal, a pipe or --json has all";

class CommandSession {
 public:
  CommandSession(std::istream& in, std::ostream& out, std::ostream& err);

  SharedOptions options;
  std::function<Result<void>(CommandSession&)> action;  // the verb that was typed, ready to run

  // Connects, or opens the data directory, at the first call.
  Result<Broker*> broker(bool create_directory = false);

  // Whether that has been done, and worked.
  bool is_connected() const { return broker_ != nullptr; }

  // Connects to a server, for what a directory has not got: kInvalidArgument with --data.
  Result<Client*> client();

  // The time of the broker, by which all it says is stamped; without one yet, of this machine.
  Timestamp now() const;

  // Where that is: the server's address, or the directory.
  std::string place() const { return options.data.empty() ? server() : options.data; }

  std::istream& in() { return in_; }
  // The same, line by line. Not beside in(), which reads ahead.
  std::unique_ptr<LineSource> lines_in();
  std::ostream& out() { return out_; }
  bool json() const { return options.json; }
  // What out() leads to.
  Screen screen() const;

  // One JSON object, on a line of its own.
  void print(const Json& object);
  // As it fits what out() leads to; says which columns a terminal has no room for.
  void print(const Table& table);
  // For people only: nothing with --json.
  void note(const std::string& line);
  // With --json `facts`, on the error stream.
  void note(const std::string& line, const Json& facts);
  // Whether the error stream is a terminal of a person.
  bool on_terminal() const;
  // There: puts `line` in the place of what it put before.
  void overwrite(const std::string& line);
  // On the error stream: a line, or an object with --json that has `details` beside the error.
  void warn(const std::string& text);
  // That a list stopped at its page, and where it goes on.
  void note_more(std::uint64_t shown, const std::string& after);
  void report(const Error& said, const Json& details = Json::object());
  void report_usage(const std::string& message, const std::string& advice);

  // Asks on the error stream and reads the answer. True for "y" and "yes"; kInvalidArgument if there is no
  // answer to be had (end of input, --json).
  Result<bool> confirm(const std::string& question);
  // Whether to do what the question says: `yes` was said before, or it is answered so. If not, it says that
  // nothing was touched, with exit status 1.
  Result<bool> go_ahead(const std::string& question, bool yes);
  // What was asked did not happen though nothing is broken: says so on the error stream, with exit status 1.
  void report_undone(const std::string& text);

  // The queues that were named, for an answer to a name that is wrong.
  void set_typed_queues(std::vector<std::string> names) { typed_queues_ = std::move(names); }

  // Of all verbs, without the dashes: errors are told in these words.
  void set_options(std::set<std::string> names) { option_names_ = std::move(names); }

  // 0, or the exit status of the first error reported.
  int exit_status() const { return exit_status_; }
  void set_exit_status(int status) { exit_status_ = exit_status_ == 0 ? status : exit_status_; }

 private:
  Result<std::unique_ptr<Broker>> open(bool create_directory) const;
  Result<Client> connect() const;
  std::string server() const;
  ClientTls tls() const;
  std::string hint(const Error& error);
  // Asks which queues there are that a wrong name may have meant.
  std::string meant_queues();
  Screen error_screen() const;
  // The two lines of an error, for people.
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
