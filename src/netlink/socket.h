#pragma once

#include <linux/filter.h>

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/files.h"
#include "base/result.h"
#include "base/threads/deadline.h"
#include "netlink/message.h"

namespace proa::netlink {

// One message of a batch that the kernel refused.
struct Refusal {
  size_t message = 0;  // its index in the batch
  int error = 0;       // errno
  std::string text;    // the kernel's words; may be empty
};

// A refusal as a Status. Code switches on the reason: kNotFound (ENOENT, ENODEV, ESRCH, ENXIO),
// kAlreadyExists, kForbidden (EPERM, EACCES), kConflict (EBUSY), kMethodNotAllowed (what the kernel
// cannot do), kInternalError.
Status refusal_status(std::string_view what, int error, std::string_view text = {});

// A netlink socket of one protocol (NETLINK_ROUTE, NETLINK_NETFILTER). It belongs to the network
// namespace of the thread that opened it. Owned and used by one thread at a time, except for
// wake().
class Socket {
 public:
  using Receive = std::function<Result<void>(const Message&)>;

  // REQUIRES: `clock` outlives it.
  static Result<Socket> open(int protocol, Clock& clock);
  // A socket for notifications of these multicast groups (RTNLGRP_LINK, NFNLGRP_NFTABLES). It sends
  // no requests: answers and notifications would mix.
  static Result<Socket> listen(int protocol, const std::vector<uint32_t>& groups, Clock& clock);

  // Sends all messages at once and waits for the answers. NLM_F_ACK is set in the last one, which
  // the kernel answers last; messages between NFNL_MSG_BATCH_BEGIN and _END are a transaction:
  // there the last one is that before the end. The Status is that of the first refusal; `refusals`
  // receives all. `receive` gets what is no answer: objects that were asked for, echoes. kTimeout
  // when `until` is over: what the kernel did is unknown then.
  Result<void> request(Batch& batch, const Until& until, const Receive& receive = {},
                       std::vector<Refusal>* refusals = nullptr);

  // Asks for all objects that match one message; `receive` gets them. kConflict if they changed
  // meanwhile, so that some may be missing: begin anew (dump_again() does).
  Result<void> dump(Batch& batch, const Until& until, const Receive& receive);

  // Waits for notifications, and passes on those that have arrived. Returns when `until` is over
  // or wake() was called, or one of the descriptors `also` is readable. kExpired if some were lost:
  // what was derived from them must be read anew.
  Result<void> receive(const Until& until, const Receive& receive, std::span<const int> also = {});
  // Ends the wait of receive(), now or of the next call. From any thread.
  void wake() const;

  // The kernel passes on only those notifications that other processes have caused, by sockets that
  // are not ours. Those of a datagram have the same sender.
  Result<void> ignore_own_process() const;
  // A classic BPF program, which sees datagrams from the header of their first message on.
  Result<void> set_filter(std::span<sock_filter> program) const;

  // Readable when there is something to receive.
  int descriptor() const { return file_.get(); }
  // What the kernel calls the sender of its messages (nlmsg_pid): the process ID in the lower bits,
  // not zero in the others.
  uint32_t port() const { return port_; }
  static constexpr uint32_t kProcessMask = (1 << 22) - 1;

 private:
  Socket(FileDescriptor file, FileDescriptor wakes, uint32_t port, Clock& clock)
      : file_(std::move(file)), wakes_(std::move(wakes)), port_(port), clock_(&clock) {}

  Result<void> send(std::string_view bytes);
  // One datagram, valid until the next call; empty: `until` is over. kExpired: some were lost.
  // `others`: descriptors that end the wait, too.
  Result<std::string_view> read(const Until& until, std::span<const int> others);
  Result<bool> wait(const Until& until, std::span<const int> others);
  // Reads answers until `take` says that one was the last.
  Result<void> read_until(const Until& until,
                          const std::function<Result<bool>(const Message&)>& take);

  FileDescriptor file_;
  FileDescriptor wakes_;
  uint32_t port_;
  Clock* clock_;
  uint32_t sequence_ = 0;
  std::string buffer_;
};

// Socket::dump(), again while objects change during it, a few times. `begin` empties what `receive`
// has collected.
Result<void> dump_again(Socket& socket, Batch& batch, const Until& until,
                        const std::function<void()>& begin, const Socket::Receive& receive);

}  // namespace proa::netlink
