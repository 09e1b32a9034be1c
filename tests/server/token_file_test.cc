// holdfast-token, and the file of tokens that it writes and the server reads.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <sstream>
#include <streambuf>

#include "holdfast/limits.h"
#include "server/access/token_command.h"
#include "server/access/tokens.h"
#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace holdfast::server {
namespace {

using holdfast::testing::must;
using holdfast::testing::TempDir;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class TokenFileTest : public ::testing::Test {
 protected:
  struct Outcome {
    int status;
    std::string out;
    std::string err;
  };
  Outcome run(std::vector<std::string> arguments) {
    std::ostringstream out;
    std::ostringstream err;
    arguments.insert(arguments.begin() + 1, file());
    const int status = run_token_command(arguments, out, err);
    return {status, out.str(), err.str()};
  }
  std::string file() { return (directory_ / "tokens").string(); }
  std::string mistake(const std::string& text) {
    std::ofstream(file()) << text;
    const auto read = read_tokens(file());
    return read ? "(none)" : read.error().message.substr(file().size());
  }
  TempDir directory_;
};

TEST_F(TokenFileTest, TokensAreMadeListedAndRevoked) {
  const auto made = run({"create", "app", "produce:orders", "consume:log-*"});
  ASSERT_EQ(made.status, 0) << made.err;
  EXPECT_THAT(made.out, SizeIs(3 + 64 + 1));
  EXPECT_EQ(run({"create", "ops", "all:*"}).status, 0);
  EXPECT_EQ(run({"list"}).out, "app produce:orders consume:log-*\nops all:*\n");
  const auto mode = std::filesystem::status(file()).permissions();
  EXPECT_EQ(mode, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);

  const std::string token = made.out.substr(0, made.out.size() - 1);
  auto tokens = must(Tokens::load(file()));
  ASSERT_NE(tokens->rights_of(token), nullptr);
  const Rights app = *tokens->rights_of(token);
  EXPECT_EQ(app.name, "app");
  EXPECT_TRUE(tokens->hold(app));
  EXPECT_EQ(tokens->rights_of(token + "x"), nullptr);
  EXPECT_EQ(tokens->rights_of(hash_of(token)), nullptr);

  EXPECT_EQ(run({"revoke", "app"}).status, 0);
  tokens = must(Tokens::load(file()));
  EXPECT_EQ(tokens->rights_of(token), nullptr);
  EXPECT_FALSE(tokens->hold(app));
}

TEST_F(TokenFileTest, SayWhatIsHidden) {
  const auto made =
      run({"create", "night", "operate,produce:*", "hide=body", "hide=attribute:card", "hide=attribute:x:y"});
  ASSERT_EQ(made.status, 0) << made.err;
  EXPECT_EQ(run({"list"}).out, "night produce,operate:* hide=body hide=attribute:card hide=attribute:x:y\n");
  const std::string token = made.out.substr(0, made.out.size() - 1);
  const Rights night = *must(Tokens::load(file()))->rights_of(token);
  EXPECT_EQ(night.hidden, (Redaction{.bodies = true, .attributes = {"card", "x:y"}}));
  EXPECT_TRUE(Tokens({{night.token, night}}).hold(night));
  EXPECT_FALSE(Tokens({{"hash", night}}).hold(night)) << "another token says so now";
  Rights sees_more = night;
  sees_more.hidden.bodies = false;
  EXPECT_FALSE(Tokens({{night.token, sees_more}}).hold(night)) << "the token says something else now";

  for (const char* word : {"hide=", "hide=bodies", "hide=attribute", "hide=attribute:"})
    EXPECT_THAT(run({"create", "a", "operate:*", word}).err, HasSubstr("hide=body or hide=attribute:NAME"));
  EXPECT_EQ(run({"create", "a", "operate:*", "hide=attribute:" + std::string(128, 'a')}).status, 0);
  EXPECT_EQ(run({"create", "b", "operate:*", "hide=attribute:" + std::string(129, 'a')}).status, 2);
  std::vector<std::string> words{"create", "c", "operate:*"};
  for (std::size_t i = 0; i < limits::kRedactedAttributes; ++i)
    words.push_back("hide=attribute:" + std::to_string(i));
  EXPECT_EQ(run(words).status, 0);
  words[1] = "d";
  words.emplace_back("hide=attribute:more");
  EXPECT_THAT(run(words).err, HasSubstr("256 attributes are hidden already"));
  EXPECT_THAT(run({"create", "b", "operate:*", "hide=attribute:a b"}).err, HasSubstr("has blanks"));
  for (const char* grant : {"all:*", "consume:orders", "operate,consume:o*"}) {
    EXPECT_THAT(run({"create", "b", grant, "hide=body"}).err, HasSubstr("'b': a token that may consume"));
    EXPECT_THAT(mistake("b " + std::string(64, 'a') + " " + grant + " hide=attribute:card\n"),
                HasSubstr(":1: 'b': a token that may consume"));
  }
}

TEST_F(TokenFileTest, MistakesAreNamed) {
  EXPECT_EQ(run({"list"}).status, 2);
  EXPECT_THAT(run({"create", "a b", "all:*"}).err, HasSubstr("'a b'"));
  EXPECT_THAT(run({"create", "a", "most:*"}).err, HasSubstr("no right 'most'"));
  EXPECT_THAT(run({"create", "a", "hide=body"}).err, HasSubstr("'a' has no grants"));
  EXPECT_THAT(run({"create", std::string(129, 'n'), "all:*"}).err, HasSubstr("the limit is 128"));
  EXPECT_THAT(run({"create", "a", "x\x1b[31m:*"}).err, HasSubstr("x\\x1b[31m"));
  EXPECT_FALSE(std::filesystem::exists(file()));
  EXPECT_EQ(read_tokens(directory_ / "").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(run({"create", "a", "all:*"}).status, 0);
  EXPECT_THAT(run({"create", "a", "all:*"}).err, HasSubstr("there is a token 'a' already"));
  EXPECT_THAT(run({"revoke", "b"}).err, HasSubstr("there is no token 'b'"));

  const std::string hash(64, 'a');
  EXPECT_EQ(mistake("# x\n\n  \na " + hash + " all:*\nb " + hash + " all:*\n"), "(none)");
  EXPECT_EQ(mistake("a " + hash + "\n"), ":1: 'a' has no grants, such as produce:orders");
  EXPECT_THAT(mistake("a " + hash + " hide=body\n"), HasSubstr("'a' has no grants"));
  EXPECT_EQ(mistake(std::string(128, 'n') + ' ' + hash + " all:*\n"), "(none)");
  EXPECT_THAT(mistake(std::string(129, 'n') + ' ' + hash + " all:*\n"),
              HasSubstr("129 bytes, the limit is 128"));
  EXPECT_THAT(mistake("# x\na abc all:*\n"), ::testing::StartsWith(":2: expected a name, a SHA-256"));
  EXPECT_THAT(mistake("a " + hash + " most:*\n"), ::testing::StartsWith(":1: grant 'most:*'"));
  EXPECT_EQ(mistake("a " + hash + " all:*\na " + hash + " all:*\n"), ":2: there is another 'a'");
  std::filesystem::permissions(file(), std::filesystem::perms::others_write,
                               std::filesystem::perm_options::add);
  EXPECT_EQ(read_tokens(file()).error().code, ErrorCode::kPermissionDenied);
}

TEST_F(TokenFileTest, AFileThatMayNotBeLookedForIsAMistake) {
  for (const char* verb : {"create", "list", "revoke"}) {
    std::vector<std::string> arguments{verb, (directory_ / std::string(300, 'n')).string()};
    if (verb != std::string("list")) arguments.emplace_back("a");
    if (verb == std::string("create")) arguments.emplace_back("all:*");
    std::ostringstream out;
    std::ostringstream err;
    EXPECT_EQ(run_token_command(arguments, out, err), 2) << verb;
    EXPECT_THAT(err.str(), HasSubstr("File name too long")) << verb;
    EXPECT_EQ(out.str(), "") << verb;
  }
}

TEST_F(TokenFileTest, ATokenThatNobodySawIsNone) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"create", file(), "a", "all:*"}, {"--help"}}) {
    std::ofstream full("/dev/full");
    std::ostringstream err;
    EXPECT_EQ(run_token_command(arguments, full, err), 12);
    EXPECT_THAT(err.str(), HasSubstr("could not be written"));
  }
  EXPECT_FALSE(std::filesystem::exists(file()));
}

// Calls a function when something is written to it, which takes everything.
class Watched final : public std::streambuf {
 public:
  explicit Watched(std::function<void()> written) : written_(std::move(written)) {}

 private:
  std::streamsize xsputn(const char* /*text*/, std::streamsize size) override {
    written_();
    return size;
  }
  int_type overflow(int_type c) override { return traits_type::not_eof(c); }

  std::function<void()> written_;
};

TEST_F(TokenFileTest, ARevokedTokenDoesNotComeBackWithOneThatIsBeingMade) {
  ASSERT_EQ(run({"create", "lost", "all:*"}).status, 0);
  std::optional<Outcome> meanwhile;
  Watched terminal([&] { meanwhile = run({"revoke", "lost"}); });
  std::ostream out(&terminal);
  std::ostringstream err;
  ASSERT_EQ(run_token_command({"create", file(), "app", "produce:orders"}, out, err), 0) << err.str();
  ASSERT_TRUE(meanwhile);
  EXPECT_EQ(meanwhile->status, 17) << "the token is still there, and nobody is told otherwise";
  EXPECT_THAT(meanwhile->err, HasSubstr("try again"));
  EXPECT_EQ(run({"list"}).out, "lost all:*\napp produce:orders\n");
  EXPECT_EQ(run({"revoke", "lost"}).status, 0);
  EXPECT_EQ(run({"list"}).out, "app produce:orders\n");
}

TEST_F(TokenFileTest, ControlCharactersReachNoTerminal) {
  std::ofstream(file()) << "ev\x1b[31mil " << hash_of("x") << " produce:* hide=attribute:a\x1b]0;b\n";
  const auto listed = run({"list"});
  ASSERT_EQ(listed.status, 0) << listed.err;
  EXPECT_EQ(listed.out, "ev\\x1b[31mil produce:* hide=attribute:a\\x1b]0;b\n");
}

TEST_F(TokenFileTest, AChangedFileKeepsItsOwnerItsGroupAndItsMode) {
  constexpr uid_t kNobody = 65534;
  const bool root = ::geteuid() == 0;
  ASSERT_EQ(run({"create", "app", "produce:orders"}).status, 0);
  if (root) {
    ASSERT_EQ(::chown(file().c_str(), kNobody, kNobody), 0);
  }
  ASSERT_EQ(::chmod(file().c_str(), S_IRUSR | S_IWUSR | S_IRGRP), 0);
  ASSERT_EQ(run({"create", "ops", "all:*"}).status, 0);
  struct stat now {};
  ASSERT_EQ(::stat(file().c_str(), &now), 0);
  EXPECT_EQ(now.st_mode & 0777U, static_cast<unsigned>(S_IRUSR | S_IWUSR | S_IRGRP));
  EXPECT_EQ(now.st_uid, root ? kNobody : ::geteuid());
  EXPECT_EQ(now.st_gid, root ? kNobody : ::getegid());
}

}  // namespace
}  // namespace holdfast::server
