#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "policy/explain/cluster.h"

// What users call the ends of a connection.

namespace proa::policy {

// Where a connection goes to, before a Service chooses its endpoint.
struct Target {
  IpAddress address = {};
  uint16_t port = 0;  // zero: none was said, and none matters (loopback)
  // Instead of an address: a Service whose name stands for those of its endpoints.
  const KnownService* headless = nullptr;
  std::vector<KnownEndpoint> endpoints = {};
};

// "NAME" or "NAMESPACE/NAME", also behind "pod/". Without a namespace: one of `name_space`.
client::Key read_pod_name(std::string_view text, std::string_view name_space);

// "ADDRESS:PORT"; a pod as above, a Service as "svc/NAME", "svc/NAMESPACE/NAME" or by its DNS name,
// each with ":PORT", which is a number or a name, or without: the first that it declares for the
// protocol. A name without "pod/" or "svc/" is that of a pod, or of a Service if there is no such
// pod. Names without a namespace are of the caller's. On failure says what exists instead.
Result<Target> read_target(const Cluster& cluster, const KnownPod& from, std::string_view text,
                           uint8_t protocol);

// Packets to it never leave the network namespace of the sender. The unspecified address counts,
// because Linux connects to itself there.
bool is_loopback(const IpAddress& address);

// "10.0.0.1:80", "[fd00::1]:80"; without a port the address alone.
std::string place_text(const IpAddress& address, uint16_t port);
// "http 80/TCP, 53/UDP"; "no port" if it has none.
std::string ports_text(const KnownService& service);

}  // namespace proa::policy
