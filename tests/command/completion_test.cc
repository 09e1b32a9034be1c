// These tests check what completion offers for a word of the command line, and that it works in bash, fish
// and zsh.
#include <cstdlib>
#include <fstream>
#include <memory>

#include "holdfast/engine.h"
#include "server/net/server.h"
#include "tests/command/command_fixture.h"
#include "tests/support/result_matchers.h"

namespace holdfast::command {
namespace {

using holdfast::testing::must;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;
using Words = std::vector<std::string>;

class Completion : public ::testing::Test {
 protected:
  void SetUp() override {
    must(engine_->create_queue("orders-dlq"));
    must(engine_->create_queue("orders", {.dead_letters = {.queue = "orders-dlq"}}, MissingQueues::kCreate));
    must(engine_->create_queue("bills"));
  }
  std::string server() const { return server_->addresses().front(); }
  // Returns what the last word may become.
  static Words candidates(Words words) {
    words.insert(words.begin(), "__complete");
    Words all;
    std::istringstream lines(run_command(words).out);
    for (std::string line; std::getline(lines, line);) all.push_back(line.substr(0, line.find('\t')));
    return all;
  }

  holdfast::testing::TempDir dir_;
  Result<Engine> engine_ = Engine::open(dir_ / "data");
  Result<server::Server> server_ = server::Server::start(*engine_, {.listen = {"127.0.0.1:0"}});
};

TEST_F(Completion, OfVerbsAndOptions) {
  EXPECT_THAT(candidates({""}), IsSupersetOf({"queue", "send", "dlq", "status", "help", "completion"}));
  EXPECT_THAT(candidates({"rec"}), ElementsAre("receive"));
  EXPECT_THAT(candidates({"queue", "de"}), ElementsAre("describe", "delete"));
  EXPECT_THAT(candidates({"receive", "orders", "--fo"}), ElementsAre("--follow"));
  EXPECT_THAT(candidates({"--json", "queue", "li"}), ElementsAre("list"));
  EXPECT_THAT(candidates({"send", "--ser"}), ElementsAre("--server", "--server-ca"));
  EXPECT_THAT(candidates({"help", "queue", "pu"}), ElementsAre("purge"));
  EXPECT_THAT(candidates({"help", "con"}), ElementsAre("connection"));
  EXPECT_THAT(candidates({"nonsense", "x"}), IsEmpty());
}

TEST_F(Completion, OfValues) {
  EXPECT_THAT(candidates({"send", "--durability", ""}), ElementsAre("fsync", "buffered"));
  EXPECT_THAT(candidates({"dlq", "list", "orders-dlq", "--cause", "rej"}), ElementsAre("rejected"));
  EXPECT_THAT(candidates({"send", "--durability=f"}), ElementsAre("--durability=fsync"));
  // bash cuts "--durability=" in two words.
  EXPECT_THAT(candidates({"send", "--durability", "="}), ElementsAre("fsync", "buffered"));
  EXPECT_THAT(candidates({"send", "--durability", "=", "b"}), ElementsAre("buffered"));
  EXPECT_THAT(candidates({"completion", ""}), ElementsAre("bash", "zsh", "fish"));
  EXPECT_THAT(candidates({"send", "q", "--file", ""}), ElementsAre(":files"));
  EXPECT_THAT(candidates({"restore", ""}), ElementsAre(":files"));
}

TEST_F(Completion, OfTheNamesOfQueues) {
  EXPECT_THAT(candidates({"--server", server(), "send", ""}), ElementsAre("bills", "orders", "orders-dlq"));
  EXPECT_THAT(candidates({"receive", "--server=" + server(), "ord"}), ElementsAre("orders", "orders-dlq"));
  EXPECT_THAT(candidates({"--server", server(), "dlq", "list", ""}), ElementsAre("orders-dlq"));
  EXPECT_THAT(candidates({"--server", server(), "queue", "alter", "bills", "--dead-letter-queue", ""}),
              AllOf(Contains("orders-dlq"), Contains("bills")));
  EXPECT_THAT(candidates({"--server", server(), "queue", "describe", "orders", "b"}), ElementsAre("bills"));
  // A command line is no place to tell what is wrong with a server.
  const Outcome nobody = run_command({"__complete", "--server", "127.0.0.1:1", "send", ""});
  EXPECT_EQ(nobody.out, "");
  EXPECT_EQ(nobody.err, "");
  // Completion does not open a directory, and still less makes one.
  EXPECT_THAT(candidates({"--data", dir_ / "other", "send", ""}), IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(dir_ / "other"));
}

// Runs a shell with its script for completion.
class InShell : public Completion {
 protected:
  bool has(const std::string& shell) const {
    const std::string line = "command -v " + shell + " >/dev/null";
    return std::system(line.c_str()) == 0;  // NOLINT(cert-env33-c,concurrency-mt-unsafe)
  }
  std::string output_of(const std::string& shell, const std::string& script) const {
    const std::string file = dir_ / "script";
    std::ofstream(file) << "PATH=\"" << std::filesystem::path(HOLDFAST_COMMAND).parent_path().string()
                        << ":$PATH\"; export PATH; HOLDFAST_SERVER=" << server()
                        << "; export HOLDFAST_SERVER\n"
                        << script;
    return read(shell + " " + file);
  }
  std::string read(const std::string& line) const {
    // NOLINTNEXTLINE(cert-env33-c): it is a shell that is tested.
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> out(::popen(line.c_str(), "r"), ::pclose);
    std::string text;
    for (int c = std::fgetc(out.get()); c != EOF; c = std::fgetc(out.get())) text += static_cast<char>(c);
    return text;
  }
};

TEST_F(InShell, BashCompletes) {
  const auto completed = [&](const std::string& words, int cursor, const std::string& before = "") {
    return output_of("bash", "source <(holdfast completion bash)\n" + before + "COMP_WORDS=(" + words +
                                 ")\nCOMP_CWORD=" + std::to_string(cursor) +
                                 "\n_holdfast\nprintf '%s ' \"${COMPREPLY[@]}\"\n");
  };
  EXPECT_EQ(completed("holdfast queue de", 2), "describe delete ");
  // bash cuts words at a colon, which addresses have.
  const auto colon = server().find(':');
  const std::string host = server().substr(0, colon);
  const std::string port = server().substr(colon + 1);
  EXPECT_EQ(completed("holdfast --server " + host + " : " + port + " send b", 6,
                      "unset HOLDFAST_SERVER\nCOMP_LINE='holdfast --server " + server() + " send b'\n"),
            "bills ");
  EXPECT_EQ(completed("holdfast receive o", 2), "orders orders-dlq ");
  EXPECT_EQ(completed("holdfast dlq list ''", 3), "orders-dlq ");
  EXPECT_EQ(completed("holdfast send orders --durability = f", 5), "fsync ");
  const std::string file = dir_ / "script";
  EXPECT_EQ(completed("holdfast send orders --file " + file.substr(0, file.size() - 3), 4), file + " ");
}

TEST_F(InShell, FishCompletes) {
  if (!has("fish")) GTEST_SKIP() << "there is no fish here";
  const std::string file = dir_ / "completions.fish";
  std::ofstream(file) << run_command({"completion", "fish"}).out;
  const auto completed = [&](const std::string& line) {
    return read("HOLDFAST_SERVER=" + server() + " PATH=\"" +
                std::filesystem::path(HOLDFAST_COMMAND).parent_path().string() +
                ":$PATH\" fish --no-config -c 'source " + file + "; complete -C \"" + line + "\"'");
  };
  EXPECT_EQ(completed("holdfast receive o"), "orders\t0 ready\norders-dlq\t0 dead\n");
  EXPECT_EQ(completed("holdfast dlq list "), "orders-dlq\t0 dead\n");
  EXPECT_THAT(completed("holdfast queue pu"), ::testing::StartsWith("purge\t"));
}

// Completion in zsh needs zsh's line editor, which needs a terminal of its own.
TEST_F(InShell, ZshCompletes) {
  if (!has("zsh")) GTEST_SKIP() << "there is no zsh here";
  const std::string file = dir_ / "_holdfast";
  std::ofstream(file) << run_command({"completion", "zsh"}).out;
  // The terminal echoes what is typed. So the words that say that a step is done are typed in two parts.
  const std::string script =
      "zmodload zsh/zpty\n"
      "zpty z zsh -f -i\n"
      "zpty -w z \"PS1= PS2=; fpath=(" +
      dir_.path().string() +
      " \\$fpath); autoload -Uz compinit; compinit -u -D; bindkey '^I' complete-word; print REA''DY\"\n"
      "zpty -r z seen '*READY*'\n"
      "zpty -w -n z $'holdfast dlq list \\t; print -r -- DO\\'\\'NE\\n'\n"
      "zpty -r z seen '*DONE*'\n"
      "print -r -- $seen\n";
  EXPECT_THAT(output_of("zsh -f", script), ::testing::HasSubstr("dlq list orders-dlq"));
}

TEST(CompletionScripts, AreTheFilesThatAreInstalled) {
  const auto file = [](const std::string& name) {
    std::ifstream in(std::string(HOLDFAST_COMPLETION) + '/' + name);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  EXPECT_EQ(run_command({"completion", "bash"}).out, file("holdfast.bash"));
  EXPECT_EQ(run_command({"completion", "zsh"}).out, file("_holdfast"));
  EXPECT_EQ(run_command({"completion", "fish"}).out, file("holdfast.fish"));
  EXPECT_EQ(run_command({"completion", "csh"}).status, 2);
}

}  // namespace
}  // namespace holdfast::command
