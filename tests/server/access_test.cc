// Tokens, and what each call needs.
#include <capnp/message.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <future>
#include <sstream>
#include <thread>

#include "convert/push.h"
#include "holdfast/client.h"
#include "holdfast/limits.h"
#include "server/access/guard.h"
#include "server/access/token_command.h"
#include "server/access/tokens.h"
#include "server_fixture.h"

namespace holdfast::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Rights rights(const std::vector<std::string>& grants) {
  Rights result{.name = "somebody"};
  for (const auto& grant : grants) result.grants.push_back(must(parse_grant(grant)));
  return result;
}

TEST(Grants, AreReadAndShown) {
  for (const char* text :
       {"produce:orders", "produce,consume:orders-*", "operate:*", "all:a.b_c-d", "administer:x*"}) {
    EXPECT_EQ(to_string(must(parse_grant(text))), text);
  }
  for (const char* text : {"", "produce", ":orders", "produce:", "send:orders", "produce,:orders",
                           "produce:a*b", "produce:a b", "produce:**"}) {
    EXPECT_FALSE(parse_grant(text)) << text;
  }
}

TEST(Grants, MatchNamesAndBeginnings) {
  const auto some = rights({"produce:orders", "consume,operate:log-*"});
  EXPECT_TRUE(some.allow(Right::kProduce, "orders"));
  EXPECT_FALSE(some.allow(Right::kProduce, "orders2"));
  EXPECT_FALSE(some.allow(Right::kConsume, "orders"));
  EXPECT_TRUE(some.allow(Right::kConsume, "log-"));
  EXPECT_TRUE(some.allow(Right::kOperate, "log-x"));
  EXPECT_FALSE(some.allow(Right::kAdminister, "log-x"));
  EXPECT_TRUE(some.know("orders"));
  EXPECT_FALSE(some.know("other"));
  EXPECT_FALSE(some.allow_everywhere(Right::kProduce));
  EXPECT_TRUE(rights({"all:*"}).allow_everywhere(Right::kAdminister));
}

// What each call needs, said once more: 'p'roduce, 'c'onsume, 'o'perate, 'a'dminister; in capitals on all
// queues; '.': nothing; '?': any right on the queue; '*': any on whatever queue.
const std::map<std::string, char>& needs() {
  static const std::map<std::string, char> needs = {{"hello", '.'},
                                                    {"authenticate", '.'},
                                                    {"listQueues", '*'},
                                                    {"trace", '*'},
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
                                                    {"beginBatch", 'c'},
                                                    {"releaseBatch", 'c'},
                                                    {"rejectBatch", 'c'},
                                                    {"peek", 'o'},
                                                    {"pauseQueue", 'o'},
                                                    {"resumeQueue", 'o'},
                                                    {"queueStatistics", 'o'},
                                                    {"listDeadLetters", 'o'},
                                                    {"groupDeadLetters", 'o'},
                                                    {"changeDeadLetters", 'o'},
                                                    {"discardDeadLetters", 'o'},
                                                    {"deadLetterStatistics", 'o'},
                                                    {"redrive", 'o'},
                                                    {"park", 'o'},
                                                    {"startRedrive", 'o'},
                                                    {"previewRedrive", 'o'},
                                                    {"previewPark", 'o'},
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

class GuardTest : public ServerFixture {
 protected:
  GuardTest() {
    must(engine_->create_queue("orders"));
    must(engine_->create_queue("other"));
  }

  // A request that names `queue`, in a field or by a receipt.
  Result<void> check(const Rights& who, std::uint16_t method, const std::string& queue) {
    capnp::MallocMessageBuilder message;
    const auto type = capnp::Schema::from<wire::Broker>().getMethods()[method].getParamType();
    auto request = message.initRoot<capnp::DynamicStruct>(type);
    for (auto field : type.getFields()) {
      const std::string name = field.getProto().getName().cStr();
      if (name == "queue" || name == "name") request.set(field, queue.c_str());
      if (name == "receipts") {
        auto receipt = request.init(field, 1).as<capnp::DynamicList>()[0].as<capnp::DynamicStruct>();
        receipt.set("queue", static_cast<std::uint64_t>(must(engine_->describe_queue(queue)).id));
      }
    }
    return check_call(who, method, message.getRoot<capnp::AnyPointer>().asReader(), names_);
  }

  QueueNames names_{*engine_};
};

TEST_F(GuardTest, EachCallIsRefusedWithoutItsRight) {
  const std::map<char, std::string> letters = {
      {'p', "produce"}, {'c', "consume"}, {'o', "operate"}, {'a', "administer"}};
  for (auto method : capnp::Schema::from<wire::Broker>().getMethods()) {
    const std::string name = method.getProto().getName().cStr();
    SCOPED_TRACE(name);
    ASSERT_TRUE(needs().contains(name)) << "say here what it needs";
    const char need = needs().at(name);
    for (const auto& [letter, right] : letters) {
      SCOPED_TRACE(right);
      const bool anywhere = need == '.' || need == '*';
      const bool here = anywhere || need == '?' || need == letter;
      const bool everywhere = here || need == std::toupper(letter);
      EXPECT_EQ(check(rights({right + ":orders"}), method.getOrdinal(), "orders").has_value(), here);
      EXPECT_EQ(check(rights({right + ":*"}), method.getOrdinal(), "orders").has_value(), everywhere);
      EXPECT_EQ(check(rights({right + ":orders"}), method.getOrdinal(), "other").has_value(), anywhere);
      if (need == letter) {
        EXPECT_TRUE(check(rights({right + ":or*"}), method.getOrdinal(), "orders").has_value());
      }
    }
    EXPECT_EQ(check(Rights{}, method.getOrdinal(), "orders").has_value(), need == '.');
  }
}

class NamedTest : public GuardTest {
 protected:
  template <class Params, class Fill>
  ErrorCode outcome(const Rights& who, const char* method, Fill fill) {
    capnp::MallocMessageBuilder message;
    fill(message.initRoot<Params>());
    const auto called = capnp::Schema::from<wire::Broker>().getMethodByName(method);
    auto ok = check_call(who, called.getOrdinal(), message.getRoot<capnp::AnyPointer>().asReader(), names_);
    return ok ? ErrorCode{} : ok.error().code;
  }
};

TEST_F(NamedTest, QueuesThatMessagesWouldGoToAreCheckedToo) {
  const auto who = rights({"administer,operate:orders*", "produce:other"});
  EXPECT_EQ(outcome<wire::CreateQueueRequest>(who, "createQueue",
                                              [](auto to) {
                                                to.setName("orders");
                                                to.initOptions().setDeadLetterQueue("orders-dlq");
                                              }),
            ErrorCode{});
  EXPECT_EQ(outcome<wire::CreateQueueRequest>(who, "createQueue",
                                              [](auto to) {
                                                to.setName("orders");
                                                to.initOptions().setDeadLetterQueue("other");
                                              }),
            ErrorCode::kPermissionDenied);
  EXPECT_EQ(outcome<wire::CreateQueueRequest>(who, "createQueue",
                                              [](auto to) {
                                                to.setName("orders");
                                                to.initOptions().initDeadLetterRoutes(1)[0].setQueue("third");
                                              }),
            ErrorCode::kQueueNotFound);
  EXPECT_EQ(outcome<wire::AlterQueueRequest>(who, "alterQueue",
                                             [](auto to) {
                                               to.setName("orders");
                                               to.getParkingQueue().setSet("other");
                                             }),
            ErrorCode::kPermissionDenied);
  EXPECT_EQ(outcome<wire::AlterQueueRequest>(who, "alterQueue",
                                             [](auto to) {
                                               to.setName("orders");
                                               to.getDeadLetterRoutes().initSet(1)[0].setQueue("other");
                                             }),
            ErrorCode::kPermissionDenied);
  EXPECT_EQ(outcome<wire::AlterQueueRequest>(who, "alterQueue",
                                             [](auto to) {
                                               to.setName("orders");
                                               to.getDeadLetterQueue().setSet("orders-dlq");
                                             }),
            ErrorCode{});
  EXPECT_EQ(outcome<wire::RedriveRequest>(who, "redrive",
                                          [](auto to) {
                                            to.setQueue("orders-dlq");
                                            to.initOptions().setTo("other");
                                          }),
            ErrorCode::kPermissionDenied);
}

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
    EXPECT_THAT(run({"create", "b", grant, "hide=body"}).err, HasSubstr("'b': who may consume"));
    EXPECT_THAT(mistake("b " + std::string(64, 'a') + " " + grant + " hide=attribute:card\n"),
                HasSubstr(":1: 'b': who may consume"));
  }
}

TEST_F(TokenFileTest, MistakesAreNamed) {
  EXPECT_EQ(run({"list"}).status, 2);
  EXPECT_THAT(run({"create", "a b", "all:*"}).err, HasSubstr("'a b'"));
  EXPECT_THAT(run({"create", "a", "most:*"}).err, HasSubstr("no right 'most'"));
  EXPECT_THAT(run({"create", "a", "hide=body"}).err, HasSubstr("'a' is granted nothing"));
  EXPECT_THAT(run({"create", std::string(129, 'n'), "all:*"}).err, HasSubstr("the limit is 128"));
  EXPECT_THAT(run({"create", "a", "x\x1b[31m:*"}).err, HasSubstr("x\\x1b[31m"));
  EXPECT_FALSE(std::filesystem::exists(file()));
  EXPECT_EQ(read_tokens(directory_ / "").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(run({"create", "a", "all:*"}).status, 0);
  EXPECT_THAT(run({"create", "a", "all:*"}).err, HasSubstr("there is a token 'a' already"));
  EXPECT_THAT(run({"revoke", "b"}).err, HasSubstr("there is no token 'b'"));

  const std::string hash(64, 'a');
  EXPECT_EQ(mistake("# x\n\n  \na " + hash + " all:*\nb " + hash + " all:*\n"), "(none)");
  EXPECT_EQ(mistake("a " + hash + "\n"), ":1: 'a' is granted nothing (like produce:orders)");
  EXPECT_THAT(mistake("a " + hash + " hide=body\n"), HasSubstr("'a' is granted nothing"));
  EXPECT_EQ(mistake(std::string(128, 'n') + ' ' + hash + " all:*\n"), "(none)");
  EXPECT_THAT(mistake(std::string(129, 'n') + ' ' + hash + " all:*\n"),
              HasSubstr("129 bytes, the limit is 128"));
  EXPECT_THAT(mistake("# x\na abc all:*\n"), ::testing::StartsWith(":2: a name, a SHA-256"));
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

class AccessTest : public ServerFixture {
 protected:
  AccessTest() {
    for (const char* name : {"orders", "orders-dlq", "secret"}) must(engine_->create_queue(name));
    start({.tokens = tokens({{.hash = hash_of("app-token"), .rights = app_},
                             {.hash = hash_of("ops-token"),
                              .rights = {.name = "ops", .grants = {must(parse_grant("all:*"))}}}})});
  }

  static std::shared_ptr<const Tokens> tokens(const std::vector<TokenEntry>& entries) {
    return std::make_shared<const Tokens>(entries);
  }
  Result<Client> client(const std::string& token) {
    return Client::connect(server_->addresses().front(), {.token = token});
  }

  const Rights app_{.name = "app", .grants = {must(parse_grant("produce,consume:orders"))}};
};

TEST_F(AccessTest, WhoDoesNotSayWhoTheyAreMayDoNothing) {
  auto stranger = must(client(""));
  EXPECT_EQ(stranger.send("orders", {.body = "x"}).error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(stranger.receive("nowhere").error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(stranger.statistics().error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(stranger.subscribe("orders").error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(stranger.list_queues().error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(stranger.trace({}).error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(client("wrong").error().code, ErrorCode::kPermissionDenied);
}

// Over the wire, so that no call can be forgotten where they are dispatched.
TEST_F(AccessTest, EachCallOfTheProtocolIsRefusedToWhoLacksItsRight) {
  const std::map<char, std::string> letters = {
      {'p', "produce"}, {'c', "consume"}, {'o', "operate"}, {'a', "administer"}};
  std::vector<TokenEntry> entries;
  entries.reserve(letters.size());
  for (const auto& [letter, right] : letters) {
    entries.push_back({.hash = hash_of(right),
                       .rights = {.name = right, .grants = {must(parse_grant(right + ":orders"))}}});
  }
  server_->set_tokens(tokens(entries));
  auto raw = connect();
  // By value: a DynamicCapability takes even what it is only lent.
  const auto refused = [&](wire::Broker::Client broker, capnp::InterfaceSchema::Method method) {
    auto request = capnp::DynamicCapability::Client(kj::mv(broker)).newRequest(method);
    for (auto field : method.getParamType().getFields()) {
      const std::string name = field.getProto().getName().cStr();
      if (name == "queue" || name == "name") request.set(field, "orders");
      if (name != "receipts") continue;
      auto receipt = request.init(field, 1).as<capnp::DynamicList>()[0].as<capnp::DynamicStruct>();
      receipt.set("queue", static_cast<std::uint64_t>(must(engine_->describe_queue("orders")).id));
    }
    const auto reply = request.send().wait(scope_);
    const auto code = reply.get("error").as<capnp::DynamicStruct>().get("code").as<std::uint16_t>();
    return code == static_cast<std::uint16_t>(ErrorCode::kPermissionDenied);
  };
  for (auto method : capnp::Schema::from<wire::Broker>().getMethods()) {
    const std::string name = method.getProto().getName().cStr();
    SCOPED_TRACE(name);
    const char need = needs().at(name);
    if (need == '.') continue;
    EXPECT_TRUE(refused(raw->broker(), method)) << "of a stranger";
    for (const auto& [letter, right] : letters) {
      if (need == letter || need == '?' || need == '*') continue;
      auto who = raw->broker().authenticateRequest();
      who.setToken(right);
      EXPECT_TRUE(refused(who.send().wait(scope_).getBroker(), method)) << "with " << right;
    }
  }
}

TEST_F(AccessTest, ATokenGivesItsRightsAndNoMore) {
  auto app = must(client("app-token"));
  must(app.send("orders", {.body = "x"}));
  const auto delivery = must(app.receive("orders")).front();
  must(app.extend(delivery.receipt, 1min));
  must(app.ack(delivery.receipt));
  EXPECT_EQ(app.purge_queue("orders").error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(app.send("secret", {.body = "x"}).error().code, ErrorCode::kQueueNotFound);
  // As if it were not there.
  EXPECT_EQ(app.describe_queue("secret").error().message, "no queue named 'secret'");
  EXPECT_EQ(engine_->describe_queue("nowhere").error().message, "no queue named 'nowhere'");
  std::vector<std::string> seen;
  for (const auto& queue : must(app.list_queues())) seen.push_back(queue.name);
  EXPECT_THAT(seen, ElementsAre("orders"));
  must(engine_->send("secret", {.body = "x"}));
  const auto others = must(engine_->receive("secret")).front();
  EXPECT_EQ(app.ack(others.receipt).error().code, ErrorCode::kPermissionDenied);
  must(engine_->ack(others.receipt));

  auto ops = must(client("ops-token"));
  must(ops.create_queue("new"));
  must(ops.statistics());
  EXPECT_THAT(must(ops.list_queues()), SizeIs(4));
}

TEST_F(AccessTest, ATraceShowsWhatMayBeOperated) {
  for (const char* name : {"orders", "secret"})
    must(engine_->alter_queue(name, {.journal = JournalOptions{.max_entries = 100}}));
  must(engine_->alter_queue("orders", {.dead_letter_queue = "secret"}));
  const MessageId id = must(engine_->send("orders", {.body = "x"})).id;
  must(engine_->reject(must(engine_->receive("orders")).front().receipt, {}));
  must(engine_->receive("secret"));
  EXPECT_THAT(must(must(client("app-token")).trace(id)).steps, IsEmpty());
  EXPECT_THAT(must(must(client("ops-token")).trace(id)).steps, SizeIs(4));
  server_->set_tokens(
      tokens({{.hash = hash_of("some-token"),
               .rights = {.name = "some", .grants = {must(parse_grant("operate:orders"))}}}}));
  EXPECT_THAT(must(must(client("some-token")).trace(id)).steps, SizeIs(3));
}

TEST_F(AccessTest, ARevokedTokenIsGoodForNothing) {
  auto app = must(client("app-token"));
  must(app.send("orders", {.body = "x"}));
  server_->set_tokens(tokens({}));
  EXPECT_EQ(app.send("orders", {.body = "x"}).error().code, ErrorCode::kPermissionDenied);
  server_->set_tokens(tokens({{.hash = hash_of("app-token"), .rights = app_}}));
  must(app.send("orders", {.body = "x"}));
}

// Whoever took the old one must not keep what it gave.
TEST_F(AccessTest, ATokenMadeAnewUnderItsNameDoesNotKeepTheOldOneGood) {
  auto app = must(client("app-token"));
  auto stream = must(app.subscribe("orders"));
  server_->set_tokens(tokens({{.hash = hash_of("new-token"), .rights = app_}}));
  EXPECT_EQ(app.send("orders", {.body = "x"}).error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(stream.next(1, 1h).error().code, ErrorCode::kPermissionDenied);
  must(must(client("new-token")).send("orders", {.body = "x"}));
}

TEST_F(AccessTest, AuthenticationsPastTheLimitAreOverloaded) {
  server_->set_limits({.max_calls = 3});
  auto raw = connect();
  const auto authenticate = [&]() -> Result<wire::Broker::Client> {
    auto request = raw->broker().authenticateRequest();
    request.setToken("app-token");
    auto reply = request.send().wait(scope_);
    if (reply.isError()) return tl::unexpected(convert::read(reply.getError()));
    return reply.getBroker();
  };
  std::vector<wire::Broker::Client> brokers;
  brokers.reserve(3);
  for (int i = 0; i < 3; ++i) brokers.push_back(must(authenticate()));
  EXPECT_EQ(authenticate().error().code, ErrorCode::kOverloaded);
  must(must(client("app-token")).list_queues());
  brokers.pop_back();
  wait_until([&] { return authenticate().has_value(); });
}

TEST_F(AccessTest, ARevokedTokenEndsSubscriptionsAndWaits) {
  auto app = must(client("app-token"));
  auto stream = must(app.subscribe("orders", {.credit = 10}));
  must(engine_->send("orders", {.body = "before"}));
  wait_until([&] { return must(engine_->describe_queue("orders")).counts.leased == 1; });
  auto other = must(client("app-token"));
  auto waited = std::async(std::launch::async, [&] { return other.receive("orders", {.wait = 1h}); });
  server_->set_tokens(tokens({}));
  must(engine_->send("orders", {.body = "after"}));
  EXPECT_EQ(waited.get().error().code, ErrorCode::kPermissionDenied);
  // What had come is not begun any more.
  EXPECT_EQ(stream.next(10, 1h).error().code, ErrorCode::kPermissionDenied);
  wait_until([&] { return must(engine_->describe_queue("orders")).counts.ready == 2; });
}

TEST_F(AccessTest, WhoOperatesAQueueFollowsItsTasks) {
  server_->set_tokens(
      tokens({{.hash = hash_of("mine"),
               .rights = {.name = "mine", .grants = {must(parse_grant("operate:orders*"))}}},
              {.hash = hash_of("theirs"),
               .rights = {.name = "theirs", .grants = {must(parse_grant("operate:secret"))}}}}));
  auto mine = must(client("mine"));
  auto theirs = must(client("theirs"));
  const TaskId task = must(mine.start_redrive("orders-dlq"));
  EXPECT_EQ(must(mine.redrive_status(task)).queue, "orders-dlq");
  EXPECT_THAT(must(mine.list_redrives()), SizeIs(1));
  EXPECT_THAT(must(theirs.list_redrives()), IsEmpty());
  const auto unknown = mine.redrive_status(TaskId{4711}).error();
  EXPECT_EQ(unknown.code, ErrorCode::kTaskNotFound);
  EXPECT_EQ(theirs.redrive_status(task).error().code, ErrorCode::kTaskNotFound);
  EXPECT_EQ(theirs.cancel_redrive(task).error().code, ErrorCode::kTaskNotFound);
}

TEST_F(AccessTest, TheOwnerOfAUnixSocketNeedsNone) {
  server_.reset();
  start({.listen = {"unix:" + (directory_ / "s").string()}, .tokens = tokens({})});
  auto local = must(client(""));
  must(local.create_queue("mine"));
}

TEST_F(AccessTest, OnlyUsersThatAreAllowedReachAUnixSocket) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be somebody else";
  constexpr uid_t kNobody = 65534;
  // A thread that becomes somebody else keeps root's group.
  std::filesystem::permissions(directory_ / "", std::filesystem::perms::group_exec,
                               std::filesystem::perm_options::add);
  const std::string path = (directory_ / "s").string();
  // The socket's file lets everybody in, so that it is the server that looks.
  for (const auto& [allowed, answered] : {std::pair{"1", false}, {"65534", true}}) {
    server_.reset();
    start({.listen = {"unix:" + path}, .users = {allowed}});
    must(must(Client::connect("unix:" + path)).list_queues());  // root
    Result<void> said;
    std::thread([&] {
      // The system call itself: the C library would change all threads. Those that this one makes inherit it.
      ASSERT_EQ(::syscall(SYS_setresuid, kNobody, kNobody, kNobody), 0);
      said = Client::connect("unix:" + path).map([](const Client&) {});
    }).join();
    if (answered) {
      EXPECT_TRUE(said) << said.error().message;
      continue;
    }
    EXPECT_EQ(said.error().code, ErrorCode::kPermissionDenied);
    EXPECT_THAT(said.error().message, HasSubstr("allow-user"));
    EXPECT_THAT(log(), AllOf(HasSubstr("call refused"), HasSubstr("principal=uid:65534"),
                             HasSubstr("error=permission_denied")));
  }
}

TEST_F(AccessTest, WithoutTokensEverybodyMayDoEverything) {
  server_.reset();
  start();
  must(must(client("")).create_queue("mine"));
  must(must(client("some-token")).create_queue("mine"));
}

}  // namespace
}  // namespace holdfast::server
