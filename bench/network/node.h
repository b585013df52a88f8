#pragma once

#include <string>

#include "netlink/netns.h"

namespace proa::network_bench {

// Where the API server is for all nodes.
inline constexpr const char* kServerAddress = "10.0.0.1";
// The name of all nodes; each is alone in its world.
inline constexpr const char* kNodeName = "bench";
inline constexpr const char* kNodeAddress = "172.30.0.1";
// All pods, and those of them that are endpoints.
inline constexpr const char* kPods = "10.128.0.0/9";
inline constexpr const char* kEndpoints = "10.128.0.0/10";

// Moves this process to network and mount namespaces of its own, so that nothing of the machine
// changes: with the server's address, and a /run that goes with the process. False if that is not
// permitted. REQUIRES: no other thread runs yet.
bool enter_own_machine();

// Runs a command; ends the program if it fails.
void shell(const std::string& command);

// A machine with two pods. Packets from `client` to `server` are forwarded by `router`, which has
// the rules of Services; `server` has all addresses of endpoints.
struct Node {
  // `number`: a different one for each.
  explicit Node(int number);

  // The namespace as a file, for programs.
  static std::string path(const netlink::NetworkNamespace& place);
  // Runs a command there.
  static void inside(const netlink::NetworkNamespace& place, const std::string& command);

  netlink::NetworkNamespace router;
  netlink::NetworkNamespace client;
  netlink::NetworkNamespace server;
};

}  // namespace proa::network_bench
