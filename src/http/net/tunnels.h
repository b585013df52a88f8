#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "http/net/loop.h"
#include "http/net/socket.h"

namespace proa::http {

// Spliced pairs of sockets, which end with this object: otherwise a loop would run for as long as
// two peers like.
class Tunnels {
 public:
  // The loops outlive it.
  explicit Tunnels(LoopGroup& loops);
  // Not on a loop's thread. REQUIRES: add() is not called any more.
  ~Tunnels();
  Tunnels(const Tunnels&) = delete;
  Tunnels& operator=(const Tunnels&) = delete;

  // See splice(). On the loop of both sockets, which is one of these.
  void add(std::unique_ptr<Socket> a, std::string_view from_a, std::unique_ptr<Socket> b,
           std::string_view from_b);
  // The same for other kinds of tunnels: `begin` starts it, and gets the function that ends it; the
  // tunnel calls the function it was given when it is over. On that loop, which is one of these.
  using End = std::function<void()>;
  void add(Loop& loop, const std::function<End(End over)>& begin);

 private:
  // The tunnels of one loop, used on its thread only: how to end each.
  struct Open {
    std::map<uint64_t, std::function<void()>> ends;
    uint64_t next = 0;
  };

  LoopGroup& loops_;
  std::vector<std::unique_ptr<Open>> open_;
};

}  // namespace proa::http
