#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/files.h"
#include "dns/config/settings.h"
#include "dns/message/types.h"

namespace proa::dns {

// One query on its way to one upstream, on a socket of its own: its source port is random, and it
// is connected, so that the kernel drops what others send. Never blocks.
class Exchange {
 public:
  enum class Outcome : uint8_t { kWaiting, kMessage, kFailed };

  // Fails if the upstream cannot be reached; with kTooManyRequests if the process has too many
  // open files.
  static Result<std::unique_ptr<Exchange>> open(const Upstream& upstream, bool tcp, ByteSpan query);

  int descriptor() const { return socket_.get(); }
  bool tcp() const { return tcp_; }
  // Whether it waits until something can be sent, rather than received.
  bool sending() const { return tcp_ && sent_ < out_.size(); }
  // By UDP: once more, since a packet may have been lost. An answer to either one is an answer.
  bool send_datagram();
  // Continues when the descriptor is ready. kMessage: `message` is what was received, valid until
  // the next call; by UDP there may be more. `scratch` holds kMostMessage bytes.
  Outcome advance(std::span<uint8_t> scratch, ByteSpan& message);

 private:
  Exchange(FileDescriptor socket, bool tcp) : socket_(std::move(socket)), tcp_(tcp) {}
  Outcome send_rest();
  Outcome receive_tcp(ByteSpan& message);

  const FileDescriptor socket_;
  const bool tcp_;
  std::vector<uint8_t> out_;  // the query; of TCP behind its length
  size_t sent_ = 0;           // of TCP
  std::vector<uint8_t> in_;   // of TCP: grows with what arrives
  size_t received_ = 0;
};

}  // namespace proa::dns
