#pragma once

#include <string>
#include <string_view>

// How nodes find the addresses of load balancers that they announce, and each other.

namespace proa::kinds {

// On Services whose addresses nodes announce by ARP and NDP. The endpoint slice controller copies
// labels of a Service to its slices, so that nodes watch only what they need.
inline constexpr std::string_view kAnnouncedLabel = "proa.dev/announced";

// Leases in kube-system by which announcing nodes see that the others live. They have this label.
inline constexpr std::string_view kAnnouncerLabel = "proa.dev/announcer";
inline constexpr std::string_view kAnnouncerNamespace = "kube-system";
inline std::string announcer_lease(std::string_view node) {
  return "proa-announcer-" + std::string(node);
}

// Annotation of a Node: ports that Services want for load balancers, and programs of the node have:
// "22/TCP,53/UDP". Written by the node.
inline constexpr std::string_view kUsedPorts = "proa.dev/used-ports";

}  // namespace proa::kinds
