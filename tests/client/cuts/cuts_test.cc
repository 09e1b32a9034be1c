// Clients whose connections are cut at random bytes call a server with tight limits, whose tokens' rights
// change, and which is killed and started again. A ledger knows what each call was answered, and looks
// through another door at what the call has done: its effect is there once if it succeeded, not at all if it
// failed, and at most once if its outcome is unknown.
// HOLDFAST_CUTS says how many cuts there are in each of the four cases. HOLDFAST_CUTS_SEED repeats what is
// drawn, but not the races.
#include <gmock/gmock.h>

#include <atomic>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "tests/client/cuts/cut_caller.h"
#include "tests/support/last_words.h"

namespace holdfast::testing {
namespace {

constexpr std::size_t kClients = 3;
constexpr std::size_t kThreadsPerClient = 2;
constexpr int kMore = 20;  // how often a campaign goes on while a verb or a refusal is missing

void end_unfinished() {
  Doing::say_all();
  Site::kill_server();
}

class Cuts : public ::testing::TestWithParam<std::tuple<Over, Tight>> {};

INSTANTIATE_TEST_SUITE_P(With, Cuts,
                         ::testing::Combine(::testing::Values(Over::kTcp, Over::kTls),
                                            ::testing::Values(Tight::kCalls, Tight::kBytes)),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param) == Over::kTcp ? "Tcp" : "Tls") +
                                  (std::get<1>(test.param) == Tight::kCalls ? "OneCall" : "FewBytes");
                         });

TEST_P(Cuts, WhatIsSaidIsWhatWasDone) {
  const std::uint64_t cuts = environment_count("HOLDFAST_CUTS", 150);
  const std::uint64_t seed = environment_number("HOLDFAST_CUTS_SEED", 1);
  const LastWords words("HOLDFAST_CUTS_SEED=" + std::to_string(seed), end_unfinished);
  const auto [over, tight] = GetParam();
  Site site(over, tight, seed);
  Ledger ledger;
  std::atomic<bool> over_now = false;
  std::vector<Client> clients;
  std::vector<std::unique_ptr<CutCaller>> callers;
  clients.reserve(kClients);
  for (std::size_t i = 0; i < kClients; ++i) {
    clients.push_back(site.client());
    for (std::size_t j = 0; j < kThreadsPerClient; ++j) {
      const std::size_t number = i * kThreadsPerClient + j;
      callers.push_back(std::make_unique<CutCaller>(site, ledger, clients[i], number, seed));
    }
  }
  {
    std::vector<std::jthread> threads;
    for (auto& caller : callers) {
      threads.emplace_back([&] {
        while (!over_now) caller->call();
      });
    }
    Doing doing(kClients * kThreadsPerClient);
    doing.is("disturb the others");
    site.disturb(cuts);
    // On a busy machine few calls are made between two cuts, so the campaign goes on until it has met
    // everything.
    for (int more = 0; more < kMore && !(ledger.is_complete() && site.met_all()); ++more)
      site.disturb(site.cuts() + cuts / 4 + 1);
    over_now = true;
  }
  for (auto& caller : callers) caller->look_at_what_is_left();
  callers.clear();
  ledger.report(site.cuts(), site.kills());
  for (const auto& [what, times] : site.refused_repetitions())
    std::cout << "  refused to a repetition: " << what << ": " << times << "\n";
  ledger.expect_each_verb_done();
  EXPECT_TRUE(site.met_all()) << "no repetition was refused for one of: "
                              << ::testing::PrintToString(site.to_meet());
  if (HasFailure()) std::cout << "HOLDFAST_CUTS_SEED=" << seed << "\n";
}

}  // namespace
}  // namespace holdfast::testing
