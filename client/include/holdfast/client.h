// A broker elsewhere: the verbs of broker.h, over the network.
//
//   auto client = holdfast::Client::connect("127.0.0.1:7700");
//   if (!client) return report(client.error());
//   auto sent = client->send("orders", {.body = "42 widgets"});
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "holdfast/broker.h"
#include "holdfast/client_verbs.h"
#include "holdfast/delivery_stream.h"
#include "holdfast/detail/verbs.h"
#include "holdfast/drain.h"

namespace holdfast {

// For addresses that begin with tls://. Files in PEM, read once, at connect().
struct ClientTls {
  // Who signs the server's certificate. Empty: those that the system trusts. A certificate that its server
  // has signed itself may stand here.
  std::filesystem::path server_ca = {};

  // Whom the server's certificate has to name. Empty: the host in the address.
  std::string server_name = {};

  // Says who this client is, to a server that asks for certificates: its own, with those between it and the
  // root, and the private key, which no others may read.
  std::filesystem::path certificate = {};
  std::filesystem::path key = {};

  friend bool operator==(const ClientTls&, const ClientTls&) = default;
};

struct ClientOptions {
  // How long one attempt to connect may take.
  Duration connect_timeout = std::chrono::seconds(5);

  // How long a call may take, connecting again included; a receive's wait comes on top.
  Duration call_timeout = std::chrono::seconds(30);

  // Before the n-th attempt to connect again the client pauses for a random time of up to
  // reconnect_delay * 2^(n-1), at most reconnect_delay_max, so that clients do not come back in step. As long
  // it pauses before it asks again for a stream with which the server, at a limit, would not go on.
  Duration reconnect_delay = std::chrono::milliseconds(50);
  Duration reconnect_delay_max = std::chrono::seconds(5);

  // Whether send, ack and reject get a request id of the client's own where the caller gave none, so that
  // they may be sent again when their connection breaks. It costs the server a small row for each call, kept
  // for 5 to 11 minutes. Without effect for calls that may take longer than limits::kRequestWindow.
  bool request_ids = true;

  // Says who this client is, to a server with access control (holdfast-token(1)). Empty: nobody.
  std::string token = {};

  // Encryption; without effect, and so kInvalidArgument, for addresses that do not begin with tls://.
  ClientTls tls = {};

  // What the server's log calls this client.
  std::string name = "holdfast";

  // What call_timeout is measured by: no call is sent, or sent again, once it is over. Default: the
  // machine's, which goes on while the machine sleeps.
  const Clock* clock = nullptr;
};

// A movable handle to one connection, shared by any number of threads, whose calls are in flight together.
// It connects again by itself. Bodies that receive hands out stay valid after the client is closed.
//
// A call for which there is no connection, or which a server that is closing turned away, waits for the next
// connection. Meanwhile ack, extend, start, release and reject still go over the connection of a server that
// drains. When the connection breaks, or nothing is answered in time, after a call was sent:
//   - describe_queue, list_queues, peek, message_history, list_dead_letters, redrive_status, list_redrives,
//     preview_redrive, preview_park, verify, the statistics, drain_status and compact are sent again; out of
//     time: kUnavailable.
//   - receive is sent again. Messages that were in the lost answer are charged and come back when their
//     lease runs out, as if a consumer had died with them; if the queue was deleted meanwhile, they are gone
//     with it: kQueueNotFound at once, as for one that waits. Out of time: kOutcomeUnknown.
//   - cancel_redrive, resume and a drain after which the server stays are sent again. A drain after which it
//     ends is not, since that would reach the next server: kOutcomeUnknown.
//   - send, ack, reject, redrive, start_redrive and park with a request id (the caller's, or see
//     ClientOptions::request_ids) are sent again and answer what the first try would have answered. A redrive
//     or park whose task cannot be waited for, or has failed, is kOutcomeUnknown at once: see Broker. Out of
//     time: kOutcomeUnknown.
//   - ack, extend, start, release and reject without one are sent again too: a receipt settles at most once,
//     so a repetition can have no second effect. When the repetition finds the delivery over, that is
//     certain, but not what the first try did: whether it ended the delivery or, of extend and begin, whether
//     the lease had begun anew, or the delivery was charged, before it ran out. So that is kOutcomeUnknown,
//     not kReceiptStale or kMessageNotFound; a further call about the delivery says which it is. Out of time:
//     kOutcomeUnknown.
//   - The others without one, backup and the calls that change a queue are not sent again, since that could
//     have their effect twice, or undo what came in between: kOutcomeUnknown.
// A call that was sent again, and has an effect, is not answered by a refusal that says nothing of its first
// try: kOverloaded, kPermissionDenied, kQueueNotFound and whatever else a server may say before it has looked
// the request id, or the delivery, up. It is tried again, with pauses as between attempts to connect, until
// its time is over: kOutcomeUnknown. So each other error means, after a lost connection too, that nothing was
// done.
class Client final : public Broker {
 public:
  // Connects to "host:port", "host" (port 7700), "[::1]:7700", one of these over TLS ("tls://host:port") or
  // "unix:/path" and makes sure that a server answers there. kInvalidArgument for the address, an option or a
  // file, kUnavailable; kPermissionDenied for a socket or file that this process may not use, a server whose
  // certificate is not trusted or names another, and a client's certificate that the server does not accept.
  static Result<Client> connect(std::string_view address, ClientOptions options = {});

  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;
  // Closes. Calls of other threads must have returned.
  ~Client() override;

  // Refuses new calls with kClosed and ends those in flight: kClosed, or kOutcomeUnknown for what may have
  // had its effect. Safe to call twice, and while other threads make calls.
  void close();

  // --- the same verbs with a callback ---
  // They return at once. The callback runs exactly once, on the client's own thread or, where nothing has to
  // be sent, on the caller's before the call returns; it must be short, not block (the verbs above do) and
  // not throw. It may start further calls. Closing the client completes what is under way. holdfast/asio.h
  // has them with Boost.Asio's completion tokens: coroutines, futures, callbacks on executors of the caller's
  // own.

  // A call that is under way, for cancel_call.
  struct CallToken {
    std::uint64_t number = 0;
  };
  using Verbs = ClientVerbs;

  // Any verb: makes the call that `verb` gives, called with a ClientVerbs before this returns. `done` gets
  // what the verb gives.
  //
  //   client.async_call([](auto& verbs) { return verbs.list_dead_letters("dlq"); },
  //                     [](Result<DeadLetterPage> page) { ... });
  template <class Verb, class Done>
  CallToken async_call(Verb verb, Done done) {
    auto call = verb(verbs());
    using Value = typename decltype(call)::Value;
    const CallToken token = next_token();
    // Shared, since a function object must be copyable.
    call.start(token.number,
               [done = std::make_shared<Done>(std::move(done))](Value value) { (*done)(std::move(value)); });
    return token;
  }

  // Ends a call early. One that was not sent yet has no effect: kCancelled, as for one that changes nothing
  // anyway. A receive is told to the server, which hands nothing out to it any more: kCancelled; what was in
  // an answer on its way then comes back when its lease runs out. Any other that was sent: kOutcomeUnknown.
  // Nothing if the call is over.
  void cancel_call(CallToken token);

  // As the engine's (engine.h), for those who use either.
  using ReceiveToken = CallToken;
  void async_send_batch(std::string_view queue, std::vector<Message> messages, SendOptions options,
                        std::function<void(Result<std::vector<Result<Sent>>>)> done);
  // Cancelled it gives an empty list.
  ReceiveToken async_receive(std::string_view queue, ReceiveOptions options,
                             std::function<void(Result<Deliveries>)> done);
  void cancel_receive(ReceiveToken token) { cancel_call(token); }
  using BatchCallback = std::function<void(std::vector<Result<void>>)>;
  void async_ack_batch(std::span<const Receipt> receipts, SettleOptions options, BatchCallback done);
  void async_extend_batch(std::span<const Receipt> receipts, Duration lease, ExtendOptions options,
                          BatchCallback done);
  void async_start_batch(std::span<const Receipt> receipts, BatchCallback done);
  void async_release_batch(std::span<const Receipt> receipts, ReleaseOptions options, BatchCallback done);
  void async_reject_batch(std::span<const Receipt> receipts, const Rejection& rejection,
                          SettleOptions options, BatchCallback done);
  CallToken async_redrive(std::string_view queue, RedriveOptions options,
                          std::function<void(Result<Redriven>)> done);
  CallToken async_park(std::string_view queue, RedriveOptions options,
                       std::function<void(Result<Redriven>)> done);

  // Has the server push messages of a queue as they come, instead of asking for them. kQueueNotFound,
  // kInvalidArgument, kOverloaded.
  Result<DeliveryStream> subscribe(std::string_view queue, SubscribeOptions options = {});

  // --- the verbs ---
  // broker.h declares each of them, and says what it does. Backup, verify and compact have limits::kWaitMax
  // beside call_timeout.

  Timestamp now() const override;
  HOLDFAST_VERBS(HOLDFAST_OVERRIDE)

  // Takes the server out of service, for a restart or for good. From now on nobody connects but its owner
  // over a Unix socket, sends and receives are turned away (clients wait for the next connection), receives
  // that wait end with an empty list, and what was pushed and not started goes back uncharged. Deliveries in
  // hand can be settled until there are none or the time has run out; /readyz says 503. Once more: other
  // options hold. Returns at once. kInvalidArgument; kClosed if the server is ending by itself (SIGTERM,
  // which does the same as this with --stop-timeout).
  Result<DrainStatus> drain(DrainOptions options = {});
  // How far it is; with a `wait`, 0..limits::kWaitMax, once the number in flight has changed or it is over.
  // Once more, if the server exits then: when it has ended (DrainStatus::ended), and the next one can be
  // started on its directory. kUnavailable if the connection is lost before that: what has become of the
  // server is not known. What else closing its engine failed with.
  Result<DrainStatus> drain_status(Duration wait = {});
  // Puts the server back into service. kClosed if the server is ending by itself.
  Result<DrainStatus> resume();

 private:
  friend class DeliveryStream;
  class Impl;
  explicit Client(std::unique_ptr<Impl> impl);
  ClientVerbs& verbs();
  CallToken next_token();
  std::unique_ptr<Impl> impl_;
};

}  // namespace holdfast
