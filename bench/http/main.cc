// holdfast-bench-http measures holdfastd's HTTP port, with its own API and with Amazon SQS's protocol, beside
// an echo of the same bytes and servers from npm. tools/bench --http builds it and passes its arguments on.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <regex>

#include "bench/harness/line.h"
#include "bench/harness/temp_dir.h"
#include "bench/harness/workload.h"
#include "bench/http/dialects.h"
#include "bench/http/echo.h"
#include "bench/http/servers.h"
#include "bench/http/talkers.h"

namespace {

using namespace holdfast::bench;
using holdfast::Durability;

struct Arguments {
  std::filesystem::path data = std::filesystem::temp_directory_path();
  std::filesystem::path npm;
  std::string filter;
  std::size_t rounds = 5;
  std::size_t turn_ms = 600;
  std::size_t backlog = 1'000'000;
  std::size_t groups = 1000;
  bool fifo = false;
  bool json = false;
};

struct Load {
  std::size_t body_bytes;
  std::size_t batch;
  std::size_t connections;
  Durability durability;
};

std::string load_name(const Load& load) {
  return fmt::format("{}/batch{}/{}/{}", size_name(load.body_bytes), load.batch, load.connections,
                     durability_name(load.durability));
}

// A contender's name is a part of the names of its lines.
constexpr const char* kEcho = "echo";
constexpr const char* kApi = "api";
constexpr const char* kSqs = "sqs";
constexpr const char* kFauxqs = "fauxqs";

// fauxqs keeps its messages in memory, so it has no part in loads with fsync.
bool has_fauxqs(const Arguments& arguments, const Load& load) {
  return !arguments.npm.empty() && load.durability != Durability::kFsync;
}

std::string send_line(const std::string& contender, const Load& load) {
  return fmt::format("http/{}/send/{}", contender, load_name(load));
}

std::string take_line(const std::string& contender, const Load& load) {
  return fmt::format("http/{}/take/{}", contender, load_name(load));
}

std::string fifo_line(const Arguments& arguments) {
  return fmt::format("http/fifo/backlog{}/groups{}", arguments.backlog, arguments.groups);
}

// Returns whether the filter finds a line of this contender.
bool finds(const std::regex& filter, const std::string& contender, const Load& load) {
  return std::regex_search(send_line(contender, load), filter) ||
         std::regex_search(take_line(contender, load), filter);
}

// Makes bodies of text, since JSON carries them. They consist of 64 letters and digits, so that compression
// gains little.
Bodies make_bodies(const Load& load) {
  BodySource source(load.body_bytes);
  Bodies bodies = source.next(load.batch);
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  for (std::string& body : bodies) {
    for (char& c : body) c = kLetters[static_cast<unsigned char>(c) % kLetters.size()];
  }
  return bodies;
}

// A server under one protocol, and how a queue is created there.
struct Contender {
  std::string name;
  const HttpServer* server;
  std::unique_ptr<Dialect> dialect;
  std::function<std::string(const std::string& queue, Durability durability)>
      create;  // empty: it has no queues
};

struct Rates {
  std::vector<double> requests;  // requests a second, by round
  double cpu_seconds = 0;        // the CPU time of the server
  std::uint64_t all_requests = 0;
};

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[values.size() / 2];
}

void measure(const Contender& contender, const std::vector<std::unique_ptr<Talker>>& talkers,
             std::chrono::duration<double> turn, bool counts, Rates& to) {
  const double before = use_of(contender.server->pid()).cpu_seconds;
  const LoadResult result = run_load(contender.server->port(), talkers, turn);
  if (!counts) return;
  to.cpu_seconds += use_of(contender.server->pid()).cpu_seconds - before;
  to.all_requests += result.requests;
  to.requests.push_back(static_cast<double>(result.requests) / result.seconds);
}

struct Standing {
  Rates send;
  Rates take;
};

// Sends for a turn, and receives what was sent for another turn.
void run_turn(const Contender& contender, const Load& load, const std::string& queue,
              std::chrono::duration<double> turn, bool counts, Standing& to) {
  if (contender.create) ask(contender.server->port(), contender.create(queue, load.durability));
  const Bodies bodies = make_bodies(load);
  std::vector<std::unique_ptr<Talker>> senders;
  std::vector<std::unique_ptr<Talker>> takers;
  for (std::size_t i = 0; i < load.connections; ++i) {
    senders.push_back(std::make_unique<SendTalker>(*contender.dialect, queue, bodies));
    takers.push_back(std::make_unique<TakeTalker>(*contender.dialect, queue, load.batch));
  }
  measure(contender, senders, turn, counts, to.send);
  measure(contender, takers, turn, counts, to.take);
}

std::vector<double> ratios(const Rates& rates, const Rates& reference) {
  std::vector<double> all;
  for (std::size_t i = 0; i < std::min(rates.requests.size(), reference.requests.size()); ++i)
    all.push_back(rates.requests[i] / reference.requests[i]);
  return all;
}

void print(const Line& line, bool json) {
  if (json) {
    print_json(std::cout, line);
  } else {
    print_table_row(std::cout, line);
  }
}

Line line_of(const std::string& name, const Rates& rates, const Rates* floor) {
  Line line{.name = name, .value = median(rates.requests), .unit = "requests/s"};
  line.cpu_microseconds =
      rates.cpu_seconds * 1e6 / static_cast<double>(std::max<std::uint64_t>(rates.all_requests, 1));
  if (floor == nullptr) return line;
  line.reference = "echo";
  line.reference_value = median(floor->requests);
  line.ratio = median(ratios(rates, *floor));
  return line;
}

class Contest {
 public:
  // Runs and prints only the lines that the filter finds, and runs the echo along with them.
  Contest(const Arguments& arguments, const std::regex& filter)
      : arguments_(arguments),
        filter_(filter),
        directory_(std::filesystem::absolute(arguments.data)),
        echo_(start_echo(directory_.path())),
        holdfastd_(start_holdfastd(directory_.path())) {
    if (arguments.npm.empty()) return;
    fauxqs_ = start_fauxqs(arguments.npm, directory_.path());
  }

  void run(const Load& load) {
    auto contenders = contenders_of(load);
    std::erase_if(contenders, [&](const Contender& contender) {
      return contender.name != kEcho && !finds(filter_, contender.name, load);
    });
    std::vector<Standing> standings(contenders.size());
    const std::chrono::duration<double> turn = std::chrono::milliseconds(arguments_.turn_ms);
    for (std::size_t round = 0; round <= arguments_.rounds; ++round) {
      for (std::size_t i = 0; i < contenders.size(); ++i) {
        const std::size_t at = round % 2 == 0 ? i : contenders.size() - 1 - i;
        const std::string queue = fmt::format("q{}", ++queues_);
        run_turn(contenders[at], load, queue, turn, round > 0, standings[at]);
      }
    }
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      const std::string& name = contenders[i].name;
      const Standing* const floor = i == 0 ? nullptr : &standings[0];
      print_found(
          line_of(send_line(name, load), standings[i].send, floor != nullptr ? &floor->send : nullptr));
      print_found(
          line_of(take_line(name, load), standings[i].take, floor != nullptr ? &floor->take : nullptr));
    }
  }

  // A queue of ordered groups with a long backlog is drained in turns with a queue that has little to drain.
  void run_fifo();

 private:
  std::vector<Contender> contenders_of(const Load& load) const {
    std::vector<Contender> all;
    all.push_back({kEcho, echo_.get(), echo_dialect(load.body_bytes), {}});
    const auto over_api = [](const std::string& queue, Durability durability) {
      return create_over_api(queue, durability, false);
    };
    all.push_back({kApi, holdfastd_.get(), api_dialect(), over_api});
    const std::string urls = fmt::format("http://127.0.0.1:{}/000000000000/", holdfastd_->port());
    all.push_back({kSqs, holdfastd_.get(), sqs_dialect(urls), over_api});
    if (!has_fauxqs(arguments_, load)) return all;
    const std::string probe = ask(fauxqs_->port(), create_over_sqs("probe"));
    all.push_back({kFauxqs, fauxqs_.get(), sqs_dialect(urls_in(probe, "probe")),
                   [](const std::string& queue, Durability) { return create_over_sqs(queue); }});
    return all;
  }

  void print_found(const Line& line) const {
    if (std::regex_search(line.name, filter_)) print(line, arguments_.json);
  }

  void fill(const std::string& queue, std::size_t messages);
  LoadResult drain(const std::string& queue);

  const Arguments& arguments_;
  const std::regex& filter_;
  const TempDir directory_;
  std::unique_ptr<HttpServer> echo_;
  std::unique_ptr<HttpServer> holdfastd_;
  std::unique_ptr<HttpServer> fauxqs_;
  std::size_t queues_ = 0;
};

constexpr std::size_t kFifoConnections = 16;
constexpr std::size_t kFifoBatch = 10;
constexpr std::size_t kFifoBytes = 256;
constexpr std::size_t kFewMessages = 100'000;  // more than a turn takes
constexpr std::size_t kFillBatch = 500;

void Contest::fill(const std::string& queue, std::size_t messages) {
  const Bodies bodies = make_bodies({kFifoBytes, kFillBatch, 1, Durability::kBuffered});
  for (std::size_t sent = 0; sent < messages; sent += kFillBatch)
    ask(holdfastd_->port(), send_in_groups(queue, bodies, sent, arguments_.groups));
}

LoadResult Contest::drain(const std::string& queue) {
  const auto dialect = sqs_dialect(fmt::format("http://127.0.0.1:{}/000000000000/", holdfastd_->port()));
  std::vector<std::unique_ptr<Talker>> takers;
  for (std::size_t i = 0; i < kFifoConnections; ++i)
    takers.push_back(std::make_unique<TakeTalker>(*dialect, queue, kFifoBatch));
  return run_load(holdfastd_->port(), takers, std::chrono::milliseconds(arguments_.turn_ms));
}

void Contest::run_fifo() {
  for (const char* queue : {"long.fifo", "short.fifo"})
    ask(holdfastd_->port(), create_over_api(queue, Durability::kBuffered, true));
  fill("long.fifo", arguments_.backlog);
  std::vector<double> behind;
  std::vector<double> empty;
  std::vector<double> all_ratios;
  for (std::size_t round = 0; round <= arguments_.rounds; ++round) {
    fill("short.fifo", kFewMessages);
    const LoadResult few = drain("short.fifo");
    if (few.messages >= kFewMessages) throw BenchError("the short queue ran dry: --turn is too long");
    const LoadResult many = drain("long.fifo");
    ask(holdfastd_->port(), make_request("POST", "/v1/queues/short.fifo/purge", "", ""));
    if (round == 0) continue;
    empty.push_back(static_cast<double>(few.messages) / few.seconds);
    behind.push_back(static_cast<double>(many.messages) / many.seconds);
    all_ratios.push_back(behind.back() / empty.back());
  }
  print({.name = fifo_line(arguments_),
         .value = median(behind),
         .reference = "the same of a queue with little in it",
         .reference_value = median(empty),
         .ratio = median(all_ratios)},
        arguments_.json);
}

std::vector<Load> loads() {
  std::vector<Load> all;
  for (const Durability durability : {Durability::kBuffered, Durability::kFsync}) {
    for (const std::size_t bytes : {256U, 1024U}) {
      for (const std::size_t batch : {1U, 10U}) {
        for (const std::size_t connections : {1U, 16U, 64U})
          all.push_back({bytes, batch, connections, durability});
      }
    }
  }
  return all;
}

// Returns the loads that have a line which the filter finds.
std::vector<Load> picked_loads(const Arguments& arguments, const std::regex& filter) {
  std::vector<Load> picked = loads();
  std::erase_if(picked, [&](const Load& load) {
    const bool found = finds(filter, kEcho, load) || finds(filter, kApi, load) || finds(filter, kSqs, load) ||
                       (has_fauxqs(arguments, load) && finds(filter, kFauxqs, load));
    return !found;
  });
  return picked;
}

void run(const Arguments& arguments) {
  const std::regex filter(arguments.filter);
  const std::vector<Load> picked = picked_loads(arguments, filter);
  if (arguments.fifo ? !std::regex_search(fifo_line(arguments), filter) : picked.empty())
    throw BenchError(kNoMatch);
  Contest contest(arguments, filter);
  if (!arguments.json) print_table_head(std::cout);
  if (arguments.fifo) return contest.run_fifo();
  for (const Load& load : picked) contest.run(load);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("holdfastd's HTTP port beside an echo and servers from npm.", "holdfast-bench-http");
  Arguments arguments;
  app.add_option("--data", arguments.data, "Where the data goes")->take_last();
  app.add_option("--npm", arguments.npm,
                 "What bench/http/servers/package.json brought; without: none of these servers");
  app.add_option("--filter", arguments.filter, "Only lines whose name this regular expression finds");
  app.add_option("--rounds", arguments.rounds, "How often contenders take turns");
  app.add_option("--turn", arguments.turn_ms, "Milliseconds of one turn");
  app.add_flag("--fifo", arguments.fifo, "How fast a FIFO queue with a backlog drains, instead");
  app.add_option("--backlog", arguments.backlog, "Its messages");
  app.add_option("--groups", arguments.groups, "Their groups");
  app.add_flag("--json", arguments.json, "One JSON object a line");
  std::uint16_t port = 0;
  auto* echo = app.add_subcommand("serve-echo")->group("");
  echo->add_option("port", port)->required();
  CLI11_PARSE(app, argc, argv);
  try {
    if (*echo) {
      serve_http_echo(port);
    } else {
      run(arguments);
    }
  } catch (const std::exception& e) {
    std::cerr << "holdfast-bench-http: " << e.what() << '\n';
    return 1;
  }
  return 0;
}
