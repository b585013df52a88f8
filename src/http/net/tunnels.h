#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "http/net/loop.h"
#include "http/net/socket.h"

namespace proa::http {

// Pairs of sockets that are tied together, so that they end when this goes: else a loop would run
// for as long as two peers like.
class Tunnels {
 public:
  // The loops outlive it.
  explicit Tunnels(LoopGroup& loops);
  // Not on a loop's thread. REQUIRES: nobody adds any more.
  ~Tunnels();
  Tunnels(const Tunnels&) = delete;
  Tunnels& operator=(const Tunnels&) = delete;

  // See splice(). On the loop of both sockets, which is one of these.
  void add(std::unique_ptr<Socket> a, std::string_view from_a, std::unique_ptr<Socket> b,
           std::string_view from_b);
  // The same for others who tie sockets together: begins it, and is told what ends it. Once it is
  // over, it calls what it was given. On that loop, which is one of these.
  using End = std::function<void()>;
  void add(Loop& loop, const std::function<End(End over)>& begin);

 private:
  // Of one loop, touched on its thread: how to end each.
  struct Open {
    std::map<uint64_t, std::function<void()>> ends;
    uint64_t next = 0;
  };

  LoopGroup& loops_;
  std::vector<std::unique_ptr<Open>> open_;
};

}  // namespace proa::http
