// Hangs up on connections that their clients have reported as lost, on whichever thread serves them. What is
// on its way over them is not answered any more.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "schema/convert/values/hello_conversion.h"
#include "schema/transport/mailbox.h"

namespace holdfast::server {

class LostConnections {
 public:
  using Names = std::vector<convert::ConnectionName>;
  // Hangs up on the connections with these names that the loop serves. Must let go of `gone` once the loop
  // has done so and has begun the calls that it had read of them.
  using HangUp = std::function<void(const Names& names, std::shared_ptr<void> gone)>;

  // Adds a loop. Called before clients are served.
  void add_loop(std::shared_ptr<transport::Mailbox> mailbox, HangUp hang_up) {
    loops_.push_back({std::move(mailbox), std::move(hang_up)});
  }

  // Hangs up on the connections on all loops. When the last loop has done so, nobody holds `gone` any more.
  // Any thread may call it.
  void hang_up(const Names& names, const std::shared_ptr<void>& gone) const {
    for (const Loop& loop : loops_)
      loop.mailbox->post([hang_up = loop.hang_up, names, gone] { hang_up(names, gone); });
  }

 private:
  struct Loop {
    std::shared_ptr<transport::Mailbox> mailbox;
    HangUp hang_up;
  };

  std::vector<Loop> loops_;
};

}  // namespace holdfast::server
