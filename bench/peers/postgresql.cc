#include "bench/peers/postgresql.h"

#include <libpq-fe.h>
#include <pwd.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "bench/pipeline/process.h"

namespace holdfast::bench {
namespace {

constexpr std::chrono::milliseconds kLook{1};  // the pause after an empty table was seen
constexpr const char* kStatement = "its";      // each connection has a statement of this name

struct Free {
  void operator()(PGconn* connection) const { PQfinish(connection); }
  void operator()(PGresult* result) const { PQclear(result); }
};
using Rows = std::unique_ptr<PGresult, Free>;

class Connection {
 public:
  explicit Connection(const std::string& directory)
      : connection_(PQconnectdb(("host=" + directory + " user=postgres dbname=postgres").c_str())) {
    if (PQstatus(get()) != CONNECTION_OK) throw error();
  }

  PGconn* get() const { return connection_.get(); }
  BenchError error() const { return BenchError(std::string("postgresql: ") + PQerrorMessage(get())); }

  Rows check(PGresult* result) const {
    Rows rows(result);
    const auto status = PQresultStatus(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK && status != PGRES_PIPELINE_SYNC)
      throw error();
    return rows;
  }
  void run(const std::string& statement) const { (void)check(PQexec(get(), statement.c_str())); }
  void prepare(const std::string& statement) const {
    (void)check(PQprepare(get(), kStatement, statement.c_str(), 0, nullptr));
  }

 private:
  std::unique_ptr<PGconn, Free> connection_;
};

class PostgresqlProducer final : public Producer {
 public:
  PostgresqlProducer(const std::string& directory, const std::string& table) : connection_(directory) {
    connection_.prepare("INSERT INTO \"" + table + "\" (body) VALUES ($1::bytea)");
  }

  // PostgreSQL makes a pipeline up to its sync one transaction.
  void send(const Bodies& bodies) override {
    PGconn* const connection = connection_.get();
    PQenterPipelineMode(connection);
    for (const std::string& body : bodies) {
      const char* const value = body.data();
      const int size = static_cast<int>(body.size());
      const int binary = 1;
      if (PQsendQueryPrepared(connection, kStatement, 1, &value, &size, &binary, 1) != 1)
        throw connection_.error();
    }
    PQpipelineSync(connection);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      (void)connection_.check(PQgetResult(connection));
      (void)PQgetResult(connection);  // the end of the statement's results
    }
    (void)connection_.check(PQgetResult(connection));
    PQexitPipelineMode(connection);
  }

 private:
  Connection connection_;
};

class PostgresqlConsumer final : public Consumer {
 public:
  PostgresqlConsumer(const std::string& directory, const std::string& table, std::size_t batch)
      : connection_(directory) {
    connection_.prepare("DELETE FROM \"" + table + "\" WHERE id = ANY (ARRAY(SELECT id FROM \"" + table +
                        "\" ORDER BY id FOR UPDATE SKIP LOCKED LIMIT " + std::to_string(batch) +
                        ")) RETURNING body");
  }

  void consume(const std::function<void(std::string_view)>& each) override {
    connection_.run("BEGIN");
    const Rows rows = connection_.check(
        PQexecPrepared(connection_.get(), kStatement, 0, nullptr, nullptr, nullptr, /*resultFormat=*/1));
    const int count = PQntuples(rows.get());
    for (int i = 0; i < count; ++i)
      each({PQgetvalue(rows.get(), i, 0), static_cast<std::size_t>(PQgetlength(rows.get(), i, 0))});
    connection_.run("COMMIT");
    if (count == 0) std::this_thread::sleep_for(kLook);
  }

 private:
  Connection connection_;
};

// The command is run as another user, since PostgreSQL does not run as root.
std::vector<std::string> as_its_user(std::vector<std::string> command) {
  if (geteuid() != 0) return command;
  command.insert(command.begin(), {"setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups",
                                   "--pdeathsig=KILL"});  // which a change of the user had cleared
  return command;
}

std::filesystem::path programs() {
  for (const auto& version : std::filesystem::directory_iterator("/usr/lib/postgresql"))
    return version.path() / "bin";
  throw BenchError("postgresql is not installed");
}

// Makes a new cluster, and returns where it is.
std::filesystem::path make_cluster(const std::filesystem::path& directory) {
  const auto home = directory / "postgresql";
  std::filesystem::create_directory(home);
  if (geteuid() == 0) {
    const passwd* user = getpwnam("postgres");
    if (user == nullptr || ::chown(home.c_str(), user->pw_uid, user->pw_gid) != 0)
      throw BenchError("postgresql: there is no user postgres to run it");
  }
  run_program(as_its_user({programs() / "initdb", "--pgdata", home / "data", "--username", "postgres",
                           "--auth", "trust", "--encoding", "UTF8", "--locale", "C"}),
              directory / "initdb.log");
  return home;
}

class Postgresql final : public Service {
 public:
  Postgresql(const std::filesystem::path& directory, Durability durability)
      : home_(make_cluster(directory)),
        process_(
            as_its_user(
                {programs() / "postgres", "-D", home_ / "data", "-k", home_, "-c", "listen_addresses=", "-c",
                 "max_connections=200", "-c", "shared_buffers=512MB", "-c", "max_wal_size=4GB", "-c",
                 durability == Durability::kFsync ? "synchronous_commit=on" : "synchronous_commit=off"}),
            directory / "postgresql.log") {
    wait_until_ready(process_, directory / "postgresql.log",
                     [this] { return PQping(("host=" + home_.string()).c_str()) == PQPING_OK; });
  }

  std::string name() const override { return "postgresql"; }
  void make_queue(const std::string& queue, const Workload& /*workload*/) override {
    Connection(home_).run("CREATE TABLE \"" + queue + "\" (id bigserial PRIMARY KEY, body bytea)");
  }
  std::unique_ptr<Producer> producer(const std::string& queue, const Workload& /*workload*/) override {
    return std::make_unique<PostgresqlProducer>(home_, queue);
  }
  std::unique_ptr<Consumer> consumer(const std::string& queue, const Workload& workload) override {
    return std::make_unique<PostgresqlConsumer>(home_, queue, workload.batch);
  }
  pid_t pid() const override { return process_.pid(); }

 private:
  const std::filesystem::path home_;
  Process process_;
};

}  // namespace

std::unique_ptr<Service> start_postgresql(const std::filesystem::path& directory, Durability durability) {
  return std::make_unique<Postgresql>(directory, durability);
}

}  // namespace holdfast::bench
