// An example with a consumer, a dead letter queue, a reprocessor that looks after it, and a parking queue for
// what only people can decide. This is the usual shape of error handling with Pub/Sub-style brokers, in one
// process. It shows why an order that was tried again and again died, and ends with a table of what went
// where. Its status is 1 if the table does not add up.
#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include "holdfast/engine.h"
#include "tools/examples/reprocessor/actors.h"

namespace holdfast::example {
namespace {

Result<Orders> play(Broker& broker, std::uint32_t count) {
  if (auto ok = create_queues(broker); !ok) return tl::unexpected(ok.error());
  auto orders = send_orders(broker, count);
  if (!orders) return orders;
  for (const auto step : {consume, show_a_timeout, reprocess, look_at_parked, consume}) {
    if (auto ok = step(broker); !ok) return tl::unexpected(ok.error());
  }
  if (auto ok = trace(broker, *orders); !ok) return tl::unexpected(ok.error());
  return orders;
}

std::uint32_t count_of(const Orders& orders, Kind kind, End end) {
  std::uint32_t count = 0;
  for (const auto& [id, order] : orders) count += order.kind == kind && order.end == end ? 1 : 0;
  return count;
}

void print(const Orders& orders) {
  fmt::print("{:<10}", "");
  for (const End end : kEnds) fmt::print("{:>12}", to_string(end));
  fmt::print("{:>8}\n", "all");
  for (const Kind kind : kKinds) {
    fmt::print("{:<10}", to_string(kind));
    std::uint32_t sum = 0;
    for (const End end : kEnds) {
      const std::uint32_t count = count_of(orders, kind, end);
      sum += count;
      fmt::print("{:>12}", count);
    }
    fmt::print("{:>8}\n", sum);
  }
}

// Returns whether every order ended, and in a way in which its kind may end.
bool adds_up(const Orders& orders, std::uint32_t sent) {
  const auto ended = [&](Kind kind, End end) { return count_of(orders, kind, end); };
  return ended(Kind::kGood, End::kFirstTime) + ended(Kind::kInvalid, End::kRepaired) +
             ended(Kind::kSlow, End::kRedriven) + ended(Kind::kMalformed, End::kByHand) +
             ended(Kind::kMalformed, End::kDiscarded) ==
         sent;
}

int run(std::uint32_t count, const std::filesystem::path& directory) {
  auto engine = Engine::open(directory);
  auto orders = engine ? play(*engine, count) : tl::unexpected(engine.error());
  if (!orders) {
    fmt::print(stderr, "{}\n", to_string(orders.error()));
    return 1;
  }
  print(*orders);
  if (adds_up(*orders, count)) return 0;
  fmt::print(stderr, "this does not add up to {} orders\n", count);
  return 1;
}

}  // namespace
}  // namespace holdfast::example

int main(int argc, char** argv) {
  std::uint32_t count = 1000;
  if (argc == 3 && std::strcmp(argv[1], "--orders") == 0) {
    std::from_chars(argv[2], argv[2] + std::strlen(argv[2]), count);
  } else if (argc != 1) {
    fmt::print(stderr, "usage: {} [--orders N]\n", argv[0]);
    return 2;
  }
  std::string directory = (std::filesystem::temp_directory_path() / "holdfast-example-XXXXXX").string();
  if (::mkdtemp(directory.data()) == nullptr) {
    fmt::print(stderr, "cannot make a directory in {}\n", std::filesystem::temp_directory_path().string());
    return 1;
  }
  const int status = holdfast::example::run(count, directory);
  std::filesystem::remove_all(directory);
  return status;
}
