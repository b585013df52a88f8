#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "netlink/route/types.h"
#include "netlink/socket.h"

namespace proa::netlink {

// Links, addresses, routes and neighbours of one network namespace: that of the thread which opens
// it. Used by one thread at a time. Lists are in the kernel's order.
class Routing {
 public:
  // REQUIRES: `clock` outlives it.
  static Result<Routing> open(Clock& clock);

  Result<std::vector<Link>> links();
  // kNotFound if there is none of this name.
  Result<Link> link(std::string_view name);
  Result<std::vector<LinkAddress>> addresses();
  // Unicast routes of both families, of all tables.
  Result<std::vector<Route>> routes();
  // Those of a link, of both families; without those that are being resolved.
  Result<std::vector<Neighbour>> neighbours(int link);
  Result<std::vector<Neighbour>> forwarding(int link);
  // How packets to an address leave. kNotFound if there is no route.
  Result<RouteAnswer> way_to(const IpAddress& address);

  // Sends what the functions of write.h made. All are tried; the Status is that of the first one
  // that the kernel refused.
  Result<void> apply(Batch& batch, std::vector<Refusal>* refusals = nullptr);

 private:
  Routing(Socket socket, Clock& clock) : socket_(std::move(socket)), clock_(&clock) {}
  Until soon() const;
  Result<std::vector<Neighbour>> list_neighbours(int link, int family);

  Socket socket_;
  Clock* clock_;
};

// A socket that hears of changes of links, addresses and routes (not neighbours).
Result<Socket> listen_for_routes(Clock& clock);

// Notices changes of the neighbours and forwarding entries of one link. The kernel drops reports
// about others, which come with every connection of the machine. Used by one thread at a time.
class NeighbourMonitor {
 public:
  // REQUIRES: `clock` outlives it.
  static Result<NeighbourMonitor> open(Clock& clock);

  // From now on of this link; 0: of none. True if it was another one before.
  Result<bool> watch(int link);
  // Readable when something has changed.
  int descriptor() const { return socket_.descriptor(); }
  // Reads the reports, without waiting. True if there were some, or some were lost.
  bool changed();

 private:
  NeighbourMonitor(Socket socket, Clock& clock) : socket_(std::move(socket)), clock_(&clock) {}

  Socket socket_;
  Clock* clock_;
  int link_ = 0;
};

}  // namespace proa::netlink
