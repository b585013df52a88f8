#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/net/ip_address.h"
#include "cli/command_line/command.h"
#include "client/client.h"

namespace proa::cli {

// Of servers and nodes: whether nodes answer DNS themselves.
Flag dns_flag();
bool wants_dns(const Settings& settings);

// The DNS of a cluster that a node joins.
struct ClusterDns {
  std::vector<IpAddress> addresses = {};
  bool ours = false;  // nodes answer at them; else it is a Service as others are
};

// Asks for the Service kube-dns, which a server that is starting makes a moment later. No
// addresses: there is none.
Result<ClusterDns> find_cluster_dns(client::Client& client, Clock& clock, Duration patience);

}  // namespace proa::cli
