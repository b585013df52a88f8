#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <thread>

#include "base/clock.h"
#include "base/files.h"
#include "base/result.h"
#include "base/threads/mutex.h"
#include "network/announce/frames.h"

namespace proa::network {

// Answers on one Ethernet link who has the announced addresses, and tells the neighbours when an
// address has moved here. No interface has the addresses: when this process ends, nobody answers.
// Its sockets belong to the network namespace of the thread that opens it; its thread waits for
// frames that a filter in the kernel lets pass.
class Responder {
 public:
  struct Link {
    int index = 0;
    MacAddress mac = {};
    bool operator==(const Link&) const = default;
  };
  struct Events {
    // Another machine says that it has an address which is answered for here.
    std::function<void(const IpAddress&)> claimed;
    // The link is gone: nothing is answered any more.
    std::function<void()> broken;
  };
  // Events come on the responder's thread.
  static Result<std::unique_ptr<Responder>> open(const Link& link, Clock& clock, Events events);
  // Stops it.
  ~Responder();
  Responder(const Responder&) = delete;
  Responder& operator=(const Responder&) = delete;

  const Link& link() const { return link_; }
  // False when the link is gone.
  bool works() const { return works_; }
  // Answers for exactly these addresses from now on. New ones are announced to the neighbours, a
  // few times, since frames get lost.
  Result<void> set(const std::set<IpAddress>& addresses) EXCLUDES(mutex_);

 private:
  // An address of which neighbours are yet to be told.
  struct Announcing {
    size_t times = 0;  // told so far
    Steady due{};
  };

  Responder(const Link& link, Clock& clock, Events events);
  Result<void> open_sockets();
  void start();
  void run(const std::stop_token& stop);
  // Whether the socket works.
  bool receive(int socket);
  void answer(std::string_view frame) EXCLUDES(mutex_);
  void send(const IpAddress& address, std::string_view frame) const;
  // Tells neighbours what is due; returns when more is.
  Steady announce() EXCLUDES(mutex_);
  Result<void> filter() REQUIRES(mutex_);
  void join_groups() REQUIRES(mutex_);
  void wake() const;

  const Link link_;
  Clock& clock_;
  const Events events_;
  FileDescriptor arp_;
  FileDescriptor ndp_;
  FileDescriptor groups_;  // member of multicast groups, so that switches and the NIC pass them
  FileDescriptor wakes_;   // eventfd
  Mutex mutex_;
  std::set<IpAddress> addresses_ GUARDED_BY(mutex_);
  std::set<IpAddress> joined_ GUARDED_BY(mutex_);
  bool all_groups_ GUARDED_BY(mutex_) = false;
  std::map<IpAddress, Announcing> announcing_ GUARDED_BY(mutex_);
  std::atomic<bool> works_ = true;
  std::jthread thread_;
};

}  // namespace proa::network
