// This header declares a broker elsewhere: the verbs of broker.h, over the network.
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

#include "holdfast/blocking_verbs.h"
#include "holdfast/broker.h"
#include "holdfast/client_verbs.h"
#include "holdfast/delivery_stream.h"
#include "holdfast/operations.h"

namespace holdfast {

// ClientTls says how a connection to a tls:// address is encrypted. Files are PEM; connect() reads them once.
struct ClientTls {
  // This file has certificates of the authorities that may sign the server's certificate. Empty: those that
  // the system trusts. A self-signed certificate of the server may be named here too.
  std::filesystem::path server_ca = {};

  // The server's certificate must have this name. Empty: the host in the address.
  std::string server_name = {};

  // These files have the client's own certificate with its intermediate ones, and its private key, for a
  // server that asks for certificates. No other user may be able to read the key.
  std::filesystem::path certificate = {};
  std::filesystem::path key = {};

  friend bool operator==(const ClientTls&, const ClientTls&) = default;
};

struct ClientOptions {
  // Each time is at most limits::kDelayMax; connect() refuses a longer one (kInvalidArgument).

  // One attempt to connect may take this long: more than 0.
  Duration connect_timeout = std::chrono::seconds(5);

  // A call may take this long, reconnecting included: more than 0. The wait of a receive is added to it.
  Duration call_timeout = std::chrono::seconds(30);

  // Before its n-th attempt to reconnect the client pauses for a random time of up to
  // reconnect_delay * 2^(n-1), at most reconnect_delay_max, so that many clients do not come back in step. It
  // pauses in the same way before it asks again for a stream that the server refused because of a limit.
  // Either may be 0.
  Duration reconnect_delay = std::chrono::milliseconds(50);
  Duration reconnect_delay_max = std::chrono::seconds(5);

  // true: a send, ack or reject without a request id gets one from the client, so that it can be sent again
  // when its connection breaks. This costs the server a small row for each call, kept for 5 to 11 minutes. It
  // has no effect on calls that may take longer than limits::kRequestWindow.
  bool request_ids = true;

  // The token tells a server with access control who this client is (holdfast-token(1)). Empty: none.
  std::string token = {};

  // `tls` is only for addresses that begin with tls://; kInvalidArgument with any other.
  ClientTls tls = {};

  // The server's log calls this client by this name.
  std::string name = "holdfast";

  // call_timeout is measured with this clock: once that time is over, no call is sent, or sent again.
  // Default: a clock of the machine that goes on while the machine sleeps.
  const Clock* clock = nullptr;
};

// A Client is a movable handle to one connection. Any number of threads may share it; their calls are in
// flight together. It reconnects by itself. Bodies of received messages stay valid after it is closed.
//
// A call waits for the next connection if there is none, or if a server that is closing turned the call away.
// Meanwhile ack, extend, start, release and reject still use the connection to a server that drains. When the
// connection breaks after a call was sent, or no answer comes in time:
//   - Calls that only look are sent again, whatever they look at: describe_queue, peek, those that list, find
//     or count, the statistics, a dry run of redrive and so on. So are compact and verify, whose repetition
//     does no harm. When their time is over: kUnavailable.
//   - receive is sent again. Messages of the lost answer are charged and come back when their lease runs out,
//     as if a consumer had died with them. If the queue was deleted meanwhile, they are gone with it:
//     kQueueNotFound at once, which a waiting receive gets too. When its time is over: kOutcomeUnknown.
//   - cancel_redrive, resume and a drain after which the server stays are sent again. A drain after which the
//     server exits is not, since it would reach the next server: kOutcomeUnknown.
//   - send, ack, reject and redrive with a request id (the caller's, or one by ClientOptions::request_ids)
//     are sent again and answer what the first try would have answered. A redrive whose task failed or cannot
//     be waited for gives kOutcomeUnknown at once: see Broker. When their time is over: kOutcomeUnknown.
//   - ack, extend, start, release and reject without a request id are sent again too: a receipt settles a
//     delivery once, so a repetition has no second effect. A repetition that finds the delivery over does not
//     know what the first try did: whether it ended the delivery or, for extend and start, whether it renewed
//     the lease or charged the delivery before the lease ran out. The answer is then kOutcomeUnknown, not
//     kReceiptStale or kMessageNotFound; a further call about the delivery tells which it is. When their time
//     is over: kOutcomeUnknown.
//   - All others without a request id, backup and the calls that change a queue are not sent again: that
//     could have their effect twice, or undo what came in between. kOutcomeUnknown.
// A call with an effect that was sent again does not end with a refusal that says nothing of its first try:
// kOverloaded, kPermissionDenied, kQueueNotFound and whatever else a server may say before it looks up the
// request id or the delivery. Such a call is tried again, with the pauses of reconnecting, until its time is
// over: kOutcomeUnknown. So what broker.h says of errors holds after a lost connection too: all but the three
// codes named there mean that nothing was done.
class Client final : public BlockingOperationVerbs {
 public:
  // Connects to "host:port", "host" (port 7700), "[::1]:7700", one of these over TLS ("tls://host:port") or
  // "unix:/path", and makes sure that a server answers there. kInvalidArgument for a bad address, option or
  // file; kUnavailable if no server answers; kPermissionDenied for a socket or file that this process may not
  // use, for a server certificate that is not trusted or has another name, and for a client certificate that
  // the server does not accept.
  static Result<Client> connect(std::string_view address, ClientOptions options = {});

  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;
  // Closes the client. Calls of other threads must have returned before.
  ~Client() override;

  // Refuses new calls with kClosed and ends the calls in flight with kClosed, or with kOutcomeUnknown where
  // the effect may have happened. It may be called twice, and while other threads make calls.
  void close();

  // --- the verbs of Broker, with a callback ---
  // These calls return at once. The callback runs exactly once: on the client's own thread or, where nothing
  // has to be sent, on the caller's thread before the call returns. It must be short, and must neither block,
  // which every verb without a callback does, nor throw. It may start further calls. Closing the client
  // completes what is under way. holdfast/asio.h offers the same with Boost.Asio's completion tokens:
  // coroutines, futures, callbacks on executors of the caller's own.

  // Names a call that is under way, for cancel_call().
  struct CallToken {
    std::uint64_t number = 0;
  };
  using Verbs = ClientVerbs;

  // Makes a call of any verb: `verb` is called with a ClientVerbs before this returns, and the call that it
  // gives is made. `done` gets what the verb of Broker returns.
  //
  //   client.async_call([](auto& verbs) { return verbs.list_dead_letters("dlq"); },
  //                     [](Result<DeadLetterPage> page) { ... });
  template <class Verb, class Done>
  CallToken async_call(Verb verb, Done done) {
    auto call = verb(verbs());
    using Value = typename decltype(call)::Value;
    const CallToken token = next_token();
    // `done` is shared, since a function object must be copyable.
    call.start(token.number,
               [done = std::make_shared<Done>(std::move(done))](Value value) { (*done)(std::move(value)); });
    return token;
  }

  // Ends a call early. A call that was not sent yet, or that changes nothing, ends with kCancelled. A receive
  // ends with kCancelled too; the server is told and hands nothing more out to it, and messages of an answer
  // that was on its way come back when their lease runs out. Any other call that was sent ends with
  // kOutcomeUnknown. If the call is over, nothing happens.
  void cancel_call(CallToken token);

  // These have the form of Engine's, for code that works with both.
  using ReceiveToken = CallToken;
  void async_send_batch(std::string_view queue, std::vector<Message> messages, SendOptions options,
                        BatchCallback<Sent> done);
  // A cancelled receive gives an empty list.
  ReceiveToken async_receive(std::string_view queue, ReceiveOptions options, Callback<Deliveries> done);
  void cancel_receive(ReceiveToken token) { cancel_call(token); }
  void async_ack_batch(std::span<const Receipt> receipts, SettleOptions options, BatchCallback<void> done);
  void async_extend_batch(std::span<const Receipt> receipts, Duration lease, ExtendOptions options,
                          BatchCallback<void> done);
  void async_start_batch(std::span<const Receipt> receipts, BatchCallback<void> done);
  void async_release_batch(std::span<const Receipt> receipts, ReleaseOptions options,
                           BatchCallback<void> done);
  void async_reject_batch(std::span<const Receipt> receipts, const Rejection& rejection,
                          SettleOptions options, BatchCallback<void> done);
  CallToken async_redrive(std::string_view queue, RedriveOptions options, Callback<Redriven> done);

  // Lets the server push the messages of a queue as they come, so that the client need not ask for them.
  // kQueueNotFound, kInvalidArgument, kOverloaded.
  Result<DeliveryStream> subscribe(std::string_view queue, SubscribeOptions options = {});

  // --- the server's end ---

  // Takes the server out of service, for a restart or for good, and returns at once. From now on only the
  // server's owner can connect, over a Unix socket; sends and receives are turned away, and clients wait for
  // the next connection; waiting receives end with an empty list; pushed messages that were not started go
  // back uncharged; and /readyz answers 503. Leased deliveries can be settled until there are none or the
  // time has run out. A second call replaces the options. kInvalidArgument; kClosed if the server is ending
  // by itself (SIGTERM, which does the same with --stop-timeout).
  Result<DrainStatus> drain(DrainOptions options = {});
  // Tells how far the drain is. With a `wait` (0..limits::kWaitMax) it answers once the number in flight has
  // changed or the drain is over. If the server exits then, a further call answers when the server has ended
  // (DrainStatus::ended) and the next one can be started on its directory. kUnavailable if the connection is
  // lost before that, so that it is not known what became of the server; otherwise the error that closing its
  // engine failed with.
  Result<DrainStatus> drain_status(Duration wait = {});
  // Returns the server to service. kClosed if the server is ending by itself.
  Result<DrainStatus> resume();

 private:
  friend class DeliveryStream;
  explicit Client(std::unique_ptr<Impl> impl);
  CallToken next_token();
};

}  // namespace holdfast
