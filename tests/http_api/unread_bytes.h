// Tells how much a server has not read yet of what its clients sent, and how much it has sent that did not
// arrive yet.
#pragma once

#include <cstddef>
#include <fstream>
#include <sstream>
#include <string>

namespace holdfast::server {

// QueuedBytes wait in the kernel's ends of a server's connections, for the server or for its clients.
struct QueuedBytes {
  std::size_t unsent = 0;
  std::size_t unread = 0;
};

// `address` is that of the server, such as "127.0.0.1:4000". The kernel lists its ends of all connections,
// with how much waits in each (proc(5), /proc/net/tcp).
inline QueuedBytes queued_bytes(const std::string& address) {
  constexpr int kHex = 16;
  const auto behind_colon = [](const std::string& pair, int base) {
    return std::stoul(pair.substr(pair.find(':') + 1), nullptr, base);
  };
  QueuedBytes queued;
  std::ifstream table("/proc/net/tcp");
  std::string line;
  std::getline(table, line);  // the names of the columns
  while (std::getline(table, line)) {
    std::istringstream columns(line);
    std::string number;
    std::string local;
    std::string remote;
    std::string state;
    std::string queues;  // "unsent:unread"
    columns >> number >> local >> remote >> state >> queues;
    const bool listens = state == "0A";
    if (!listens && behind_colon(local, kHex) == behind_colon(address, 10)) {
      queued.unsent += std::stoul(queues, nullptr, kHex);
      queued.unread += behind_colon(queues, kHex);
    }
  }
  return queued;
}

inline std::size_t unread_bytes(const std::string& address) { return queued_bytes(address).unread; }
inline std::size_t unsent_bytes(const std::string& address) { return queued_bytes(address).unsent; }

}  // namespace holdfast::server
